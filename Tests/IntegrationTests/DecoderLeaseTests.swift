import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Glibc
import Testing

/// Decoders are shared: a session has one while it has something to decode.
@Suite struct DecoderLeaseTests {
    /// A session that reads a pipe.
    private struct Piped {
        let client: TestClient
        let pipe: Descriptor

        init(on rig: Rig) async throws {
            let (reading, writing) = try Descriptor.pipe()
            client = try await TestClient(on: rig)
            pipe = writing
            guard fcntl(writing.rawValue, F_SETFL, O_NONBLOCK) == 0 else {
                throw TestFailure("fcntl: \(errno)")
            }
            _ = try await client.dictation.start(options: ["input": .descriptor(reading)])
        }

        func write(_ samples: [Int16]) async throws {
            var rest = samples.withUnsafeBytes { Array($0) }[...]
            try await eventually("the session reads its pipe") {
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { Glibc.write(pipe.rawValue, $0.baseAddress, $0.count) }
                    if count < 0, errno == EAGAIN { return false }
                    guard count > 0 else { throw TestFailure("The pipe takes nothing: \(errno)") }
                    rest = rest.dropFirst(count)
                }
                return true
            }
        }
    }

    @Test(arguments: [5, 20]) func moreSessionsThanDecodersAllGetTheirText(count: Int) async throws {
        try await withRig(tones + "decoder-limit: 4\n") { rig in
            var sessions: [Piped] = []
            for _ in 0..<count { sessions.append(try await Piped(on: rig)) }
            for session in sessions { try await session.write(Speech.tones(500) + Speech.silence(1)) }
            for session in sessions { try await session.write(Speech.tones(600, 700)) }
            let clients = sessions.map(\.client)
            sessions = []
            for client in clients {
                #expect(try await client.final(1) == "t500 t600 t700")
                #expect(client.story.isEmpty)
            }
        }
    }

    /// Four pipes that stop in the middle of a word.
    @Test func pipesThatStopInAWordDelayNobody() async throws {
        try await withRig(tones + "decoder-limit: 4\n") { rig in
            let microphone = try await rig.plugIn()
            var stopped: [Piped] = []
            for _ in 0..<4 { stopped.append(try await Piped(on: rig)) }
            for session in stopped {
                try await session.write(Speech.silence(0.5) + Speech.tone(800, seconds: 0.5))
                try await session.client.signal("live text") { _ in
                    session.client.text(of: 1) == "t800" ? true : nil
                }
            }
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: microphone, on: rig)
            #expect(try await client.dictation.commit(timeout: .seconds(20)).text == "t500")
            for session in stopped {
                try await session.write(
                    Speech.tone(800, seconds: 0.2) + Speech.tones(600) + Speech.silence(1))
            }
            let clients = stopped.map(\.client)
            stopped = []
            for client in clients { #expect(try await client.final(1) == "t800 t600") }
        }
    }

    @Test func idlePipesHoldNoDecoder() async throws {
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
