public import DictationCore

/// A machine, its surroundings, and the checker of its promises.
public struct Simulation: Hashable, Sendable {
    private var subject: Subject
    private var world = SimulatedWorld()
    private var checker: Checker
    private var playbackChecker = PlaybackChecker()
    private var activity = DictationActivity()
    private var now: Duration = .zero
    /// How long the computer has slept.
    private var slept: Duration = .zero
    /// The machine's events so far.
    public private(set) var eventCount = 0

    /// - Parameters:
    ///   - knowsSeat: whether logind answers before anything else happens.
    ///   - isActive: whether the user has the seat then.
    public init(
        settings: Settings, mutation: Mutation? = nil, knowsSeat: Bool = true, isActive: Bool = true
    ) throws(Violation) {
        subject = Subject(settings: settings, mutation: mutation)
        checker = Checker(settings: settings)
        for identity in Clients.identities { try deliver(.permission(identity, .granted)) }
        try deliver(.permission(Clients.watcher.identity, .granted))
        try deliver(.audio(world.audio))
        if knowsSeat { try perform(.seat(active: isActive)) }
        try deliver(world.call(.subscribe(text: true), from: Clients.watcher))
        try notifyPlayers()
    }

    /// The time since the beginning, with sleep.
    var elapsed: Duration { now + slept }
    /// The length of the machine's whole state, written out.
    var stateLength: Int { subject.stateLength }

    /// Whether a stream is open.
    var isCapturing: Bool { checker.capture != nil }

    public mutating func perform(_ step: Step) throws(Violation) {
        switch step {
        case .wait(let duration): try wait(duration)
        case .sleep(false) where world.seat?.isAsleep == true:
            slept += .seconds(600)
            for event in world.events(for: step) { try deliver(event) }
        case .player(let index, let step):
            if world.change(index, step) { try notifyPlayers() }
        default:
            for event in world.events(for: step) { try deliver(event) }
        }
    }

    /// Advances time and calls the machine at its deadlines.
    private mutating func wait(_ duration: Duration) throws(Violation) {
        let end = now + duration
        while let deadline = subject.nextDeadline, deadline <= end {
            now = deadline
            try deliver(.tick)
        }
        now = end
    }

    private mutating func deliver(_ event: Event) throws(Violation) {
        try hand(event)
        while !world.deliveries.isEmpty { try hand(world.deliveries.removeFirst()) }
    }

    private mutating func hand(_ event: Event) throws(Violation) {
        eventCount += 1
        let moment = Moment(awake: now, elapsed: now + slept)
        checker.expect(event, at: moment)
        let effects = subject.handle(event, at: moment)
        for effect in effects { world.carryOut(effect) }
        try checker.check(effects, of: event, at: now, subject)
        checker.endEvent()
        guard subject.activity != activity else { return }
        activity = subject.activity
        playbackChecker.expect(activity)
        try carryOut(subject.handle(.dictation(activity), at: now))
    }

    private mutating func notifyPlayers() throws(Violation) {
        playbackChecker.expect(world.players, at: now)
        try carryOut(subject.handle(.players(world.players), at: now))
    }

    private mutating func carryOut(_ effects: [PlaybackMachine.Effect]) throws(Violation) {
        for effect in effects {
            try playbackChecker.check(effect, at: now)
            world.carryOut(effect)
        }
        // The first player obeys at once, the other by a step.
        if world.asked[Players.name(0)] != nil, world.change(0, .obeys) { try notifyPlayers() }
    }

    /// Calms the world, lets everything finish, and checks the final state.
    public mutating func settle() throws(Violation) {
        try calmDown()
        let timeout = now + .seconds(30)
        while let unsettledReason = checker.unsettledReason {
            if let step = world.workLeft {
                try perform(step)
            } else if let deadline = subject.nextDeadline, deadline <= timeout {
                now = deadline
                try deliver(.tick)
            } else {
                throw Violation(.calm, unsettledReason)
            }
        }
        // A player that paused late is told to play.
        for _ in 1...2 {
            for index in 0..<Players.count { try perform(.player(index, .obeys)) }
        }
        try playbackChecker.checkCalm()
    }

    private mutating func calmDown() throws(Violation) {
        while !world.lateCaptures.isEmpty { try perform(.lateCapture(fails: false)) }
        if world.isCongested { try perform(.congestion(false)) }
        for index in world.revoked.sorted() { try perform(.permission(client: index, .granted)) }
        if world.audio != SimulatedWorld.calmAudio {
            world.audio = SimulatedWorld.calmAudio
            try deliver(.audio(world.audio))
        }
        if world.seat != .present {
            world.seat = .present
            try deliver(.seat(.present))
        }
    }
}

extension SimulatedWorld {
    /// An event that an adapter would send now by itself.
    fileprivate var workLeft: Step? {
        if capture != nil, !isFlowing { return .capture(.flow) }
        for index in sessions.indices {
            guard let recogniser = session(index).flatMap({ recognisers[$0] }) else { continue }
            if !recogniser.isReady { return .recogniser(session: index, .ready) }
            if !recogniser.owed.isEmpty { return .recogniser(session: index, .blockEnd) }
        }
        return nil
    }
}
