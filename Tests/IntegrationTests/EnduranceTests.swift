import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// Endless speech leaks nothing, and texts of several clients are not mixed.
@Suite struct EnduranceTests {
    /// Minutes of speech in one block, faster than real time. `packaging/soak recognition` has 30.
    static let minutes =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_MINUTES"].flatMap { Double($0) } ?? 1

    private static let names = ["0870", "0880", "0890", "0920", "0930"]

    private static func recording(_ name: String) throws -> [Int16] {
        let file = "\(WaveFile.speech)/librivox/sense_and_sensibility_01_austen_64kb-\(name).wav"
        return try WaveFile.samples(of: file) + Speech.silence(0.5)
    }

    /// The memory for a minute's text: 5 MiB in 30 minutes.
    private static let kibibytesPerMinute = 170.0

    @Test func aLongBlockGrowsByItsTextOnly() async throws {
        try await withRig { rig in
            // Four times real time: nothing is lost if the service is delayed by two seconds.
            let microphone = try await rig.plugIn(pace: .cycle(every: .milliseconds(5)))
            let client = try await TestClient(on: rig, listensToAll: false)
            let speech = try Self.names.prefix(3).map { try Self.recording($0) }
            let minutes = Double(speech.reduce(0) { $0 + $1.count }) / 16000 / 60
            func sayAll() async throws {
                for recording in speech {
                    try await rig.say(recording, into: microphone)
                    // Queued audio takes memory too.
                    try await client.isDecoded(within: .seconds(600))
                }
            }
            _ = try await client.dictation.start(options: [:])
            try await eventually("it listens") { try await rig.isCapturing() }
            // PocketSphinx's tables grow with the first speech. In the same block, because at its end memory is freed,
            // and allocated again in the first rounds of the next.
            let warmUp = Self.minutes > 1 ? 20 : 4
            for _ in 1..<warmUp { try await sayAll() }
            // How much audio is queued depends on what else the machine does: from here on never more than now.
            try await rig.say(speech.flatMap(\.self), into: microphone)
            try await client.isDecoded(within: .seconds(600))
            // What the burst has left is used by the first ordinary round after it.
            try await sayAll()
            let before = try rig.usage()
            var usage = [before]
            repeat {
                try await sayAll()
                usage.append(try rig.usage())
            } while Double(usage.count - 1) * minutes < Self.minutes
            let (_, text, details) = try await client.dictation.commit(timeout: .seconds(3600))
            let after = try rig.usage()
            #expect(details["dropouts"] == .uint64(0))
            let said = Double(warmUp + usage.count) * minutes
            print("\(said) minutes in one block: \(usage)")
            #expect(after.descriptors == before.descriptors)
            #expect(after.threads == before.threads)
            expectGrowth(of: usage, atMost: Self.kibibytesPerMinute * minutes)
            #expect(Double(text.split(separator: " ").count) > said * 60)
        }
    }

    @Test func severalClientsGetTheirOwnText() async throws {
        try await withRig { rig in
            // Files, because only one session at a time has a microphone.
            let files = try Self.names.prefix(4).map { name in
                let path = rig.home.path(of: "\(name).wav")
                try WaveFile.write(Self.recording(name), to: path)
                return path
            }
            func transcribe(_ file: String) async throws -> String {
                let result = try await ChildProcess.run(
                    [executable("dictation-cli"), "transcribe", file], environment: rig.environment,
                    within: .seconds(300))
                #expect(result.status == .exited(0), "\(result.errors)")
                return result.output
            }
            var alone: [String] = []
            for file in files { alone.append(try await transcribe(file)) }
            let together = try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for (index, file) in files.enumerated() {
                    group.addTask { (index, try await transcribe(file)) }
                }
                var texts: [Int: String] = [:]
                for try await (index, text) in group { texts[index] = text }
                return texts
            }
            for (index, text) in alone.enumerated() {
                #expect(!text.isEmpty)
                #expect(together[index] == text)
            }
            print("four at once: \(try rig.usage())")
        }
    }
}
