/// Decides whether the screen of a session is locked, from the reports of all sources.
///
/// It is locked while a source reports it. A request to lock counts as well, because some lock screens report nothing. A
/// source that disappears while it reports locked counts as a request. A request ends when
/// - a request to unlock comes,
/// - a source changes from locked to unlocked, and no other reports locked,
/// - the confirmation time has passed, no source reports locked, and one that has reported locked before reports unlocked,
/// - the confirmation time has passed, no source reports locked, and a person starts or resumes dictation.
///
/// Limits: a lock screen that reports nothing and follows no request is not detected. If a lock screen that reports
/// nothing follows a request, the request ends too early when a program starts dictation by itself.
public struct LockEvidence: Hashable, Sendable {
    /// Longer than the lock screens of GNOME and KDE take to report after a request, also on a slow computer.
    public static let defaultConfirmation = Duration.seconds(5)

    private struct LockRequest: Hashable {
        var time: Duration
        var source: LockSource
    }

    private let confirmation: Duration
    private var request: LockRequest?
    /// The last report of each present source: whether the screen is locked.
    private var states: [LockSource: Bool] = [:]
    /// The sources that have reported locked at least once. Others may never report.
    private var reliableSources: Set<LockSource> = []

    /// - Parameter confirmation: how long a lock screen may take to report after a request.
    public init(confirmation: Duration = defaultConfirmation) {
        self.confirmation = confirmation
    }

    /// Whether nothing reports locked and no source ever has.
    public var isEmpty: Bool { request == nil && reliableSources.isEmpty }

    /// The source that reports the lock; nil if the screen is not locked.
    public var lockedBy: LockSource? {
        if states[.lockedHint] == true { return .lockedHint }
        let screenSavers = ScreenSaver.allCases.map { LockSource.screenSaver($0) }
        return screenSavers.first { states[$0] == true } ?? request?.source
    }

    /// When ``expire(at:)`` ends the request.
    public var deadline: Duration? {
        guard let request, !isReportedLocked, isReportedUnlocked else { return nil }
        return request.time + confirmation
    }

    private var isReportedLocked: Bool { states.values.contains(true) }

    /// By a source that has reported locked before.
    private var isReportedUnlocked: Bool { reliableSources.contains { states[$0] == false } }

    /// The session was requested to lock, or with `false` to unlock.
    public mutating func requestLock(_ locks: Bool, at now: Duration) {
        request = locks ? LockRequest(time: now, source: .lockSignal) : nil
    }

    /// A source reports whether the screen is locked.
    public mutating func report(_ source: LockSource, isLocked: Bool, at now: Duration) {
        let wasLocked = states.updateValue(isLocked, forKey: source) ?? false
        if isLocked {
            reliableSources.insert(source)
        } else if wasLocked, !isReportedLocked {
            request = nil
        }
    }

    /// A source disappeared.
    public mutating func vanish(_ source: LockSource, at now: Duration) {
        guard states.removeValue(forKey: source) == true else { return }
        request = request ?? LockRequest(time: now, source: source)
    }

    /// A person started or resumed dictation. Behind a lock screen, no key press reaches a program.
    public mutating func userActed(at now: Duration) {
        guard let request, !isReportedLocked, request.time + confirmation <= now else { return }
        self.request = nil
    }

    public mutating func expire(at now: Duration) {
        if let deadline, deadline <= now { request = nil }
    }
}
