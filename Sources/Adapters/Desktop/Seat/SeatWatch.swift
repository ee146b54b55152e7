public import DBus
public import DictationCore
public import EventLoop

/// Whether a user is at the machine, from logind's main session of the user and from screen savers; and the sleep
/// inhibitor.
///
/// A signal of a change leads to a query, and the facts are those of the query. Lock, Unlock and PrepareForSleep cannot
/// be queried, so their signals count.
@EventLoopActor
public final class SeatWatch {
    private let uid: UInt32
    private let bus: BusAddress
    private let absence: Absence
    private let timing: Timing
    private let publish: @EventLoopActor (SeatFacts) -> Void
    private let report: @EventLoopActor (DesktopError) -> Void

    private var following: Task<Void, Never>?
    private var logind: LoginManager?
    private var retryDelay: Duration
    private var looking = Looking.no
    private var user: LoginManager.User?
    /// Whether logind has known the user since this watch began.
    private var wasKnown = false
    private var locks: SessionLocks
    private var lockAlarm: (deadline: Duration, timer: EventLoop.Timer)?
    private let epoch = SuspendingClock.now
    private var isAsleep = false
    /// How often the beginning or the end of sleep was signalled.
    private var sleepSignals = 0
    private var facts: SeatFacts?
    private var reported: Set<DesktopError.Code> = []

    private var delaysSleep = true
    private var isTakingInhibitor = false
    /// The sleep inhibitor. Closing it releases sleep.
    private var inhibitor: Descriptor?

    /// What to assume if logind cannot be asked.
    public enum Absence: Sendable {
        /// The user is present: the service runs in their session, and the machine may have no logind.
        /// If logind has answered before, its last answer counts.
        case present
        /// The user is absent.
        case away
    }

    /// Timeouts.
    public struct Timing: Sendable {
        /// For an answer of logind.
        public var answer = Duration.seconds(5)
        /// Backoff between attempts to reach a lost bus or a failing logind, from the shortest to the longest.
        public var retry = Duration.seconds(1)...Duration.seconds(60)
        /// See ``LockEvidence``.
        public var lockConfirmation = LockEvidence.defaultConfirmation

        public init() {}
    }

    private enum Looking {
        case no, yes
        /// A change was signalled since the query began.
        case again
    }

    /// Makes a watch, to be started by ``start()``.
    /// - Parameters:
    ///   - bus: the bus that logind is on.
    ///   - publish: called with all facts after each change, and once soon after the start.
    ///   - report: called with failures, once until it works again. For the log.
    public nonisolated init(
        over uid: UInt32, bus: BusAddress = .system, absence: Absence,
        timing: Timing = Timing(), publish: @escaping @EventLoopActor (SeatFacts) -> Void,
        report: @escaping @EventLoopActor (DesktopError) -> Void
    ) {
        self.uid = uid
        self.bus = bus
        self.absence = absence
        self.timing = timing
        self.publish = publish
        self.report = report
        retryDelay = timing.retry.lowerBound
        locks = SessionLocks(confirmation: timing.lockConfirmation)
    }

    /// Starts watching and delays sleep, until ``stop()``.
    public func start() {
        guard following == nil else { return }
        following = Task { await run() }
    }

    /// Stops watching and releases sleep. Must be called before the watch is released.
    public func stop() async {
        inhibitor = nil
        following?.cancel()
        await following?.value
        following = nil
        facts = nil
        lockAlarm?.timer.cancel()
        lockAlarm = nil
    }

    private func publishFacts() {
        locks.select(user?.session?.path, at: now)
        locks.expire(at: now)
        setLockAlarm()
        var new: SeatFacts =
            if let user {
                user.session.map { SeatFacts(isActive: $0.isActive) } ?? .unknown
            } else {
                absence == .present && !wasKnown ? .present : .unknown
            }
        if new.isActive || user?.session != nil { new.lockedBy = locks.lockedBy }
        new.isAsleep = isAsleep
        guard new != facts else { return }
        facts = new
        publish(new)
    }

