/// Whether the screen of one session is locked, from everything that says so.
///
/// It is locked while a source says so. An order to lock counts as well, because some lock screens tell nobody that they
/// are there. A source that vanishes while it says locked leaves an order behind. An order ends when
/// - an order to unlock comes,
/// - a source goes from locked to unlocked, and no other says locked,
/// - a time for confirmation has passed, no source says locked, and one that has said locked before says unlocked,
/// - a time for confirmation has passed, no source says locked, and a person starts or resumes dictation.
///
/// A lock screen that tells nobody, and that no order went before, is not seen. An order that such a lock screen obeys ends
/// too early where a program starts dictation by itself, and too late where nobody uses dictation: then nothing waits.
public struct LockEvidence: Hashable, Sendable {
    /// More than the lock screens of GNOME and KDE take to say that they are there, also on a slow computer.
    public static let usualConfirmation = Duration.seconds(5)

    private struct Order: Hashable {
        var time: Duration
        var source: LockSource
    }

    private let confirmation: Duration
    private var order: Order?
    /// What each source that is there says.
    private var states: [LockSource: Bool] = [:]
    /// The sources that have said locked at least once. Others may be unable to.
    private var proven: Set<LockSource> = []

    /// - Parameter confirmation: how long a lock screen that was ordered may take to say that it is there.
    public init(confirmation: Duration = usualConfirmation) {
        self.confirmation = confirmation
    }

    /// Nothing says locked, and no source has ever said so.
    public var isEmpty: Bool { order == nil && proven.isEmpty }

    /// What the lock is believed of; nil where the screen is not locked.
    public var lockedBy: LockSource? {
        if states[.lockedHint] == true { return .lockedHint }
        let screenSavers = ScreenSaver.allCases.map { LockSource.screenSaver($0) }
        return screenSavers.first { states[$0] == true } ?? order?.source
    }

    /// When ``expire(at:)`` would change something.
    public var deadline: Duration? {
        guard let order, !isSaidLocked, isSaidUnlocked else { return nil }
        return order.time + confirmation
    }

    private var isSaidLocked: Bool { states.values.contains(true) }

    /// By a source that is known to tell.
    private var isSaidUnlocked: Bool { proven.contains { states[$0] == false } }

    /// The session was ordered to lock, or with `false` to unlock.
    public mutating func orderLock(_ locks: Bool, at now: Duration) {
        order = locks ? Order(time: now, source: .lockSignal) : nil
    }

    /// A source says whether the screen is locked.
    public mutating func report(_ source: LockSource, isLocked: Bool, at now: Duration) {
        let wasLocked = states.updateValue(isLocked, forKey: source) ?? false
        if isLocked {
            proven.insert(source)
        } else if wasLocked, !isSaidLocked {
            order = nil
        }
    }

    /// A source is no longer there.
    public mutating func vanish(_ source: LockSource, at now: Duration) {
        guard states.removeValue(forKey: source) == true else { return }
        order = order ?? Order(time: now, source: source)
    }

    /// Somebody started or resumed dictation. Where a lock screen covers the screen, no key reaches a program.
    public mutating func personActed(at now: Duration) {
        guard let order, !isSaidLocked, order.time + confirmation <= now else { return }
        self.order = nil
    }

    public mutating func expire(at now: Duration) {
        if let deadline, deadline <= now { order = nil }
    }
}
