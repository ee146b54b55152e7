import DictationCore
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop

/// All captures of the default microphone while it changes.
struct Witnesses {
    /// The daemon's session does not expose its samples, so the same adapter captures here as well.
    let own: OwnCapture
    let recorder: Recorder
    private let scene: Scene

    init(in scene: Scene) async throws {
        self.scene = scene
        try await scene.client.start()
        own = await scene.graph.capture(name: "witness")
        recorder = try Recorder(on: scene.rig, times: EventLoopActor.loop)
    }

    /// Waits until all capture this one.
    func hear(_ sign: FloatingPointSign) async throws {
        let now = Instant.now
        for chunks in [own.chunks, recorder.chunks] {
            _ = try await chunks.time(of: "the \(sign) microphone is heard", since: now) { $0.sign == sign }
        }
        try await scene.capturing()
    }

    func end() async throws {
        await own.close()
        try await recorder.end()
    }
}