    private func trouble(_ code: DesktopError.Code, _ error: any Error) {
        if reported.insert(code).inserted { report(DesktopError(code, error)) }
    }
}

// MARK: - The bus

extension SeatWatch {
    private func run() async {
        while !Task.isCancelled {
            do {
                let connection = try await Connection(to: bus)
                reported.remove(.noSystemBus)
                let end = await Result { try await follow(connection) }
                await connection.close()
                try end.get()
            } catch {
                if !Task.isCancelled { trouble(.noSystemBus, error) }
            }
            logind = nil
            inhibitor = nil
            if Task.isCancelled { return }
            logindVanished()
            // An Unlock signal may be missed from now on. The session's own hint is queried.
            locks.withdrawOrders(at: now)
            // Throws when the watch is stopped, which ends the loop.
            try? await Task.sleep(for: nextRetryDelay())
        }
    }

    /// Returns when the connection ends.
    private func follow(_ connection: Connection) async throws {
        let signals = try await connection.signals(
            MatchRule(sender: LoginManager.busName, pathNamespace: LoginManager.path))
        let owners = try await connection.signals(
            MatchRule(
                sender: .bus, interface: .bus, member: "NameOwnerChanged",
                arguments: [0: LoginManager.busName.rawValue]))
        let logind = LoginManager(connection: connection, timeout: timing.answer)
        self.logind = logind
        async let followed: Void = follow(signals)
        await logindAppeared(logind)
        for await change in owners {
            inhibitor = nil
            if change.body.last == .string("") { logindVanished() } else { await logindAppeared(logind) }
        }
        await followed
    }

    private func follow(_ signals: AsyncStream<Message>) async {
        for await signal in signals { handle(signal) }
    }

    /// logind has appeared on the bus. Nothing is known of it yet.
    private func logindAppeared(_ logind: LoginManager) async {
        let signals = sleepSignals
        // If this fails, the query fails too and reports it. A signal since then is newer.
        if let isPreparing = try? await logind.isPreparingForSleep(), sleepSignals == signals {
            isAsleep = isPreparing
        }
        look()
        takeInhibitor()
    }

    /// logind has gone, so the end of sleep would not be signalled.
    private func logindVanished() {
        isAsleep = false
        useDefaultWithoutLogind()
    }

    /// Assumes what ``Absence`` says while logind does not answer.
    private func useDefaultWithoutLogind() {
        if absence == .away { user = nil }
        publishFacts()
    }

    private func nextRetryDelay() -> Duration {
        defer { retryDelay = min(retryDelay * 2, timing.retry.upperBound) }
        return retryDelay
    }
}

// MARK: - Queries

extension SeatWatch {
    private func handle(_ signal: Message) {
        switch (signal.interface, signal.member) {
        case (LoginManager.interface, "PrepareForSleep"):
            if let isBeginning = signal.body.first.flatMap({ Bool($0) }) { sleep(isBeginning) }
        case (LoginManager.interface, let member):
            // A user has logged in or out.
            if member == "SessionRemoved", let path = signal.body.last.flatMap({ ObjectPath($0) }) {
                locks.remove(path)
            }
            look()
        case (LoginManager.sessionInterface, "Lock"):
            if let path = signal.path { locks.order(path, locks: true, at: now) }
            if signal.path == user?.session?.path { publishFacts() }
        case (LoginManager.sessionInterface, "Unlock"):
            // The session's hint still has to be queried.
            if let path = signal.path { locks.order(path, locks: false, at: now) }
            if concerns(signal) { look() }
        case (.properties, "PropertiesChanged"):
            if let path = signal.path, let hint = signal.lockedHint {
                locks.recordChange(path, hint: hint, at: now)
            }
            if concerns(signal) { look() }
        default:
            break
        }
    }

