/// One user's dictation: every session of a world, and what is to be done about whatever happens.
///
/// The machine is level-triggered. An event changes what a session wants or what the world is; then, whatever the
/// event was, ``reconcile(at:)`` compares what should be with what is and asks for the difference. So a
/// notification that never came, or came twice, cannot leave anything stuck. Time is in the arguments: the
/// caller's monotonic clock, and ``nextDeadline`` says when to come back with ``Event/tick``.
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

    struct Subscription: Hashable, Sendable {
        var client: Client
        var text: Bool
    }

    public init(world: World = World(), settings: Settings = Settings()) {
        self.world = world
        self.settings = settings
    }

    /// Takes one event. The effects are to be carried out in order, before the next event.
    public mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
        switch event {
        case .call(let call, let client, let request): handle(request, call, from: client, at: now)
        case .clientVanished(let client): forget(client)
        case .audio(let facts): update(facts, at: now)
        case .seat(let facts): world.seat = facts
        case .permission(let identity, let permission): update(permission, of: identity)
        case .allowedOnce(let client, let resources): allowOnce(resources, client)
        case .capture(let id, let event): handle(event, of: id, at: now)
        case .captured(let id, let frames): count(frames, of: id)
        case .recognition(let id, let event): handle(event, of: id, at: now)
        case .inputEnded(let id): endInput(of: id)
        case .inputFailed(let id, let refusal): failInput(of: id, refusal)
        case .level(let id, let rms, let peak): tellLevel(of: id, rms: rms, peak: peak)
        case .congestion(let isCongested): self.isCongested = isCongested
        case .routesRestored(let choices): world.restore(choices)
        case .tick: break
        case .shutdown: shutDown(at: now)
        }
        expire(at: now)
        reconcile(at: now)
        // An interruption that may not end by itself is over as soon as it has begun, and its microphone is
        // another's.
        if let due = nextDeadline, due <= now {
            expire(at: now)
            reconcile(at: now)
        }
        defer { effects = [] }
        return effects
    }

    /// What the properties of the bus object show.
    public var properties: WorldProperties {
        let inUse = sessions.first { $0.usesMicrophone && $0.stream.id != nil }
        let foremost =
            inUse
            ?? sessions.filter { $0.usesMicrophone && $0.ending == nil }
            .max { ($0.wantsToListen ? 1 : 0, $0.wantedSince) < ($1.wantsToListen ? 1 : 0, $1.wantedSince) }
        return WorldProperties(
            state: foremost?.state ?? .idle, isInUse: inUse != nil,
            route: inUse?.sourceInUse.map { world.route($0, isInUse: true) })
    }

    /// What ``PlaybackMachine`` goes by.
    public var activity: DictationActivity {
        let sessions = sessions.filter { $0.usesMicrophone && $0.options.pausesPlayback }
        let isInCall = world.audio.map { settings.callRules.callInProgress(in: $0) } ?? false
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
