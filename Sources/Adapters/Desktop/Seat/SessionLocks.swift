internal import DBus
import DictationCore

/// The evidence of which sessions are locked.
///
/// Kept for all sessions that logind has signalled, because the user of a session may become known after its Lock
/// signal.
struct SessionLocks {
    private let confirmation: Duration
    /// Nil is the session of a user whom logind does not know.
    private var evidence: [ObjectPath?: LockEvidence] = [:]
    private var screenSavers: [ScreenSaver: Bool] = [:]
    /// The session that the screen savers cover.
    private var current: ObjectPath?

    init(confirmation: Duration) {
        self.confirmation = confirmation
    }

    /// The evidence that the user's session is locked; nil if it is not.
    var lockedBy: LockSource? { evidence[current]?.lockedBy }

    /// When ``expire(at:)`` changes something.
    var deadline: Duration? { evidence.values.compactMap(\.deadline).min() }

    mutating func expire(at now: Duration) {
        for path in evidence.keys { evidence[path]?.expire(at: now) }
    }

    /// A Lock or Unlock signal came for a session.
    mutating func order(_ path: ObjectPath, locks: Bool, at now: Duration) {
        update(path) { $0.requestLock(locks, at: now) }
    }

    /// The hint of a session was read.
    mutating func recordReading(_ path: ObjectPath, hint isLocked: Bool, at now: Duration) {
        update(path) { $0.report(.lockedHint, isLocked: isLocked, at: now) }
    }

    /// A change of a session's hint was signalled.
    mutating func recordChange(_ path: ObjectPath, hint isLocked: Bool, at now: Duration) {
        update(path) { evidence in
            // The hint had the opposite value before, even if it was not read.
            evidence.report(.lockedHint, isLocked: !isLocked, at: now)
            evidence.report(.lockedHint, isLocked: isLocked, at: now)
        }
    }

    /// The present answers of all screen savers of the user.
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

    /// The user has another main session now, or none that is known.
    mutating func select(_ path: ObjectPath?, at now: Duration) {
        guard path != current else { return }
        if current == nil { evidence[nil] = nil }
        current = path
        report(screenSavers, at: now)
    }

    mutating func remove(_ path: ObjectPath) {
        evidence[path] = nil
    }

    /// An Unlock signal may be missed from now on.
    mutating func withdrawOrders(at now: Duration) {
        for path in evidence.keys { evidence[path]?.requestLock(false, at: now) }
    }

    private mutating func update(_ path: ObjectPath?, _ change: (inout LockEvidence) -> Void) {
        var new = evidence[path] ?? LockEvidence(confirmation: confirmation)
        change(&new)
        evidence[path] = new.isEmpty ? nil : new
    }
}
