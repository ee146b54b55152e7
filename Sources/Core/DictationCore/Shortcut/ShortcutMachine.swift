/// Converts the signals of a global shortcut to actions: a tap toggles dictation, and holding the key is push-to-talk.
///
/// Desktops differ. GNOME 48 repeats ``Event/activated`` at the keyboard's rate while the key is held, and sends no
/// ``Event/deactivated`` if a modifier is released first. Others send each once. A lost release must not leave the
/// microphone open, so the duration of a hold is limited.
public struct ShortcutMachine: Hashable, Sendable {
    public enum Event: Hashable, Sendable {
        case activated
        case deactivated
        /// ``ShortcutMachine/deadline`` was reached.
        case timeout
        /// The shortcut is no longer bound.
        case unbound
    }

    public enum Effect: Hashable, Sendable {
        /// The key was pressed: start or resume dictation, or finish it if it is listening.
        case toggle
        /// A hold ended: finish the dictation if its ``toggle`` started or resumed it.
        case finish
    }

    /// Maximum duration of a tap; a longer press is a hold. The GNOME extension has the same limit.
    public static let tapLimit: Duration = .milliseconds(400)
    /// Maximum duration of a hold.
    public static let holdLimit: Duration = .seconds(600)
    /// After two repeats, a gap of this length is a release. GNOME repeats every 33 ms.
    public static let repeatTimeout: Duration = .milliseconds(200)
    /// The maximum delay before the first repeat in GNOME's settings. A later signal is another press, whose preceding
    /// release was lost.
    public static let repeatDelay: Duration = .seconds(2)

    private enum Key: Hashable {
        /// After an inferred release, the time until which repeats still belong to the hold.
        case up(repeatsUntil: Duration?)
        case down(since: Duration, latest: Duration, repeats: Int)
    }

    private var key = Key.up(repeatsUntil: nil)

    public init() {}

    /// When ``Event/timeout`` is due.
    public var deadline: Duration? {
        guard case .down(let since, let latest, let repeats) = key else { return nil }
        let limit = since + Self.holdLimit
        return repeats >= 2 ? min(limit, latest + Self.repeatTimeout) : limit
    }

    public mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
        switch (event, key) {
        case (.activated, .up(let until?)) where now < until:
            key = .up(repeatsUntil: now + Self.repeatTimeout)
            return []
        case (.activated, .down(let since, let latest, let repeats))
        where repeats > 0 || now - latest <= Self.repeatDelay:
            key = .down(since: since, latest: now, repeats: repeats + 1)
            return []
        case (.activated, _):
            key = .down(since: now, latest: now, repeats: 0)
            return [.toggle]
        case (.deactivated, .down(let since, _, _)):
            key = .up(repeatsUntil: nil)
            return now - since >= Self.tapLimit ? [.finish] : []
        case (.deactivated, .up):
            key = .up(repeatsUntil: nil)
            return []
        case (.timeout, .down):
            guard let deadline, now >= deadline else { return [] }
            key = .up(repeatsUntil: now + Self.repeatTimeout)
            return [.finish]
        case (.unbound, .down):
            key = .up(repeatsUntil: nil)
            return [.finish]
        case (.timeout, .up), (.unbound, .up):
            return []
        }
    }
}