    /// Whether a signal may change the result of a query. During a query the session is not known.
    private func concerns(_ signal: Message) -> Bool {
        looking != .no || signal.path == user?.path || signal.path == user?.session?.path
    }

    private func look() {
        guard looking == .no else { return looking = .again }
        looking = .yes
        Task {
            repeat {
                looking = .yes
                await lookOnce()
            } while looking == .again
            looking = .no
        }
    }

    private func lookOnce() async {
        guard let logind else { return }
        do {
            let seen = try await logind.user(uid)
            // A signal since then is newer: another query follows.
            guard self.logind != nil, looking != .again else { return }
            retryDelay = timing.retry.lowerBound
            user = seen
            if let session = seen?.session {
                locks.recordReading(session.path, hint: session.isLocked, at: now)
            }
            if seen == nil {
                trouble(.noSeat, DBusError.failed("logind does not know the user \(uid)"))
            } else {
                wasKnown = true
                reported.remove(.noSeat)
            }
            publishFacts()
        } catch {
            guard self.logind != nil else { return }
            trouble(.noSeat, error)
            if let error = error as? DBusError, error.saysAbsent { return logindVanished() }
            useDefaultWithoutLogind()
            EventLoopActor.schedule(after: nextRetryDelay()) { [weak self] in self?.look() }
        }
    }
}

// MARK: - Locks

extension SeatWatch {
    private var now: Duration { SuspendingClock.now - epoch }

    /// The screen savers' present answers.
    public func follow(_ screenSavers: [ScreenSaver: Bool]) {
        locks.report(screenSavers, at: now)
        if facts != nil { publishFacts() }
    }

    /// A person has started or resumed dictation. Resulting facts are published before this returns.
    public func userActed() {
        locks.userActed(at: now)
        if facts != nil { publishFacts() }
    }

    private func setLockAlarm() {
        let deadline = locks.deadline
        guard deadline != lockAlarm?.deadline else { return }
        lockAlarm?.timer.cancel()
        lockAlarm = deadline.map { deadline in
            let timer = EventLoopActor.schedule(after: max(.zero, deadline - now)) { [weak self] in
                self?.lockAlarm = nil
                self?.publishFacts()
            }
            return (deadline, timer)
        }
    }
}

// MARK: - Sleep

extension SeatWatch {
    /// Takes or releases the sleep delay inhibitor. Taken at the start.
    public func delaySleep(_ delays: Bool) {
        delaysSleep = delays
        if delays { takeInhibitor() } else { inhibitor = nil }
    }

    private func sleep(_ isBeginning: Bool) {
        sleepSignals += 1
        if !isBeginning, !isAsleep {
            // The machine has slept without a signal before.
            isAsleep = true
            publishFacts()
        }
        isAsleep = isBeginning
        publishFacts()
        takeInhibitor()
    }

    /// Tries again when logind reappears, and after the next sleep.
    private func takeInhibitor() {
        guard delaysSleep, inhibitor == nil, !isTakingInhibitor, !isAsleep, let logind else { return }
        isTakingInhibitor = true
        Task {
            let taken = await Result { try await logind.delaySleep(because: "Close the microphone first") }
            isTakingInhibitor = false
            guard self.logind?.connection === logind.connection else { return takeInhibitor() }
            switch taken {
            case .success(let descriptor):
                reported.remove(.noInhibitor)
                if delaysSleep { inhibitor = descriptor }
            case .failure(let error):
                // If logind is not there, the query reports it.
                if (error as? DBusError)?.saysAbsent != true { trouble(.noInhibitor, error) }
            }
        }
    }
}

extension Message {
    /// The lock event in a signal; nil for other signals.
    fileprivate var lockedHint: Bool? {
        let changes = try? body.decoded(as: BusText.self, [BusText: Value].self, [BusText].self)
        return changes?.1["LockedHint"].flatMap { Bool($0) }
    }
}
