/// All dictation sessions of one user. Takes events and returns effects.
///
/// The machine is level-triggered. An event changes what a session wants or a fact of the world. Then the machine
/// compares the desired state with the actual state and returns effects for the difference. A lost or repeated
/// notification therefore leaves nothing stuck. Time is an argument; ``nextDeadline`` is the time of the next
/// ``Event/tick``.
///
/// The machine decides what concerns several sessions: which one has the microphone, limits, subscriptions. What
/// concerns one session is in ``Session``.
///
/// ``Scope`` bounds the work after an event: all sessions after an event of the world, one session after an event of
/// its recogniser, none after counting samples. The cost of frequent events does not depend on the number of sessions.
public struct DictationMachine: Hashable, Sendable {
    var context: SessionContext
    /// In the order of their Start.
    var sessions: [Session] = []
    /// Connections that have started a session. Their calls never act on a lingering session of others.
    var pastOwners: Set<ClientName> = []
    var isShuttingDown = false
    var holdsInhibitor = true
    private var lastStamp: UInt64 = 0
    private var lastCapture: UInt64 = 0
    var effects: [Effect] = []

    // Computed from the rest after each change.

    /// The time of the next timeout on the clock of ``Moment/awake``; nil if there is none. The caller sends
    /// ``Event/tick`` then.
    public private(set) var nextDeadline: Duration?
    /// The values of the D-Bus object's properties.
    public private(set) var properties = ServiceProperties.idle
    /// The input of ``PlaybackMachine``.
    public private(set) var activity = DictationActivity()
    /// The session that has the microphone; see ``findMicrophoneHolder()``.
    private var holder: SessionID?
    /// The next timeout of each session, by position; `never` if there is none.
    private var dueTimes: [Duration] = []
    /// The position of each session when everything was last reconciled.
    private var positions: [SessionID: Int] = [:]

    private static let never = Duration.seconds(Int64.max)

    public init(world: World = World(), settings: Settings = Settings()) {
        context = SessionContext(settings: settings, world: world)
    }

    public var settings: Settings { context.settings }
    /// Whether a connection has started a session. Its calls never act on another's.
    public func hasStarted(_ client: ClientName) -> Bool { pastOwners.contains(client) }
    public var world: World { context.world }

    /// What must be reconciled after an event.
    enum Scope: Hashable, Sendable {
        case nothing
        /// Only this session. The event did not change whether it may listen.
        case session(SessionID)
        case everything
    }

    /// Takes one event. Carry out the effects in order, before the next event.
    public mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
        let now = moment.awake
        context.slept = moment.elapsed - now
        let scope = apply(event, at: now)
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

    /// The sessions whose delayed Partial is due; nil if any other timeout is due.
    private func sessionsWithTextDue(at now: Duration) -> [SessionID]? {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        if let deadline = world.defaultDeadline, deadline <= now { return nil }
        var due: [SessionID] = []
        for index in dueTimes.indices where dueTimes[index] <= now {
            guard sessions.indices.contains(index) else { return nil }
            let deadlines = deadlines(of: sessions[index])
            guard deadlines.allSatisfy({ $0.what == .partial || $0.when > now }) else { return nil }
            due.append(sessions[index].id)
        }
        return due
    }

    private mutating func apply(_ event: Event, at now: Duration) -> Scope {
        switch event {
        case .call(let call, let client, let request): handle(request, call, from: client, at: now)
        case .clientVanished(let client): removeClient(client)
        case .readerStopped(let client): stopSending(client)
        case .audio(let facts): update(facts, at: now)
        case .seat(let facts): context.world.seat = facts
        case .permission(let identity, let permission): update(permission, of: identity)
        case .allowedOnce(let client, let resources): allowOnce(resources, client)
        case .capture(let id, let event):
            handle(event, of: id, at: now)
            if case .dropped = event { return .nothing }
        case .captured(let id, let frames, let measures):
            guard let index = index(of: id) else { return .nothing }
            if sessions[index].judge(measures, context, &effects) {
                _ = sessions[index].count(frames)
                return .everything
            }
            if !sessions[index].count(frames) { return measures.isEmpty ? .nothing : .session(id) }
        case .recognition(let id, let event):
            let wasEnding = isEnding(id)
            if let index = index(of: id) { sessions[index].handle(event, at: now, context, &effects) }
            // Where dictation was ended by voice, another session may listen now.
            return isEnding(id) == wasEnding ? event.scope(of: id) : .everything
        case .inputEnded(let id):
            if let index = index(of: id) { sessions[index].endInput() }
        case .inputFailed(let id, let refusal):
            if let index = index(of: id) { sessions[index].failInput(refusal, context, &effects) }
        case .level(let id, let level):
            if let index = index(of: id) { sessions[index].send(level, context, &effects) }
            return .nothing
        case .filtered(let id, let block, let text):
            guard let index = index(of: id) else { return .nothing }
            sessions[index].filtered(block, text, context, &effects)
            // The session may have ended with its last commit.
            return .everything
        case .recording(let id, let event):
            guard let index = index(of: id) else { return .nothing }
            sessions[index].handle(event, context, &effects)
            return .session(id)
        case .congestion(let isCongested): context.isCongested = isCongested
        case .settings(let settings): change(settings)
        case .routesRestored(let choices): context.world.restore(choices)
        case .restore(let session): restore(session, at: now)
        case .commitRestored(let id):
            if let index = index(of: id) {
                sessions[index].commit(for: nil, at: now, context, &effects)
            }
        case .settled(let id, let options):
            if let index = index(of: id) { sessions[index].settle(options, at: now, &effects) }
        case .notSettled(let id, let refusal):
            if let index = index(of: id) { sessions[index].fail(refusal, context, &effects) }
        case .tick: return .nothing
        case .shutdown: shutDown(at: now)
        }
        return .everything
    }

