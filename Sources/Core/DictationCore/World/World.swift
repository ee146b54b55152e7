/// The present facts about one user's computer: audio, seat, permissions. Decisions are functions of this value and of
/// what the sessions want.
public struct World: Hashable, Sendable {
    /// Nil until the first attempt to connect to the audio server has succeeded or failed.
    public private(set) var audio: AudioFacts?
    /// Nil until the first answer of logind or its failure.
    public var seat: SeatFacts?
    /// Permissions by identity. Not listed means not determined.
    public var permissions: [Identity: Permission]
    /// What the user allowed until the connection closes, in addition to ``permissions``.
    var allowedOnce: [Client: Set<Resource>] = [:]
    /// The present sources, the chosen ones, and those that disappeared last: an absent source can be chosen.
    public private(set) var knownSources: [NodeName: Source] = [:]
    /// The absent ones of ``knownSources``, in the order of their disappearance.
    private var absentSources: [NodeName] = []
    /// The microphone chosen with SelectRoute; nil follows the default.
    public private(set) var selectedSource: NodeName?
    /// All sources chosen with SelectRoute, the latest last.
    private var chosenSources: [NodeName] = []
    /// The times at which sources appeared. Sources that were present when the server was connected are not listed.
    private var arrivals: [NodeName: Duration] = [:]
    /// Since when there have been sources but no default.
    private var defaultMissingSince: Duration?
    /// Whether there has been no default for ``defaultTimeout``. Some session managers never choose one.
    private(set) var isDefaultOverdue = false

    /// Long enough: a new default is announced within milliseconds of its source, and a lost announcement is asked for
    /// again after a quarter of a second.
    static let defaultTimeout = Duration.seconds(1)
    /// A bound for programs that create sources with ever new names. More than anyone plugs in.
    static let absentSourceLimit = 64

    public init(seat: SeatFacts? = nil, permissions: [Identity: Permission] = [:]) {
        self.seat = seat
        self.permissions = permissions
    }

    mutating func update(_ facts: AudioFacts, at now: Duration) {
        let facts = facts.isServerAvailable ? facts : .serverLost
        arrivals = arrivals.filter { facts.sources[$0.key] != nil }
        if let audio, audio.isServerAvailable {
            for name in facts.sources.keys where audio.sources[name] == nil { arrivals[name] = now }
        }
        remember(facts.sources)
        audio = facts
        let isMissing = defaultSource == nil && !facts.sources.isEmpty
        defaultMissingSince = isMissing ? defaultMissingSince ?? now : nil
        isDefaultOverdue = isDefaultOverdue && isMissing
    }

    private mutating func remember(_ sources: [NodeName: Source]) {
        let gone = audio?.sources.keys.filter { sources[$0] == nil }.sorted() ?? []
        absentSources = absentSources.filter { sources[$0] == nil } + gone
        knownSources.merge(sources) { _, new in new }
        let surplus = absentSources.count - Self.absentSourceLimit
        guard surplus > 0 else { return }
        for name in absentSources.filter({ !chosenSources.contains($0) }).prefix(surplus) {
            absentSources.removeAll { $0 == name }
            knownSources[name] = nil
        }
    }

    /// Chooses a known source, or, with nil, the default.
    mutating func select(_ name: NodeName?) {
        selectedSource = name
        guard let name else { return }
        chosenSources = (chosenSources.filter { $0 != name } + [name]).suffix(RouteChoices.limit)
    }

    var routeChoices: RouteChoices {
        RouteChoices(selected: selectedSource, chosen: chosenSources.compactMap { knownSources[$0] })
    }

    mutating func restore(_ choices: RouteChoices) {
        for source in choices.chosen.suffix(RouteChoices.limit) where knownSources[source.name] == nil {
            knownSources[source.name] = source
            absentSources.append(source.name)
        }
        chosenSources = choices.chosen.suffix(RouteChoices.limit).map(\.name)
        selectedSource = choices.selected.flatMap { knownSources[$0] == nil ? nil : $0 }
    }

    /// When the missing default becomes overdue.
    var defaultDeadline: Duration? {
        isDefaultOverdue ? nil : defaultMissingSince.map { $0 + Self.defaultTimeout }
    }

    mutating func expire(at now: Duration) {
        if let deadline = defaultDeadline, deadline <= now { isDefaultOverdue = true }
    }

    /// The present sources, by the session manager's priority, if the default is overdue; else empty.
    var fallbackSources: [NodeName] {
        guard isDefaultOverdue, let audio else { return [] }
        return audio.sources.values.sorted { ($1.priority, $0.name) < ($0.priority, $1.name) }.map(\.name)
    }

    /// Whether enough is known to decide about listening.
    var isKnown: Bool { audio != nil && seat != nil }

    var isAsleep: Bool { seat?.isAsleep ?? false }
    var isLocked: Bool { seat?.isLocked ?? false }

    /// Whether the source appeared within the last two seconds, which explains a move to it. The new source, the new
    /// default and the new link are announced within milliseconds of each other.
    func hasJustAppeared(_ name: NodeName, at now: Duration) -> Bool {
        arrivals[name].map { now - $0 < .seconds(2) } ?? false
    }

    func permission(of identity: Identity) -> Permission { permissions[identity] ?? .notDetermined }

    public func permission(of client: Client) -> Permission {
        permission(of: client.identity).allowing(allowedOnce[client] ?? [])
    }

    func permission(of session: Session) -> Permission {
        permission(of: session.identity).allowing(session.allowedOnce)
    }

    func available(_ name: NodeName?) -> Source? {
        name.flatMap { audio?.sources[$0] }
    }

    /// The source that the session manager links to a stream without a target.
    var defaultSource: Source? { available(audio?.defaultSource) }

    func route(_ source: Source, isInUse: Bool) -> Route {
        Route(
            source: source, isAvailable: available(source.name) != nil,
            isDefault: audio?.defaultSource == source.name, isSelected: selectedSource == source.name,
            isInUse: isInUse)
    }

    /// The present sources and the chosen ones, by name.
    func routes(inUse: NodeName?) -> [Route] {
        knownSources.values
            .filter { available($0.name) != nil || chosenSources.contains($0.name) }
            .sorted { $0.name < $1.name }
            .map { route($0, isInUse: $0.name == inUse) }
    }
}

/// The user's desktop session, as logind and the screen savers report it.
public struct SeatFacts: Hashable, Sendable {
    public var isActive: Bool
    /// The source that reports the lock; nil if the screen is not locked.
    public var lockedBy: LockSource?
    public var isAsleep: Bool

    public init(isActive: Bool = true, lockedBy: LockSource? = nil, isAsleep: Bool = false) {
        self.isActive = isActive
        self.lockedBy = lockedBy
        self.isAsleep = isAsleep
    }

    public var isLocked: Bool { lockedBy != nil }

    /// Active and unlocked. Assumed in session mode without logind.
    public static let present = SeatFacts()
    /// Assumed in system mode until logind answers.
    public static let unknown = SeatFacts(isActive: false)
}
