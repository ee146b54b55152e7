import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Glibc
import Testing

/// Decoders are shared: a session has one while it has something to decode.
@Suite struct DecoderLeaseTests {
    /// A session that hears what is written into its pipe.
    private struct Piped {
        let client: TestClient
        let pipe: Descriptor

        init(on rig: Rig) async throws {
            let (reading, writing) = try Descriptor.pipe()
            client = try await TestClient(on: rig)
            pipe = writing
            _ = try await client.dictation.start(options: ["input": .descriptor(reading)])
        }

        func write(_ samples: [Int16]) throws {
            try samples.withUnsafeBytes { bytes in
                var written = 0
                while written < bytes.count {
                    let count = Glibc.write(
                        pipe.rawValue, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                    guard count > 0 else { throw TestFailure("The pipe takes nothing: \(errno)") }
                    written += count
                }
            }
        }
    }

    @Test(arguments: [5, 20]) func moreSessionsThanDecodersAllGetTheirText(count: Int) async throws {
        try await withRig(tones + "decoder-limit: 4\n") { rig in
            var sessions: [Piped] = []
            for _ in 0..<count { sessions.append(try await Piped(on: rig)) }
            for session in sessions { try session.write(Speech.tones(500) + Speech.silence(1)) }
            for session in sessions { try session.write(Speech.tones(600, 700)) }
            let clients = sessions.map(\.client)
            sessions = []
            for client in clients {
                #expect(try await client.final(1) == "t500 t600 t700")
                #expect(client.story.isEmpty)
            }
        }
    }

    @Test func idlePipesKeepNobodyFromDictating() async throws {
        try await withRig(tones + "decoder-limit: 2\n") { rig in
            let microphone = try await rig.plugIn()
            var idle: [Piped] = []
            for _ in 0..<4 { idle.append(try await Piped(on: rig)) }
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: microphone, on: rig)
            #expect(try await client.dictation.commit().text == "t500")
            #expect(client.story.isEmpty)
            #expect(idle.allSatisfy { $0.client.story.isEmpty })
        }
    }
}
