import DictationCore
import Glibc
import Testing

/// Frequent events change only what they must. `packaging/bench events` measures their cost.
@Suite struct EventCostTests {
    @Test func countingSoundChangesNothingElse() {
        var scenario = Scenario()
        let session = scenario.listen()
        let deadline = scenario.machine.nextDeadline
        scenario.handle(.captured(session, frames: 320))
        #expect(scenario.effects.isEmpty)
        #expect(scenario.machine.nextDeadline == deadline)
        #expect(scenario.state(of: .editor)?.duration == 0.12)
    }

    /// Looking at all sessions would take thirty times as long. The benchmark has the exact limit.
    @Test(arguments: [true, false])
    func soundAndLevelsCostTheSameWithManySessions(isSound: Bool) {
        let costs = [1, 32].map { sessions in
            var (machine, id) = Self.machine(sessions: sessions)
            let event =
                isSound ? Event.captured(id, frames: 320) : .level(id, SoundLevel(rms: -40, peak: -20))
            return (0..<5).map { _ in
                let start = Self.processorTime()
                for _ in 0..<100 { _ = machine.handle(event, at: Self.start) }
                return Self.processorTime() - start
            }.min() ?? 0
        }
        #expect(costs[1] < 3 * costs[0], "nanoseconds: \(costs)")
    }

    private static let start = Moment(awake: .zero, elapsed: .zero)

    /// Of this thread, in nanoseconds.
    private static func processorTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Sessions of one user, of which the last one has the microphone.
    private static func machine(sessions: Int) -> (DictationMachine, SessionID) {
        let identity = Identity(uid: 1000, kind: .executable, id: "/usr/bin/editor")
        var settings = Settings()
        settings.sessionLimit = sessions
        var machine = DictationMachine(
            world: World(seat: .present, permissions: [identity: .granted]), settings: settings)
        let source = Source(name: NodeName("microphone"))
        _ = machine.handle(
            .audio(
                AudioFacts(
                    isServerAvailable: true, sources: [source.name: source], defaultSource: source.name)),
            at: start)
        for number in UInt64(1)...UInt64(sessions) {
            let client = Client(name: ClientName(":1.\(number)"), identity: identity)
            let options = StartOptions(
                transcription: TranscriptionRequest(engine: "scripted", language: "en-US"))
            _ = machine.handle(
                .call(CallID(rawValue: number), from: client, .start(SessionID(rawValue: number), options)),
                at: start)
        }
        return (machine, SessionID(rawValue: UInt64(sessions)))
    }
}
