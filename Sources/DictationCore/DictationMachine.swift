/// One user's dictation: every session of a world, and what is to be done about whatever happens.
///
/// The machine is level-triggered. An event changes what a session wants or what the world is; then, whatever the
/// event was, reconciling compares what should be with what is and asks for the difference. So a
/// notification that never came, or came twice, cannot leave anything stuck. Time is in the arguments, and
/// ``nextDeadline`` says when to come back with ``Event/tick``.
///
/// What an event can have changed is its ``Scope``: everything is reconciled after an event of the world, one session
/// after an event of its recogniser, and nothing after samples were counted. So the cost of frequent events does not
/// grow with the number of sessions.
public struct DictationMachine: Hashable, Sendable {
    public let settings: Settings
    public internal(set) var world: World
    /// In the order of their Start.
    var sessions: [Session] = []
    var subscriptions: [Subscription] = []
    /// Connections that had a session of their own, and so do not act on a lingering one.
    var pastOwners: Set<ClientName> = []
    var isCongested = false
    var isShuttingDown = false
    var holdsInhibitor = true
    private var lastStamp: UInt64 = 0
    private var lastCapture: UInt64 = 0
    private var effects: [Effect] = []
    /// How long the computer has slept: ``Moment/elapsed`` minus ``Moment/awake``.
    var slept: Duration = .zero

    // What follows from the rest, renewed when that changes.

    /// When something is due, on the clock of ``Moment/awake``; nil while nothing is. The caller comes back then with
    /// ``Event/tick``.
    public private(set) var nextDeadline: Duration?
    /// What the properties of the bus object show.
    public private(set) var properties = WorldProperties.idle
    /// What ``PlaybackMachine`` goes by.
    public private(set) var activity = DictationActivity()
    /// Whether another program's call is going on.
    private(set) var isInCall = false
    /// Who has the microphone; see ``findMicrophoneHolder()``.
    private var holder: SessionID?
    /// When something of each session is due, by position; `never` where nothing is.
    private var dueTimes: [Duration] = []
    /// Where each session stood when everything was reconciled last.
    private var positions: [SessionID: Int] = [:]

    private static let never = Duration.seconds(Int64.max)

    struct Subscription: Hashable, Sendable {
        var client: Client
        var text: Bool
    }

    public init(world: World = World(), settings: Settings = Settings()) {
        self.world = world
        self.settings = settings
    }

    /// What has to be compared with what should be.
    enum Scope: Hashable, Sendable {
        case nothing
        /// This session alone. Whether it may listen is as before.
        case session(SessionID)
        case everything
    }

