import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// Every emitted frame is captured or reported as lost, although the real daemon is stopped for a while.
@Suite struct DropoutTests {
    @Test func reportsAudioThatAStoppedDaemonMissed() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn(pace: .realTime)
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            let before = try await rest(microphone, client)
            let emitted = microphone.emitted
            microphone.hang(false)
            try await eventually("it is heard") { try await account(client) > before + 3_200 }
            // Longer than the stream's buffers, shorter than the timeout for a stall.
            let worker = try rig.workerPid()
            try stopProcess(worker)
            microphone.resumeProcess(worker, afterFrames: 16_000)
            try await eventually("it is heard again") { try await account(client) > before + 19_200 }
            let after = try await rest(microphone, client)
            #expect(after - before == microphone.emitted - emitted)
            #expect(try dropouts(await client.dictation.getSession()) > 12_000)
            #expect(client.story == [], "A stall ends the account.")
        }
    }

    /// The frames captured and reported as lost, from a microphone that hangs from now on, when all have arrived.
    private func rest(_ microphone: DriverMicrophone, _ client: TestClient) async throws -> Int {
        microphone.hang(true)
        var last = 0
        var same = 0
        try await eventually("all has come") {
            // Reads what is buffered.
            _ = try await client.dictation.commit()
            let new = try await account(client)
            same = new == last ? same + 1 : 0
            last = new
            return same >= 5
        }
        return last
    }

    private func account(_ client: TestClient) async throws -> Int {
        let session = try await client.dictation.getSession()
        let duration = try #require(session["duration"].flatMap { Double($0) })
        return Int((duration * 16_000).rounded()) + (try dropouts(session))
    }

    private func dropouts(_ session: [BusText: Value]) throws -> Int {
        Int(try #require(session["dropouts"].flatMap { UInt64($0) }))
    }
}
