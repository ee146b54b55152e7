/// What one user has around the sessions, as it is now. Decisions are functions of this value and of what the
/// sessions want; nothing here counts beginnings and ends.
public struct World: Hashable, Sendable {
    /// Nil until the audio server has answered, or failed to, for the first time.
    public private(set) var audio: AudioFacts?
    /// Nil until logind has answered, or failed to, for the first time.
    public var seat: SeatFacts?
    /// What each identity that was seen may do. Who is not listed has not been asked.
    public var permissions: [Identity: Permission]
    /// What the user allowed for as long as the connection lives, beside ``permissions``.
    var allowedOnce: [Client: Set<Resource>] = [:]
    /// The sources there are, the chosen one, and those that went last, so that one that is absent can still be chosen.
    public private(set) var knownSources: [NodeName: Source] = [:]
    /// Those of ``knownSources`` that are absent, the one that went last behind.
    private var absentSources: [NodeName] = []
    /// The microphone chosen with SelectRoute; nil follows the default.
    public private(set) var selectedSource: NodeName?
    /// All that were chosen so, the latest last.
    private var chosenSources: [NodeName] = []
    /// When each source that is there appeared, of those that were not there with the server.
    private var arrivals: [NodeName: Duration] = [:]
    /// Since when there have been sources and none of them the default.
    private var defaultMissingSince: Duration?
    /// There has been no default for so long that none is to be expected, as from a session manager that chooses none.
    private(set) var isDefaultOverdue = false

    /// A new source, its links and the new default are told within milliseconds, and a default that got lost on its
    /// way is asked for again after a quarter of a second.
    static let defaultTimeout = Duration.seconds(1)
    /// More than anybody plugs in and out; a program that makes up names without end costs no more than that.
    static let rememberedSources = 64

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
        let surplus = absentSources.count - Self.rememberedSources
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

    /// When the default will be overdue.
    var defaultDeadline: Duration? {
        isDefaultOverdue ? nil : defaultMissingSince.map { $0 + Self.defaultTimeout }
    }

    mutating func expire(at now: Duration) {
        if let deadline = defaultDeadline, deadline <= now { isDefaultOverdue = true }
    }

    /// What serves where no default is to be expected: the sources there are, the session manager's favourite first.
    var standIns: [NodeName] {
        guard isDefaultOverdue, let audio else { return [] }
        return audio.sources.values.sorted { ($1.priority, $0.name) < ($0.priority, $1.name) }.map(\.name)
    }

    /// Before that, nothing can be said against listening, and nothing for it.
    var isKnown: Bool { audio != nil && seat != nil }

    var isAsleep: Bool { seat?.isAsleep ?? false }
    var isLocked: Bool { seat?.isLocked ?? false }

    /// Whether the session manager's move to this source is owed to its having just appeared. The news of a
    /// source, of the new default and of the new link come one after the other, within milliseconds.
    func isNewcomer(_ name: NodeName, at now: Duration) -> Bool {
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

    /// The source that a stream without a target gets: what the session manager links.
    var defaultSource: Source? { available(audio?.defaultSource) }

    func route(_ source: Source, isInUse: Bool) -> Route {
        Route(
            source: source, isAvailable: available(source.name) != nil,
            isDefault: audio?.defaultSource == source.name, isSelected: selectedSource == source.name,
            isInUse: isInUse)
    }

    /// The sources there are, by name, and those that were chosen even where they are absent.
    func routes(inUse: NodeName?) -> [Route] {
        knownSources.values
            .filter { available($0.name) != nil || chosenSources.contains($0.name) }
            .sorted { $0.name < $1.name }
            .map { route($0, isInUse: $0.name == inUse) }
    }
}

/// The desktop session of the user, as logind and the screen savers tell.
public struct SeatFacts: Hashable, Sendable {
    public var isActive: Bool
    /// What says that the screen is locked; nil where it is not.
    public var lockedBy: LockSource?
    public var isAsleep: Bool

    public init(isActive: Bool = true, lockedBy: LockSource? = nil, isAsleep: Bool = false) {
        self.isActive = isActive
        self.lockedBy = lockedBy
        self.isAsleep = isAsleep
    }

    public var isLocked: Bool { lockedBy != nil }

    /// Somebody is there; also what is taken to be so where no logind can be asked in session mode.
    public static let present = SeatFacts()
    /// What is taken to be so in system mode as long as logind has not said otherwise.
    public static let unknown = SeatFacts(isActive: false)
}
