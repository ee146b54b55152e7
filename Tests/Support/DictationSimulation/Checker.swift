import DictationCore

/// Observes a machine's inputs and outputs and checks its promises. Keeps its own records, written from the design and
/// not from the machine.
struct Checker: Hashable, Sendable {
    struct OpenCapture: Hashable, Sendable {
        var id: CaptureID
        var session: SessionID
        var target: NodeName?
        var isFlowing = false
        var isLinked = false
        var openedAt: Duration
    }

    struct OpenCall: Hashable, Sendable {
        var client: Client
        var request: Request
        var expected: Expectation
    }

    /// The expected reply of a call.
    enum Expectation: Hashable, Sendable {
        case started(SessionID)
        case refused(Refusal.Kind)
        case done
        case cancelled(BlockNumber)
        case report(SessionID?, hasText: Bool)
        case information
        /// The text of this block or a refusal, later.
        case commit(SessionID, BlockNumber)
        case stop(SessionID)
        /// The number of sessions that StopAll ends.
        case stopping(Int)
    }

    struct Subscription: Hashable, Sendable {
        var client: Client
        var text: Bool
    }

    var settings: Settings
    var now: Duration = .zero
    /// On the clock that continues while the computer sleeps.
    var elapsed: Duration = .zero

    // The facts of the world so far.
    var microphones = MicrophoneRecord()
    var audio: AudioFacts? { microphones.audio }
    var seat: SeatFacts?
    var permissions: [Identity: Permission] = [:]
    var allowedOnce: [Client: Set<Resource>] = [:]
    var isCongested = false
    var shutDownAt: Duration?

    // Connected clients.
    var dead: Set<ClientName> = []
    var pastOwners: Set<ClientName> = []
    var subscriptions: [Subscription] = []
    var calls: [CallID: OpenCall] = [:]
    var stamps = 0

    // Results.
    var records: [SessionID: SessionRecord] = [:]
    var ended: Set<SessionID> = []
    /// Sessions that were discarded in this event and not signalled as stopped yet, with the receivers; nil for
    /// everyone.
    var ending: [SessionID: Set<ClientName>?] = [:]
    var capture: OpenCapture?
    var holdsInhibitor = true
    /// Attempts to open a stream or an engine since the last outside event, with their times.
    var attempts: [Duration] = []
    /// The stream that failed in this event.
    var failed: OpenCapture?
    /// Whether the present event is a Cancel of this session.
    var cancelling: SessionID?

    init(settings: Settings) { self.settings = settings }

    /// Call with the effects of one event.
    mutating func check(
        _ effects: [Effect], of event: Event, at now: Duration, _ machine: Subject
    ) throws(Violation) {
        for effect in effects { try check(effect) }
        try checkSettled()
        let nextDeadline = machine.nextDeadline
        for record in records.values { try check(record, nextDeadline: nextDeadline) }
        try checkStream(nextDeadline: nextDeadline)
        try checkProperties(machine.properties)
        if let deadline = nextDeadline {
            try require(deadline > now, .nothingOverdue, "due at \(deadline), now \(now)")
        }
        try require(
            holdsInhibitor == !isAsleep, .inhibitor, "held \(holdsInhibitor), asleep \(isAsleep)")
    }

    var isAsleep: Bool { seat?.isAsleep ?? false }

    func record(of client: Client) -> SessionRecord? {
        if let own = records.values.first(where: { $0.owner == client.name && !$0.isEnding }) { return own }
        if pastOwners.contains(client.name) { return nil }
        return lingering(Group(client))
    }

    func lingering(_ group: Group) -> SessionRecord? {
        records.values.first { $0.options.lingers && Group($0.client) == group && !$0.isEnding }
    }

    func isPermitted(_ record: SessionRecord) -> Bool { refusal(of: record) == nil }

    func refusal(of record: SessionRecord) -> Refusal.Kind? {
        refusal(of: record.client.identity, record.options, allowedOnce: record.allowedOnce)
    }

    func refusal(
        of identity: Identity, _ options: StartOptions, allowedOnce: Set<Resource>
    ) -> Refusal.Kind? {
        let permission = permissions[identity] ?? .notDetermined
        let needed: [Resource] = options.hasInput ? [.speech] : [.speech, .microphone]
        if needed.contains(where: { [.denied, .restricted].contains(permission[$0]) }) {
            return .permissionDenied
        }
        let open = needed.filter { permission[$0] == .notDetermined }
        return open.allSatisfy(allowedOnce.contains) ? nil : .permissionRequired
    }

    /// The caller's missing permission, including for other users' sessions.
    func refusal(of client: Client, on record: SessionRecord) -> Refusal.Kind? {
        let isSame = client.identity == record.client.identity && client.identity.kind != .unknown
        let allowed =
            isSame || client.name == record.owner
            ? record.allowedOnce : allowedOnce[client] ?? []
        return refusal(of: client.identity, record.options, allowedOnce: allowed)
    }

    func mayRead(_ record: SessionRecord, _ client: Client) -> Bool {
        isPermitted(record) && refusal(of: client, on: record) == nil
    }

    /// The receivers of this signal by design; nil for everyone.
    func audience(of record: SessionRecord, text: Bool) -> Set<ClientName>? {
        if record.options.broadcasts { return nil }
        var clients = Set(record.owner.map { [$0] } ?? [])
        for subscription in subscriptions {
            let mayControl =
                record.options.lingers && Group(subscription.client) == Group(record.client)
                && mayRead(record, subscription.client)
            if !text || (subscription.text && mayControl) { clients.insert(subscription.client.name) }
        }
        return clients
    }

    func hasTextAudience(_ record: SessionRecord) -> Bool {
        audience(of: record, text: true)?.isEmpty != true
    }
}
