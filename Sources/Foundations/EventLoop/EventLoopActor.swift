/// The isolation domain of everything on this process's event loop.
///
/// Its classes, and the handlers that the loop, D-Bus or PipeWire call, are annotated with it. The compiler checks that
/// both are used only on the loop's thread. The thread starts with the first use and lasts as long as the process. The
/// functions here may be called from any thread.
@globalActor
public actor EventLoopActor {
    public static let shared = EventLoopActor()

    private static let started = Result { () throws(EventLoopError) in try EventLoop(name: "event loop") }

    /// The loop that runs the domain.
    public static let loop: EventLoop =
        switch started {
        case .success(let loop): loop
        case .failure(let error): preconditionFailure("The event loop cannot start: \(error)")
        }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.asUnownedSerialExecutor() }

    /// Starts the loop. A program calls this first to report the error, because using a domain without a loop ends the
    /// process.
    public static func start() throws(EventLoopError) {
        _ = try started.get()
    }
}

// MARK: - Handlers

extension EventLoopActor {
    /// As ``EventLoop/watch(_:for:_:)``, on the domain's loop.
    public static func watch(
        _ descriptor: Int32, for interest: EventLoop.Interest,
        _ handler: @escaping @EventLoopActor (EventLoop.Interest) -> Void
    ) throws(EventLoopError) -> EventLoop.Watch {
        try loop.watch(descriptor, for: interest) { found in enter { handler(found) } }
    }

    /// As ``EventLoop/schedule(after:repeating:_:)``, on the domain's loop.
    @discardableResult
    public static func schedule(
        after delay: Duration, repeating period: Duration? = nil,
        _ handler: @escaping @EventLoopActor () -> Void
    ) -> EventLoop.Timer {
        loop.schedule(after: delay, repeating: period) { enter(handler) }
    }

    /// Returns after this time.
    @EventLoopActor
    public static func pause(_ duration: Duration) async {
        await withCheckedContinuation { continuation in
            _ = schedule(after: duration) { continuation.resume() }
        }
    }

    /// Queues a job for the loop, after the domain's tasks and earlier jobs.
    public static func execute(_ body: @escaping @EventLoopActor () -> Void) {
        loop.execute { enter(body) }
    }

    /// Runs the job at once on the loop's thread, and queues it on any other.
    public static func executeNowIfCurrent(_ body: @escaping @EventLoopActor () -> Void) {
        if loop.isCurrent { enter(body) } else { execute(body) }
    }

    /// Calls `body` on the loop's thread; on any other thread it ends the process.
    ///
    /// Proof: this is the only step into the domain that the compiler does not check. The first line checks that this
    /// thread is the one on which the executor runs the domain's tasks, one at a time. The standard library's
    /// `MainActor.assumeIsolated` does the same, and does not exist for other global actors.
    private static func enter(_ body: @escaping @EventLoopActor () -> Void) {
        shared.preconditionIsolated("not on the event loop's thread")
        // A function's isolation is part of its type and not of its representation, so the cast changes only the type.
        unsafeBitCast(body, to: (() -> Void).self)()
    }
}
