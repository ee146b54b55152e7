import DictationCore

/// What is known about one user's microphones from the events. Which one should be used follows only from the interface
/// and the configuration:
///
/// - the first available of the requested ones, except one that failed the session;
/// - if there is none, the default, which the session manager chooses and moves the stream to;
/// - if there has been no default for a second, the available one with the highest priority.
struct MicrophoneRecord: Hashable, Sendable {
    private(set) var audio: AudioFacts?
    /// All microphones that were seen or restored, with their last properties.
    private(set) var known: [NodeName: Source] = [:]
    var selected: NodeName?
    /// The arrival times of microphones that did not come with the server.
    private var arrivals: [NodeName: Duration] = [:]
    /// Since when there have been microphones and no default.
    private var defaultMissingSince: Duration?

    mutating func take(_ facts: AudioFacts, at now: Duration) {
        let facts = facts.isServerAvailable ? facts : .serverLost
        arrivals = arrivals.filter { facts.sources[$0.key] != nil }
        if let audio, audio.isServerAvailable {
            for name in facts.sources.keys where audio.sources[name] == nil { arrivals[name] = now }
        }
        audio = facts
        known.merge(facts.sources) { _, new in new }
        let isMissing = defaultSource == nil && !facts.sources.isEmpty
        defaultMissingSince = isMissing ? defaultMissingSince ?? now : nil
    }

    mutating func restore(_ choices: RouteChoices) {
        for source in choices.chosen where known[source.name] == nil { known[source.name] = source }
        selected = choices.selected
    }

    func isThere(_ name: NodeName) -> Bool { audio?.sources[name] != nil }

    /// The properties of a microphone that a stream was linked to.
    func source(_ name: NodeName) -> Source { known[name] ?? Source(name: name) }

    var defaultSource: Source? { audio?.defaultSource.flatMap { audio?.sources[$0] } }

    var firstBluetooth: NodeName? {
        audio?.sources.values.filter(\.isBluetooth).map(\.name).min()
    }

    var isDefaultMissing: Bool { defaultMissingSince != nil }

    func isDefaultOverdue(at now: Duration) -> Bool {
        defaultMissingSince.map { now - $0 >= .seconds(1) } ?? false
    }

    /// Whether the session manager's move to a microphone is due to its arrival.
    func isNew(_ name: NodeName, at now: Duration) -> Bool {
        arrivals[name].map { now - $0 < .seconds(2) } ?? false
    }

    func wanted(
        _ preferences: [NodeName], passingOver failed: Set<NodeName>, at now: Duration
    ) -> NodeName? {
        let others =
            isDefaultOverdue(at: now)
            ? (audio?.sources.values.sorted { ($1.priority, $0.name) < ($0.priority, $1.name) } ?? []) : []
        return (preferences + others.map(\.name)).first { isThere($0) && !failed.contains($0) }
    }

    /// The microphone that a stream with this `target` is linked to; nil if none.
    func expectedSource(_ target: NodeName?) -> Source? {
        target.flatMap { audio?.sources[$0] } ?? defaultSource
    }

    /// Whether a signalled route is correct.
    func agrees(_ route: Route, with source: Source, isInUse: Bool) -> Bool {
        route.source == source && route.isAvailable == isThere(source.name)
            && route.isDefault == (audio?.defaultSource == source.name)
            && route.isSelected == (selected == source.name) && route.isInUse == isInUse
    }
}
