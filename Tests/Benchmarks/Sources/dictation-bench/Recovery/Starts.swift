import DictationCore
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop

/// From the start to the first sound: of a session, and of `pw-record` as a process.
enum Starts {
    static func measure(cycles: Int) async throws -> Figure {
        try await Scene.run { scene in
            let microphone = try await scene.plugIn("microphone")
            defer { microphone.unplug() }
            var ours: [Double] = []
            var theirs: [Double] = []
            for _ in 0..<cycles {
                try await Recovery.loseStep()
                let called = Instant.now
                ours.append((try await scene.client.start() - called).milliseconds)
                try await scene.capturing()
                let stopped = Instant.now
                try await scene.client.dictation.stop()
                _ = try await scene.graph.gone(since: stopped)

                try await Recovery.loseStep()
                let recorder = try Recorder(on: scene.rig, times: EventLoopActor.loop)
                theirs.append((try await recorder.flows() - recorder.started).milliseconds)
                try await recorder.end()
            }
            return Figure("Start", ours, besides: theirs)
        }
    }
}
