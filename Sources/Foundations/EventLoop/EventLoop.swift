import CLinux
import Glibc
import Synchronization

/// A thread that waits for descriptors, timers and jobs and handles one at a time. It is the serial executor of
/// ``EventLoopActor``.
///
/// Everything here may be called from any thread. Handlers and jobs run on the loop's thread. Ready descriptors and
/// queued jobs take turns, so that neither can starve the other. The thread lives until `shutDown()`.
public final class EventLoop: SerialExecutor {
    /// The thread's name for debuggers and `ps`, which show its first 15 bytes.
    public let name: String
    private let epoll: Descriptor
    private let wakeUp: Descriptor
    private let alarm: Descriptor
    private let inbox = Lock(Inbox())
    private let watches = Lock<[UInt64: Watch]>([:])
    private let timers = Lock(TimerQueue())
    private let thread = Lock<OwnThread?>(nil)
    /// The loop's present thread; 0 if none.
    private let current = Atomic<pthread_t>(0)
    private let lastID = Atomic<UInt64>(EventLoop.alarmID)

    // Watches and timers are numbered. The first two numbers are the loop's own descriptors.
    private static let wakeUpID: UInt64 = 0
    private static let alarmID: UInt64 = 1
    /// How many queued jobs run before descriptors are polled again.
    private static let workPerTurn = 128
    private static let eventsPerTurn = 64

    /// Starts the thread.
    public init(name: String) throws(EventLoopError) {
        self.name = name
        epoll = try .opened("epoll_create1", epoll_create1(Int32(EPOLL_CLOEXEC)))
        wakeUp = try .opened("eventfd", eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
        alarm = try .opened(
            "timerfd_create",
            timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK)))
        // Edge-triggered, so that it need not be read to become quiet.
        try control(EPOLL_CTL_ADD, wakeUp.rawValue, EPOLLIN.rawValue | EPOLLET.rawValue, Self.wakeUpID)
        try control(EPOLL_CTL_ADD, alarm.rawValue, EPOLLIN.rawValue, Self.alarmID)

        let thread = try OwnThread(joinable: name) { self.run() }
        self.thread.withLock { $0 = thread }
    }

    /// Runs what is queued, then ends the thread and all watches and timers. Must not be called on the loop itself.
    ///
    /// Jobs that are queued later, for example by a task that returns to its actor, still run, on the thread that
    /// queues them.
    public func shutDown() {
        precondition(!isCurrent, "an event loop cannot wait for its own end")
        guard let thread = thread.withLock({ $0.take() }) else { return }
        carryOut(inbox.withLock { $0.end() })
        thread.join()
        // Released after the locks, because a handler may own objects that call back.
        _ = watches.withLock { watches in
            defer { watches = [:] }
            return watches
        }
        _ = timers.withLock { timers in
            defer { timers = TimerQueue() }
            return timers
        }
    }
}

// MARK: - Jobs

