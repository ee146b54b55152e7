import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Glibc
import Testing

/// Where somebody dictates: a session that listens, and a logind that knows its user.
struct Desk {
    let rig: Rig
    let microphone: DriverMicrophone
    let logind: MockLogind
    let client: TestClient

    init(_ rig: Rig) async throws {
        self.rig = rig
        microphone = try await rig.plugIn()
        client = try await TestClient(on: rig)
        logind = try await rig.logind(steeredBy: client)
        _ = try await client.dictation.start(options: [:])
        try await client.state("listening")
    }

    /// Says a tone, which the session understands.
    func say(_ tone: Int) async throws {
        try await rig.say(Speech.tones(tone), into: microphone)
        try await eventually("t\(tone) is understood") {
            if case .string(let text) = try await client.dictation.getSession()["text"] {
                return text.string.contains("t\(tone)")
            }
            return false
        }
    }

    /// Says a tone to somebody else, who records while the session does not listen.
    func sayToAnother(_ tone: Int) async throws {
        let recorder = try rig.audio.record(["node.name": "recorder"])
        try await rig.say(Speech.tones(tone), into: microphone)
        recorder.kill()
        try await eventually("the microphone rests") {
            try await rig.audio.graph().nodes.allSatisfy { node in
                node.name != "recorder" && (node.name != "microphone" || node.state != "running")
            }
        }
    }

    /// Nothing happens at present: whoever asks is told whether the microphone is open, and that it is as it should.
    func expectMicrophone(isOpen: Bool) async throws {
        try await rig.expectMicrophone(isOpen: isOpen, according: client)
    }
}

extension Rig {
    /// A logind that knows the user of the tests by the session `c1`, which is unlocked and on the screen.
    func logind(steeredBy client: TestClient) async throws -> MockLogind {
        let logind = try await MockLogind(on: bus.address, by: client.connection)
        try await logind.addSession("c1", of: getuid())
        try await logind.elect("c1", for: getuid())
        return logind
    }

    /// The stream in the graph, and what the service says of it, at a moment at which nothing happens.
    func expectMicrophone(isOpen: Bool, according client: TestClient) async throws {
        #expect(try await isCapturing() == isOpen)
        #expect(try await client.isMicrophoneInUse() == isOpen)
    }
}
