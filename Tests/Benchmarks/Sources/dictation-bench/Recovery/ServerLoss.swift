import DictationCore
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop

/// The audio server is killed and restarted. `pw-record` ends with it and is started again when the server answers.
enum ServerLoss {
    static func measure(cycles: Int) async throws -> (told: Figure, back: Figure) {
        try await Scene.run { scene in
            var microphone = try await scene.plugIn("microphone")
            defer { microphone.unplug() }
            try await scene.client.start()
            var told: [Double] = []
            var ours: [Double] = []
            var theirs: [Double] = []
            for _ in 0..<cycles {
                try await scene.capturing()
                try await Recovery.loseStep()
                let killed = Instant.now
                try await scene.rig.audio.kill()
                told.append(
                    (try await scene.client.interrupted(by: "audio-server-lost", since: killed) - killed)
                        .milliseconds)
                microphone.unplug()
                try await scene.graph.settle("the server is gone") { !$0.isServerAvailable }
                // The time that a service manager takes to restart it.
                try await Task.sleep(for: .milliseconds(Int.random(in: 0..<400)))

                let started = Instant.now
                async let server: Void = scene.rig.audio.startServer()
                let back = try await scene.graph.facts.time(
                    of: "the server answers", since: started, where: \.isServerAvailable)
                let recorder = try Recorder(on: scene.rig, times: EventLoopActor.loop)
                microphone = try DriverMicrophone("microphone", of: scene.rig.audio, pace: .realTime)
                try await server
                // The session manager links at any time of the microphone's cycle.
                try await Recovery.loseStep()
                try scene.rig.audio.launchSessionManager()
                ours.append((try await scene.client.resumed(since: back) - back).milliseconds)
                theirs.append((try await recorder.flows() - back).milliseconds)
                try await recorder.end()
            }
            return (
                Figure("audio-server-lost: killed → signal", told),
                Figure("audio server answers again", ours, besides: theirs)
            )
        }
    }
}
