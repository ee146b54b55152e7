import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// Repeated use leaks nothing.
@Suite struct FlatnessTests {
    /// `packaging/soak cycles` has 2,000.
    private static let soak = ProcessInfo.processInfo.environment["DICTATION_SOAK_CYCLES"].flatMap { Int($0) }

    @Test func commitsAndCancelsLeaveDescriptorsThreadsAndMemoryFlat() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig, listensToAll: false)
            let speech = try Array(WaveFile.rawSamples(of: "\(WaveFile.speech)/goforward.raw").prefix(24_000))
            _ = try await client.dictation.start(options: [:])
            try await eventually("it listens") { try await rig.isCapturing() }

            func cycle(_ number: Int) async throws {
                try await rig.say(speech, into: microphone)
                if number % 2 == 0 {
                    _ = try await client.dictation.commit()
                } else {
                    _ = try await client.dictation.cancel()
                }
            }
            // Memory is flat from the 64th utterance on: until then PocketSphinx's tables grow (measured).
            for number in 0..<(Self.soak == nil ? 64 : 100) { try await cycle(number) }
            let before = try await rig.usageAtRest()
            var usage = [before]
            for _ in 0..<(Self.soak ?? 32) / Self.round {
                for number in 0..<Self.round { try await cycle(number) }
                usage.append(try rig.usage())
            }
            let after = try await rig.usageAtRest()
            #expect(after.descriptors == before.descriptors)
            #expect(after.threads == before.threads)
            expectGrowth(of: usage, atMost: Self.kibibytesPerCycle * Double(Self.round))
            print("\((usage.count - 1) * Self.round) cycles: \(usage)")
        }
    }

    private static let round = 8
    /// 1 MiB in 2,000 cycles.
    private static let kibibytesPerCycle = 0.5

    @Test func sessionsLeakNothing() async throws {
        // With a second decoder, whether a session that begins while another is ending loads one would depend on when.
        try await withRig(tones + "decoder-limit: 1\ndecoder-linger: 3600\n") { rig in
            let microphone = try await rig.plugIn()
            func round() async throws {
                let client = try await TestClient(on: rig)
                _ = try await client.dictation.start(options: [:])
                try await client.state("listening")
                try await rig.say(Speech.tones(500), into: microphone)
                #expect(try await client.dictation.commit().text == "t500")
                await client.vanish()
            }
            for _ in 0..<5 { try await round() }
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            let before = try await rig.usageAtRest()
            for _ in 0..<20 { try await round() }
            try await rig.expectAsBefore(before)
        }
    }

    /// A stream that is closed while the audio server links it leaks no descriptor.
    @Test func startsAndStopsBesideADictationLeakNoDescriptors() async throws {
        let cycles = Self.soak ?? 300
        // With a second decoder, whether one more is loaded would depend on when sessions begin and end.
        try await withRig(tones + "decoder-limit: 1\ndecoder-linger: 3600\n") { rig in
            let microphone = try await rig.plugIn()
            let dictating = try await TestClient.listening(on: rig)
            let other = try await TestClient(on: rig, listensToAll: false)
            func cycle(_ number: Int) async throws {
                let start = Task.immediate { try await other.dictation.start(options: [:]) }
                // Round trips of a fraction of a millisecond each, so that Stop meets every stage of opening the
                // stream.
                for _ in 0..<number % 40 { _ = try await other.dictation.getSession() }
                let stop = Task.immediate { try await other.dictation.stop() }
                _ = try await (start.value, stop.value)
            }
            for number in 0..<40 { try await cycle(number) }
            try await dictating.hears(500, from: microphone, on: rig)
            let before = try await rig.usageAtRest()
            for number in 0..<cycles { try await cycle(number) }
            try await dictating.hears(900, from: microphone, on: rig)
            try await rig.expectAsBefore(before)
            print("\(cycles) starts and stops: \(before) … \(try rig.usage())")
        }
    }

    /// Only the last of the calls matters to the microphone. Once there were hundreds of streams on their way out, two descriptors
    /// of each were lost.
    @Test func pipelinedStartsAndStopsBesideADictationLeakNoDescriptors() async throws {
        let cycles = max(Self.soak ?? 0, 4000)
        try await withRig(tones + "decoder-limit: 1\ndecoder-linger: 3600\n") { rig in
            let microphone = try await rig.plugIn()
            let dictating = try await TestClient.listening(on: rig)
            let other = try await TestClient(on: rig, listensToAll: false)
            func churn(_ count: Int) async throws {
                var replies: [Task<Void, any Error>] = []
                for number in 0..<count {
                    let start = Task.immediate { _ = try await other.dictation.start(options: [:]) }
                    let stop = Task.immediate { try await other.dictation.stop() }
                    replies += [start, stop]
                    if number >= 50 { for _ in 0..<2 { try await replies.removeFirst().value } }
                }
                for reply in replies { try await reply.value }
            }
            try await churn(100)
            try await dictating.hears(500, from: microphone, on: rig)
            let before = try await rig.usageAtRest()
            try await churn(cycles)
            try await dictating.hears(900, from: microphone, on: rig)
            try await rig.expectAsBefore(before)
            print("\(cycles) pipelined starts and stops: \(before) … \(try rig.usage())")
        }
    }
}

/// Expects that memory grows by at most this between two measurements. Memory changes in steps, up and down; a leak shows in
/// the smallest step and in the total.
func expectGrowth(of usage: [Usage], atMost kibibytes: Double) {
    guard !isSanitized else { return }
    let growth = zip(usage, usage.dropFirst()).map { $1.kibibytes - $0.kibibytes }
    #expect(growth.contains { Double($0) <= kibibytes }, "\(usage)")
    // Over a long time the steps cancel out.
    let whole = growth.reduce(0, +)
    #expect(Double(whole) <= max(1024, kibibytes * Double(growth.count)), "\(usage)")
}
