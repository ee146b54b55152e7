internal import DBus
import DictationCore

/// What says which sessions are locked.
///
/// Kept for all sessions that logind tells of, because whose session one is may become known later than its order to lock.
struct SessionLocks {
    private let confirmation: Duration
    /// Nil stands for the session of a user whom no logind knows.
    private var evidence: [ObjectPath?: LockEvidence] = [:]
    private var screenSavers: [ScreenSaver: Bool] = [:]
    /// The session that the screen savers cover.
    private var current: ObjectPath?

    init(confirmation: Duration) {
        self.confirmation = confirmation
    }

    /// What the lock of the user's session is believed of; nil where it is not locked.
    var lockedBy: LockSource? { evidence[current]?.lockedBy }

    /// When ``expire(at:)`` would change something.
    var deadline: Duration? { evidence.values.compactMap(\.deadline).min() }

    mutating func expire(at now: Duration) {
        for path in evidence.keys { evidence[path]?.expire(at: now) }
    }

    /// A session was ordered to lock or to unlock.
    mutating func order(_ path: ObjectPath, locks: Bool, at now: Duration) {
        update(path) { $0.requestLock(locks, at: now) }
    }

    /// The hint of a session was seen.
    mutating func see(_ path: ObjectPath, hint isLocked: Bool, at now: Duration) {
        update(path) { $0.report(.lockedHint, isLocked: isLocked, at: now) }
    }

    /// The hint of a session was told as changed.
    mutating func hear(_ path: ObjectPath, hint isLocked: Bool, at now: Duration) {
        update(path) { evidence in
            // Until now it was the opposite, whether or not that was seen.
            evidence.report(.lockedHint, isLocked: !isLocked, at: now)
            evidence.report(.lockedHint, isLocked: isLocked, at: now)
        }
    }

    /// What all screen savers of the user say now.
    mutating func report(_ new: [ScreenSaver: Bool], at now: Duration) {
        let vanished = screenSavers.keys.filter { new[$0] == nil }
        screenSavers = new
        update(current) { evidence in
            for screenSaver in vanished { evidence.vanish(.screenSaver(screenSaver), at: now) }
            for screenSaver in ScreenSaver.allCases {
                guard let isActive = new[screenSaver] else { continue }
                evidence.report(.screenSaver(screenSaver), isLocked: isActive, at: now)
            }
        }
    }

    mutating func userActed(at now: Duration) {
        evidence[current]?.userActed(at: now)
    }

    /// The user has another session now, or none that is known.
    mutating func select(_ path: ObjectPath?, at now: Duration) {
        guard path != current else { return }
        if current == nil { evidence[nil] = nil }
        current = path
        report(screenSavers, at: now)
    }

    mutating func remove(_ path: ObjectPath) {
        evidence[path] = nil
    }

    /// An Unlock may go unheard from now on.
    mutating func withdrawOrders(at now: Duration) {
        for path in evidence.keys { evidence[path]?.requestLock(false, at: now) }
    }

    private mutating func update(_ path: ObjectPath?, _ change: (inout LockEvidence) -> Void) {
        var new = evidence[path] ?? LockEvidence(confirmation: confirmation)
        change(&new)
        evidence[path] = new.isEmpty ? nil : new
    }
}
