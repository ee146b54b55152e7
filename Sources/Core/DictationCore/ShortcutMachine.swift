/// Turns the signals of a global shortcut into what the key does: a tap toggles dictation, holding it talks.
///
/// Desktops differ. GNOME 48 repeats ``Event/activated`` at the keyboard's rate while the key is held, and sends no
/// ``Event/deactivated`` where a modifier goes up first. Others send each once. A lost release must not leave the
/// microphone open, so every hold has a longest time.
public struct ShortcutMachine: Hashable, Sendable {
    public enum Event: Hashable, Sendable {
        case activated
        case deactivated
        /// ``ShortcutMachine/deadline`` has come.
        case timeout
        /// The desktop no longer watches the key.
        case unbound
    }

    public enum Effect: Hashable, Sendable {
        /// The key went down: start or resume dictation, or finish it where it runs.
        case toggle
        /// A hold ended: finish what its ``toggle`` began, if it began something.
        case finish
    }

    /// A press that lasts longer is a hold. The GNOME extension has the same limit.
    public static let tapLimit: Duration = .milliseconds(400)
    /// No hold lasts longer.
    public static let holdLimit: Duration = .seconds(600)
    /// After two repeats, silence of this length is a release. GNOME repeats every 33 ms.
    public static let repeatTimeout: Duration = .milliseconds(200)
    /// The longest wait before the first repeat that GNOME's settings allow. A later signal is another press, and the
    /// release before it was lost.
    public static let repeatDelay: Duration = .seconds(2)

    private enum Key: Hashable {
        /// With a time after a release that was only inferred: repeats until then still belong to the hold.
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