    private mutating func reconcileEverything(at now: Duration) {
        expire(at: now)
        reconcile(at: now)
        updateDeadlines()
        // With a resume limit of zero, an interruption pauses its session at once, and the microphone goes to another.
        if let due = nextDeadline, due <= now {
            expire(at: now)
            reconcile(at: now)
            updateDeadlines()
        }
        properties = currentProperties
        activity = currentActivity
    }

    private mutating func reconcile(_ id: SessionID, at now: Duration) {
        guard let index = index(of: id), index < dueTimes.count else { return }
        if reconcile(index, at: now) { return reconcileEverything(at: now) }
        let due = dueTime(of: sessions[index])
        if due <= now { return reconcileEverything(at: now) }
        guard due != dueTimes[index] else { return }
        dueTimes[index] = due
        updateNextDeadline()
    }

    private mutating func updateDeadlines() {
        holder = findMicrophoneHolder()
        positions = Dictionary(
            sessions.indices.map { (sessions[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
        dueTimes = sessions.map { dueTime(of: $0) }
        updateNextDeadline()
    }

    private func deadlines(of session: Session) -> [(when: Duration, what: Session.DeadlineKind)] {
        session.deadlines(holdsMicrophone: holder == session.id, context)
    }

    private func dueTime(of session: Session) -> Duration {
        deadlines(of: session).map(\.when).min() ?? Self.never
    }

    private mutating func updateNextDeadline() {
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

    private var currentProperties: ServiceProperties {
        let inUse = sessions.first { $0.usesMicrophone && $0.stream.id != nil }
        let displayed =
            inUse
            ?? sessions.filter { $0.usesMicrophone && $0.ending == nil }
            .max { ($0.wantsToListen ? 1 : 0, $0.wantedSince) < ($1.wantsToListen ? 1 : 0, $1.wantedSince) }
        return ServiceProperties(
            state: displayed?.state ?? .idle, isInUse: inUse != nil,
            route: inUse?.sourceInUse.map { world.route($0, isInUse: true) })
    }

    private var currentActivity: DictationActivity {
        let sessions = sessions.filter { $0.usesMicrophone && $0.options.pausesPlayback }
        return DictationActivity(
            isListening: sessions.contains { $0.stream.isFlowing },
            wantsToListen: sessions.contains { $0.wantsToListen },
            blocksPlayback: context.isInCall || world.isAsleep || world.isLocked)
    }

    /// Whether the service can exit without loss: no session, no subscription, no permission for one connection.
    public var isIdle: Bool { sessions.isEmpty && context.subscriptions.isEmpty && world.allowedOnce.isEmpty }

    /// Connections that called Subscribe, in the order of their last call.
    public var subscribers: [ClientName] { context.subscriptions.map(\.client.name) }

    public var hasSessions: Bool { !sessions.isEmpty }

    public var sessionCount: Int { sessions.count }

    /// Every session and its owner, if it has one.
    public var owners: [SessionID: ClientName?] {
        Dictionary(uniqueKeysWithValues: sessions.map { ($0.id, $0.owner) })
    }

    /// The applications that have sessions.
    public var identities: Set<Identity> { Set(sessions.map(\.identity)) }

    public func hasSession(_ id: SessionID) -> Bool { index(of: id) != nil }

    public func session(ownedBy client: ClientName) -> SessionID? {
        sessions.first { $0.owner == client }?.id
    }

    /// The session that was started last.
    public var latestSession: SessionID? { sessions.last?.id }

    /// Whether the session sends Level signals.
    public func sendsLevels(of id: SessionID) -> Bool {
        index(of: id).map { sessions[$0].options.sendsLevels } ?? false
    }

    /// Whether the sound of the session's blocks is kept for the history.
    public func keepsSound(of id: SessionID) -> Bool {
        index(of: id).map { sessions[$0].options.keepsSound } ?? false
    }

    /// Whether the session's microphone is captured with one of its channels alone.
    public func capturesOneChannel(of id: SessionID) -> Bool {
        index(of: id).map { sessions[$0].channelChoice.usesOne } ?? false
    }

    /// Whether the session's Level signals have a waveform.
    public func sendsWaveform(of id: SessionID) -> Bool {
        index(of: id).map { sessions[$0].options.sendsWaveform } ?? false
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
public struct ServiceProperties: Hashable, Sendable {
    public var state: SessionState
    public var isInUse: Bool
    public var route: Route?

    public static let idle = ServiceProperties(state: .idle, isInUse: false, route: nil)
}

extension RecognitionEvent {
    /// What this event can change.
    fileprivate func scope(of id: SessionID) -> DictationMachine.Scope {
        switch self {
        // Whether the session may listen depends on its engine.
        case .ready, .engineLost: .everything
        default: .session(id)
        }
    }
}