extension EventLoop {
    /// Queues a job for the loop, after earlier jobs.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        carryOut(inbox.withLock { $0.add(.body(body)) })
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        carryOut(inbox.withLock { $0.add(.job(job)) })
    }

    /// Whether this is the loop's thread.
    public var isCurrent: Bool {
        current.load(ordering: .relaxed) == pthread_self()
    }

    public func checkIsolated() {
        precondition(isCurrent, "not on the event loop's thread")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    private func carryOut(_ duty: Inbox.Duty) {
        switch duty {
        case .nothing: break
        case .wakeThread: _ = eventfd_write(wakeUp.rawValue, 1)
        case .takeWork: takeWork()
        }
    }

    private func perform(_ work: Work) {
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .body(let body): body()
        }
    }

    /// The main function of the loop's thread.
    private func run() {
        current.store(pthread_self(), ordering: .relaxed)
        var events = [epoll_event](repeating: epoll_event(), count: Self.eventsPerTurn)
        var work: [Work] = []
        while true {
            let rest = work.isEmpty ? rest() : .no
            if rest == .forEver { return }
            let count = epoll_wait(
                epoll.rawValue, &events, Int32(Self.eventsPerTurn), rest == .no ? 0 : -1)
            if work.isEmpty { work = inbox.withLock { $0.take() } }
            for event in events.prefix(Int(max(0, count))) { dispatch(event) }
            for _ in 0..<min(Self.workPerTurn, work.count) { perform(work.removeLast()) }
        }
    }

    /// Runs the remaining jobs after the end of the thread.
    private func takeWork() {
        // A job may release the last reference to the loop.
        let retained = Unmanaged.passRetained(self)
        defer { retained.release() }
        repeat {
            current.store(pthread_self(), ordering: .relaxed)
            var work = inbox.withLock { $0.take() }
            while let next = work.popLast() { perform(next) }
        } while rest() != .forEver
    }

    private func rest() -> Inbox.Rest {
        inbox.withLock { inbox in
            let rest = inbox.rest()
            if rest == .forEver { current.store(0, ordering: .relaxed) }
            return rest
        }
    }
}

// MARK: - Descriptors

extension EventLoop {
    /// Calls `handler` whenever the descriptor is ready for `interest`.
    ///
    /// A descriptor has one watch. The kernel refuses files and folders, which are always ready (`EPERM`).
    public func watch(
        _ descriptor: Int32, for interest: Interest, _ handler: @escaping @Sendable (Interest) -> Void
    ) throws(EventLoopError) -> Watch {
        let watch = Watch(id: nextID(), descriptor: descriptor, loop: self, handler: handler)
        watches.withLock { $0[watch.id] = watch }
        do throws(EventLoopError) {
            try watch.change(to: interest)
        } catch {
            watch.cancel()
            throw error
        }
        return watch
    }

    func control(
        _ operation: Int32, _ descriptor: Int32, _ events: UInt32, _ id: UInt64
    ) throws(EventLoopError) {
        var event = epoll_event(events: events, data: epoll_data_t(u64: id))
        if epoll_ctl(epoll.rawValue, operation, descriptor, &event) != 0 { throw .last("epoll_ctl") }
    }

    func forget(_ watch: Watch) {
        _ = watches.withLock { $0.removeValue(forKey: watch.id) }
    }

    private func dispatch(_ event: epoll_event) {
        switch event.data.u64 {
        case Self.wakeUpID: break
        case Self.alarmID: fireTimers()
        case let id: watches.withLock { $0[id] }?.fire(Interest(rawValue: event.events))
        }
    }

    private func nextID() -> UInt64 {
        lastID.wrappingAdd(1, ordering: .relaxed).newValue
    }
}

// MARK: - Timers

extension EventLoop {
    /// Calls `handler` after `delay`, and then once each `period` if there is one.
    ///
    /// The clock stops while the machine sleeps. Missed periods are skipped.
    @discardableResult
    public func schedule(
        after delay: Duration, repeating period: Duration? = nil, _ handler: @escaping @Sendable () -> Void
    ) -> Timer {
        let timer = Timer(id: nextID(), period: period, loop: self, handler: handler)
        timers.withLock { timers in
            timers.add(timer, at: .now.advanced(by: delay))
            if timers.needsEarlierAlarm { setAlarm(&timers) }
        }
        return timer
    }

    func forget(_ timer: Timer) {
        timers.withLock { $0.remove(timer) }
    }

    private func fireTimers() {
        let due = timers.withLock { timers in
            defer { setAlarm(&timers) }
            return timers.takeDue(at: .now)
        }
        for timer in due { timer.fire() }
    }

    /// Sets the alarm, which also clears one that has fired.
    private func setAlarm(_ timers: inout TimerQueue) {
        let nanoseconds = timers.setAlarm()?.nanoseconds ?? 0
        var time = itimerspec()
        time.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
        time.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        timerfd_settime(alarm.rawValue, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }
}
