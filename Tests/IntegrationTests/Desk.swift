import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Glibc
import Testing

/// A user's desk: a session that listens, and a logind with this user.
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

    /// Plays a tone, which the session recognises.
    func say(_ tone: Int) async throws {
        try await rig.say(Speech.tones(tone), into: microphone)
        try await eventually("t\(tone) is understood") {
            if case .string(let text) = try await client.dictation.getSession()["text"] {
                return text.string.contains("t\(tone)")
            }
            return false
        }
    }

    /// Plays a tone for another recorder, while the session does not listen.
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

    /// Nothing is changing: the property says whether the microphone is open, and the graph agrees.
    func expectMicrophone(isOpen: Bool) async throws {
        try await rig.expectMicrophone(isOpen: isOpen, according: client)
    }
}

extension Rig {
    /// A logind with the user's session `c1`, which is unlocked and active.
    func logind(steeredBy client: TestClient) async throws -> MockLogind {
        let logind = try await MockLogind(on: bus.address, by: client.connection)
        try await logind.addSession("c1", of: getuid())
        try await logind.elect("c1", for: getuid())
        return logind
    }

    /// The stream in the graph, and the service's property, while nothing is changing.
    func expectMicrophone(isOpen: Bool, according client: TestClient) async throws {
        // The service closes the stream first, and the server removes it then.
        if !isOpen { try await eventually("the stream is gone") { try await !isCapturing() } }
        #expect(try await isCapturing() == isOpen)
        #expect(try await client.isMicrophoneInUse() == isOpen)
    }
}