    /// Takes one event. The effects are to be carried out in order, before the next event.
    public mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
        let now = moment.awake
        slept = moment.elapsed - now
        let scope = take(event, at: now)
        if scope == .everything {
            reconcileEverything(at: now)
        } else if let due = sessionsWithTextDue(at: now) {
            for id in due { reconcile(id, at: now) }
            if case .session(let id) = scope { reconcile(id, at: now) }
        } else {
            reconcileEverything(at: now)
        }
        defer { effects = [] }
        return effects
    }

    /// The sessions of which text is due that was held back; nil where something else is due.
    private func sessionsWithTextDue(at now: Duration) -> [SessionID]? {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        if let deadline = world.defaultDeadline, deadline <= now { return nil }
        var due: [SessionID] = []
        for index in dueTimes.indices where dueTimes[index] <= now {
            guard sessions.indices.contains(index) else { return nil }
            let deadlines = deadlines(of: sessions[index], holder: holder)
            guard deadlines.allSatisfy({ $0.what == .partial || $0.when > now }) else { return nil }
            due.append(sessions[index].id)
        }
        return due
    }

    private mutating func take(_ event: Event, at now: Duration) -> Scope {
        switch event {
        case .call(let call, let client, let request): handle(request, call, from: client, at: now)
        case .clientVanished(let client): forget(client)
        case .readerStopped(let client): stopTelling(client)
        case .audio(let facts):
            update(facts, at: now)
            isInCall = settings.callRules.callInProgress(in: facts)
        case .seat(let facts): world.seat = facts
        case .permission(let identity, let permission): update(permission, of: identity)
        case .allowedOnce(let client, let resources): allowOnce(resources, client)
        case .capture(let id, let event):
            handle(event, of: id, at: now)
            if case .dropped = event { return .nothing }
        case .captured(let id, let frames): return count(frames, of: id)
        case .recognition(let id, let event):
            let wasEnding = isEnding(id)
            handle(event, of: id, at: now)
            // Where dictation was ended by voice, another session may listen now.
            return isEnding(id) == wasEnding ? event.scope(of: id) : .everything
        case .inputEnded(let id): endInput(of: id)
        case .inputFailed(let id, let refusal): failInput(of: id, refusal)
        case .level(let id, let rms, let peak):
            tellLevel(of: id, rms: rms, peak: peak)
            return .nothing
        case .congestion(let isCongested): self.isCongested = isCongested
        case .routesRestored(let choices): world.restore(choices)
        case .tick: return .nothing
        case .shutdown: shutDown(at: now)
        }
        return .everything
    }

    private mutating func reconcileEverything(at now: Duration) {
        expire(at: now)
        reconcile(at: now)
        noteDeadlines()
        // An interruption that may not end by itself is over as soon as it has begun, and its microphone is
        // another's.
        if let due = nextDeadline, due <= now {
            expire(at: now)
            reconcile(at: now)
            noteDeadlines()
        }
        properties = currentProperties
        activity = currentActivity
    }

    private mutating func reconcile(_ id: SessionID, at now: Duration) {
        guard let index = index(of: id), index < dueTimes.count else { return }
        if reconcile(index, at: now) { return reconcileEverything(at: now) }
        let due = deadlines(of: sessions[index], holder: holder).map(\.when).min() ?? Self.never
        if due <= now { return reconcileEverything(at: now) }
        guard due != dueTimes[index] else { return }
        dueTimes[index] = due
        noteNextDeadline()
    }

    private mutating func noteDeadlines() {
        holder = findMicrophoneHolder()
        positions = Dictionary(
            sessions.indices.map { (sessions[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
        dueTimes = sessions.map { deadlines(of: $0, holder: holder).map(\.when).min() ?? Self.never }
        noteNextDeadline()
    }

    private mutating func noteNextDeadline() {
        let ofWorld =
            sessions.contains { $0.wantsToListen && $0.usesMicrophone } ? world.defaultDeadline : nil
        let next = min(dueTimes.min() ?? Self.never, ofWorld ?? Self.never)
        nextDeadline = next == Self.never ? nil : next
    }

    private func isEnding(_ id: SessionID) -> Bool {
        index(of: id).map { sessions[$0].ending != nil } ?? true
    }

    /// The position of a session.
    func index(of id: SessionID) -> Int? {
        if let position = positions[id], sessions.indices.contains(position), sessions[position].id == id {
            return position
        }
        return sessions.firstIndex { $0.id == id }
    }

    private var currentProperties: WorldProperties {
        let inUse = sessions.first { $0.usesMicrophone && $0.stream.id != nil }
        let foremost =
            inUse
            ?? sessions.filter { $0.usesMicrophone && $0.ending == nil }
            .max { ($0.wantsToListen ? 1 : 0, $0.wantedSince) < ($1.wantsToListen ? 1 : 0, $1.wantedSince) }
        return WorldProperties(
            state: foremost?.state ?? .idle, isInUse: inUse != nil,
            route: inUse?.sourceInUse.map { world.route($0, isInUse: true) })
    }

    private var currentActivity: DictationActivity {
        let sessions = sessions.filter { $0.usesMicrophone && $0.options.pausesPlayback }
        return DictationActivity(
            isListening: sessions.contains { $0.stream.isFlowing },
            wantsToListen: sessions.contains { $0.wantsToListen },
            keepsQuiet: isInCall || world.isAsleep || world.isLocked)
    }

    /// No session, nobody subscribed, nobody was allowed something once: nothing would be lost if the service ended.
    public var isIdle: Bool { sessions.isEmpty && subscriptions.isEmpty && world.allowedOnce.isEmpty }

    /// Connections that called Subscribe, in the order of their last call.
    public var subscribers: [ClientName] { subscriptions.map(\.client.name) }

    public var hasSessions: Bool { !sessions.isEmpty }

    public var sessionCount: Int { sessions.count }

    public func hasSession(_ id: SessionID) -> Bool { index(of: id) != nil }

    public func session(ownedBy client: ClientName) -> SessionID? {
        sessions.first { $0.owner == client }?.id
    }

    /// The one that was started last.
    public var latestSession: SessionID? { sessions.last?.id }

    /// Whether levels of this session are told to anybody.
    public func tellsLevels(of id: SessionID) -> Bool {
        index(of: id).map { sessions[$0].options.sendsLevels } ?? false
    }

    mutating func emit(_ effect: Effect) { effects.append(effect) }

    mutating func refuse(_ call: CallID, _ kind: Refusal.Kind, _ message: String) {
        emit(.refuse(call, Refusal(kind, message)))
    }

    mutating func nextStamp() -> UInt64 {
        lastStamp += 1
        return lastStamp
    }

    mutating func nextCapture() -> CaptureID {
        lastCapture += 1
        return CaptureID(rawValue: lastCapture)
    }
}

/// See ``DictationMachine/properties``.
public struct WorldProperties: Hashable, Sendable {
    public var state: SessionState
    public var isInUse: Bool
    public var route: Route?

    public static let idle = WorldProperties(state: .idle, isInUse: false, route: nil)
}

extension RecognitionEvent {
    /// What this can change of the session of this id.
    fileprivate func scope(of id: SessionID) -> DictationMachine.Scope {
        switch self {
        // Whether the session may listen depends on its engine.
        case .ready, .engineLost: .everything
        default: .session(id)
        }
    }
}
