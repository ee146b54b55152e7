import ArgumentParser
import DictationCore

/// The machine's cost of an event, by the number of sessions.
struct Events: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The cost of an event with 1, 32 and 256 sessions.")

    @Option(help: "Events of each kind and number.")
    var count = 20_000

    func validate() throws {
        guard count > 0 else { throw ValidationError("One at least.") }
    }

    private static let sizes = [1, 32, 256]

    func run() async throws {
        var bar = Bar("An event's cost, by the number of sessions")
        let kinds: [(String, (SessionID, Int) -> Event)] = [
            ("20 ms of sound", { id, _ in .captured(id, frames: 320) }),
            ("a hypothesis", { id, number in .recognition(id, .hypothesis(1, "word \(number % 10)")) }),
            ("a level", { id, _ in .level(id, SoundLevel(rms: -40, peak: -20)) }),
        ]
        let machines = Self.sizes.map { Self.machine(sessions: $0) }
        for (what, event) in kinds {
            let costs = machines.map { cost(of: event, in: $0.0, session: $0.1) }
            for (size, cost) in zip(Self.sizes, costs).dropFirst() {
                bar.add(
                    "\(what), \(size) sessions", reference: costs[0].written(0, "ns"), cost,
                    atMost: 1.5 * costs[0], unit: "ns", decimals: 0)
            }
        }
        bar.print()
    }

    /// Nanoseconds: the minimum of ten rounds, because the machine is shared.
    private func cost(
        of event: (SessionID, Int) -> Event, in machine: DictationMachine, session last: SessionID
    ) -> Double {
        var machine = machine
        var least = Double.infinity
        for round in 0..<10 {
            let start = SuspendingClock.now
            for number in 0..<count / 10 {
                let now = Duration.milliseconds(20 * (round * count / 10 + number))
                _ = machine.handle(event(last, number), at: Moment(awake: now, elapsed: now))
            }
            let nanoseconds = start.duration(to: .now) / .nanoseconds(1)
            least = min(least, nanoseconds / Double(max(1, count / 10)))
        }
        return least
    }

    /// Sessions of one user, of which the last one listens.
    private static func machine(sessions: Int) -> (DictationMachine, SessionID) {
        let identity = Identity(uid: 1000, kind: .executable, id: "/usr/bin/editor")
        var settings = Settings()
        settings.sessionLimit = sessions
        var machine = DictationMachine(
            world: World(seat: .present, permissions: [identity: .granted]), settings: settings)
        let zero = Moment(awake: .zero, elapsed: .zero)
        let source = Source(name: NodeName("microphone"))
        _ = machine.handle(
            .audio(
                AudioFacts(
                    isServerAvailable: true, sources: [source.name: source], defaultSource: source.name)),
            at: zero)
        for number in 1...sessions {
            let client = DictationCore.Client(name: ClientName(":1.\(number)"), identity: identity)
            let options = StartOptions(
                transcription: TranscriptionRequest(engine: "bench", language: "en-US"))
            let id = SessionID(rawValue: UInt64(number))
            let effects = machine.handle(
                .call(CallID(rawValue: UInt64(number)), from: client, .start(id, options)), at: zero)
            _ = machine.handle(.recognition(id, .ready), at: zero)
            for case .openCapture(let capture, _, _) in effects {
                _ = machine.handle(.capture(capture, .linked(source.name)), at: zero)
                _ = machine.handle(.capture(capture, .flowing), at: zero)
            }
        }
        return (machine, SessionID(rawValue: UInt64(sessions)))
    }
}
