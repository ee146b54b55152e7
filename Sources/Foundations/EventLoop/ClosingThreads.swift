import CLinux
import Glibc

/// Threads that close the descriptors of others.
///
/// close(2) can wait: for the unsent data of a socket, as long as its sender has set (`SO_LINGER`), and for the server of a
/// file system (FUSE). So an event loop must not close what it was sent. A socket's wait is interrupted after a few
/// milliseconds. A file system that does not answer holds one thread; further threads go on with the rest. The descriptors of one
/// sender hold few of them.
///
/// Threads start when there is something to close and end when there is nothing left.
public final class ClosingThreads: Sendable {
    /// Those of this process.
    public static let shared = ClosingThreads()

    private struct Job {
        let sender: String?
        let close: @Sendable () -> Void
    }

    private struct State {
        /// In the order of arrival.
        var waiting: [Job] = []
        /// Threads that were started.
        var threads = 0
        /// The present job of each thread: its sender, and since when it runs.
        var running: [pthread_t: (sender: String?, since: SuspendingClock.Instant)] = [:]
        var isWatched = false

        /// The first job whose sender holds fewer threads than it may.
        var next: Int? {
            guard !waiting.isEmpty else { return nil }
            var held: [String: Int] = [:]
            for case let sender? in running.values.map({ $0.sender }) { held[sender, default: 0] += 1 }
            return waiting.firstIndex { job in
                job.sender.map { held[$0, default: 0] < ClosingThreads.senderLimit } ?? true
            }
        }
    }

    private let state = Lock(State())

    /// Maximum number of threads.
    private static let limit = 64
    /// Maximum number of threads that work for one sender at the same time.
    static let senderLimit = 4
    /// A job that runs longer is interrupted, and no longer holds up others.
    private static let timeout = Duration.milliseconds(5)
    /// A job that runs longer than this cannot be interrupted, and is looked at less often.
    private static let hopeless = Duration.seconds(5)

    init() {}

    /// Calls `close` on one of the threads, and then releases what it has captured there.
    /// - Parameter sender: who has sent what is closed; nil if that is not known.
    public func perform(for sender: String? = nil, _ close: @escaping @Sendable () -> Void) {
        let (isFirst, wasWatched) = state.withLock { state in
            state.waiting.append(Job(sender: sender, close: close))
            let isFirst = state.threads == 0
            if isFirst { state.threads = 1 }
            defer { state.isWatched = true }
            return (isFirst, state.isWatched)
        }
        if isFirst { startThread() }
        if !wasWatched { watch(after: Self.timeout) }
    }

    private func startThread() {
        do throws(EventLoopError) {
            try OwnThread.start("closing") { [self] in run() }
        } catch {
            // Tried again by `inspect`, as long as something waits.
            state.withLock { $0.threads -= 1 }
        }
    }

    private func run() {
        // Threads of libdispatch block it, and those that they start.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGURG)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        while let close = nextJob() { close() }
    }

    private func nextJob() -> (@Sendable () -> Void)? {
        let thread = pthread_self()
        return state.withLock { state in
            state.running[thread] = nil
            guard let next = state.next else {
                state.threads -= 1
                return nil
            }
            let job = state.waiting.remove(at: next)
            state.running[thread] = (job.sender, .now)
            return job.close
        }
    }

    private func watch(after delay: Duration) {
        EventLoopActor.loop.schedule(after: delay) { [self] in inspect() }
    }

    /// Interrupts jobs that wait, and starts another thread if all of them wait.
    private func inspect() {
        let (starts, delay) = state.withLock { state -> (Bool, Duration?) in
            let now = SuspendingClock.now
            let stalled = state.running.filter { now - $0.value.since >= Self.timeout }
            if !stalled.isEmpty, dictation_linux_make_interruptible() == 0 {
                // They exist: a thread leaves the list, under this lock, before it ends.
                for thread in stalled.keys { pthread_kill(thread, SIGURG) }
            }
            let starts =
                stalled.count == state.threads && state.threads < Self.limit && state.next != nil
            if starts { state.threads += 1 }
            state.isWatched = !state.waiting.isEmpty || !state.running.isEmpty
            guard state.isWatched else { return (starts, nil) }
            let isHopeless =
                state.next == nil && state.running.values.allSatisfy { now - $0.since > Self.hopeless }
            return (starts, isHopeless ? .seconds(1) : Self.timeout)
        }
        if starts { startThread() }
        if let delay { watch(after: delay) }
    }
}
