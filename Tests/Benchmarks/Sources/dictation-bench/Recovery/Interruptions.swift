import DBus
import DictationCore
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Glibc

/// Every reason that can be caused here, begun and ended repeatedly.
///
/// `engine-lost` closes no microphone.
enum Interruptions {
    /// This program's own capture counts as a call; a muted microphone interrupts.
    private static let configuration = """
        interrupting: [call, session-locked, session-inactive, source-muted]
        calls:
          applications: [dictation-bench]

        """

    static func measure(cycles: Int, slowCycles: Int) async throws -> [(begin: Figure, end: Figure)] {
        try await Scene.run(configuration) { scene in
            let microphone = try await scene.plugIn("microphone")
            let logind = try await MockLogind(on: scene.rig.bus.address, by: scene.client.connection)
            try await logind.addSession("c1", of: getuid())
            try await logind.elect("c1", for: getuid())
            try await eventually("sleep is delayed") { try await !logind.inhibitors().isEmpty }
            try await scene.client.start()
            let other = try await Client(on: scene.rig)
            var figures: [(begin: Figure, end: Figure)] = []
            for interruption in [
                call(scene), lock(logind), sleep(logind), leave(logind), revoke(scene.client), preempt(other),
                pause(scene),
            ] {
                Recovery.tell(interruption.name)
                figures.append(try await interruption.measure(cycles: cycles, in: scene))
            }
            await other.close()
            Recovery.tell("source-muted")
            figures.append(try await mute(scene).measure(cycles: slowCycles, in: scene))
            microphone.unplug()
            return figures
        }
    }

    private static func call(_ scene: Scene) -> Interruption {
        let call = Lock<OwnCapture?>(nil)
        return Interruption("call") {
            let begun = Instant.now
            let capture = await scene.graph.capture(name: "call")
            call.withLock { $0 = capture }
            return begun
        } end: {
            let ended = Instant.now
            await call.withLock { $0.take() }?.close()
            return ended
        }
    }

    private static func lock(_ logind: MockLogind) -> Interruption {
        Interruption("session-locked", asked: { try await logind.setLockedHint(true, "c1") }) {
            try await logind.setLockedHint(false, "c1")
        }
    }

    private static func sleep(_ logind: MockLogind) -> Interruption {
        Interruption("suspend", asked: { try await logind.prepareForSleep(true) }) {
            try await logind.prepareForSleep(false)
        }
    }

    private static func leave(_ logind: MockLogind) -> Interruption {
        Interruption("session-inactive", asked: { try await logind.setActive(false, "c1") }) {
            try await logind.setActive(true, "c1")
        }
    }

    /// Includes storing the decision.
    private static func revoke(_ client: Client) -> Interruption {
        Interruption("permission-lost", asked: { try await client.set(.microphone, .denied) }) {
            try await client.set(.microphone, .granted)
        }
    }

    private static func preempt(_ other: Client) -> Interruption {
        Interruption("preempted", asked: { try await other.start() }) { try await other.dictation.stop() }
    }

    /// Not an interruption, but the same work.
    private static func pause(_ scene: Scene) -> Interruption {
        Interruption(
            "pause, for comparison", endsBy: .listening, asked: { try await scene.client.dictation.pause() }
        ) {
            try await scene.client.dictation.resume()
        }
    }

    /// From when another client of the audio server is notified: the program that mutes takes longer to start than all
    /// measured times.
    private static func mute(_ scene: Scene) -> Interruption {
        @Sendable func mute(_ isMuted: Bool) async throws -> Instant {
            let asked = Instant.now
            try await scene.rig.audio.mute("microphone", isMuted)
            return try await scene.graph.facts.time(of: "the mute is told", since: asked) { facts in
                facts.sources.values.contains { $0.isMuted == isMuted }
            }
        }
        return Interruption("source-muted", begin: { try await mute(true) }, end: { try await mute(false) })
    }
}

/// Causes and ends an interruption, and returns the times.
struct Interruption {
    /// The signal after which sound flows again.
    enum End { case resumed, listening }

    let name: String
    private let endsBy: End
    private let begin: @Sendable () async throws -> Instant
    private let end: @Sendable () async throws -> Instant

    init(
        _ name: String, endsBy: End = .resumed, begin: @escaping @Sendable () async throws -> Instant,
        end: @escaping @Sendable () async throws -> Instant
    ) {
        self.name = name
        self.endsBy = endsBy
        self.begin = begin
        self.end = end
    }

    /// Caused by a call.
    init(
        _ name: String, endsBy: End = .resumed, asked begin: @escaping @Sendable () async throws -> Void,
        end: @escaping @Sendable () async throws -> Void
    ) {
        self.init(name, endsBy: endsBy) {
            let begun = Instant.now
            try await begin()
            return begun
        } end: {
            let ended = Instant.now
            try await end()
            return ended
        }
    }

    func measure(cycles: Int, in scene: Scene) async throws -> (begin: Figure, end: Figure) {
        var gone: [Double] = []
        var back: [Double] = []
        for _ in 0..<cycles {
            try await scene.capturing()
            try await Recovery.loseStep()
            let begun = try await begin()
            gone.append((try await scene.graph.gone(since: begun) - begun).milliseconds)
            if endsBy == .resumed { _ = try await scene.client.interrupted(by: name, since: begun) }
            let ended = try await end()
            let flowing =
                switch endsBy {
                case .resumed: try await scene.client.resumed(since: ended)
                case .listening: try await scene.client.listening(since: ended)
                }
            back.append((flowing - ended).milliseconds)
        }
        return (Figure("\(name): begins", gone), Figure("\(name): ends", back))
    }
}
