import CLinux
import Glibc
import Synchronization

/// A thread that waits for descriptors, timers and work, and does one thing at a time:
/// the serial executor of actors that live on descriptors.
///
/// Everything here may be called from any thread. Handlers, bodies and the jobs of actors run on the loop's thread.
/// What is ready on descriptors and what is queued take turns, so that neither can keep the other waiting.
/// The thread lives until `shutDown()`.
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
    /// The thread that is the loop's at this moment; 0 is none.
    private let current = Atomic<pthread_t>(0)
    private let lastID = Atomic<UInt64>(EventLoop.alarmID)

    // Watches and timers are numbered; the first two numbers are the loop's own descriptors.
    private static let wakeUpID: UInt64 = 0
    private static let alarmID: UInt64 = 1
    /// How much queued work is done before descriptors are looked at again.
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
        // By its edges, so that it need not be read to be quiet again.
        try control(EPOLL_CTL_ADD, wakeUp.rawValue, EPOLLIN.rawValue | EPOLLET.rawValue, Self.wakeUpID)
        try control(EPOLL_CTL_ADD, alarm.rawValue, EPOLLIN.rawValue, Self.alarmID)

        let thread = try OwnThread(joinable: name) { self.run() }
        self.thread.withLock { $0 = thread }
    }

    /// Does what is queued, then ends the thread and all watches and timers. Not to be called on the loop itself.
    ///
    /// Work that is brought later, as by a task that returns to its actor, is still done: by the thread that brings it.
    public func shutDown() {
        precondition(!isCurrent, "an event loop cannot wait for its own end")
        guard let thread = thread.withLock({ $0.take() }) else { return }
        carryOut(inbox.withLock { $0.end() })
        thread.join()
        // Released after the locks: a handler may own what calls back.
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

// MARK: - Work

extension EventLoop {
    /// Queues work for the loop, behind the jobs of actors and other work that came earlier.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        carryOut(inbox.withLock { $0.add(.body(body)) })
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        carryOut(inbox.withLock { $0.add(.job(job)) })
    }

    /// Whether the calling thread is the loop's.
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

    /// The loop's thread, from beginning to end.
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

    /// After the thread's end: does all there is in its place.
    private func takeWork() {
        // What is done may let go of the last reference to the loop: of an actor that was its last.
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
    /// Calls `handler` whenever, and as long as, the descriptor is ready for what `interest` names.
    ///
    /// One descriptor has one watch. The kernel refuses files and folders, which are always ready (`EPERM`).
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
    /// Calls `handler` when `delay` has passed, and then, if `period` is given, once each period.
    ///
    /// Time stands still while the machine sleeps. Periods that were missed are left out, not caught up with.
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

    /// Also makes an alarm that has gone off quiet again.
    private func setAlarm(_ timers: inout TimerQueue) {
        let nanoseconds = timers.setAlarm()?.nanoseconds ?? 0
        var time = itimerspec()
        time.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
        time.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        timerfd_settime(alarm.rawValue, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }
}
