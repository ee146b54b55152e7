import DictationBus
import DictationCore
import EventLoop
import Glibc
import Logging

/// Starts the worker of a broker that serves its own user alone: a child process, whose program lies beside the broker's.
@EventLoopActor
final class ChildWorkers: WorkerStarter {
    private let program: String
    private let arguments: [String]
    private let environment: [String: String]
    private let logger: Logger
    private var children: [UInt32: Subprocess] = [:]
    private var running = 0
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var path = ""
    private var failed: @EventLoopActor (UInt32, Refusal) -> Void = { _, _ in }

    /// - Parameters:
    ///   - program: of the worker; by default that beside this process's own.
    ///   - arguments: of the worker, apart from the broker's socket.
    init(
        program: String? = nil, _ arguments: [String], environment: [String: String], logger: Logger
    ) throws(EventLoopError) {
        if let program {
            self.program = program
        } else {
            let own = try Subprocess.ownProgram()
            self.program = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/dictation-worker"
        }
        self.arguments = arguments
        // The service manager's messages are for the broker.
        self.environment = environment.filter {
            !["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"].contains($0.key)
        }
        self.logger = logger
    }

    func begin(brokerAt path: String, failed: @escaping @EventLoopActor (UInt32, Refusal) -> Void) {
        self.path = path
        self.failed = failed
    }

    var neededUsers: [UInt32] { [getuid()] }

    let advice = "See its log."

    /// A child that ends is not started again by itself.
    func release(_ uid: UInt32) {}

    /// The thread that waits for the child starts it: without that thread there is no child.
    func start(_ uid: UInt32) throws(Refusal) {
        let words = [program, "--broker", path] + arguments
        // The end of the one before says nothing of this one.
        children[uid] = nil
        do throws(EventLoopError) {
            try OwnThread.start("worker") { [environment] in
                do throws(EventLoopError) {
                    let child = try Subprocess(
                        words, environment: environment, files: [0: .path("/dev/null", flags: O_RDONLY)])
                    EventLoopActor.execute { [weak self] in self?.children[uid] = child }
                    let status = try? child.wait()
                    EventLoopActor.execute { [weak self] in self?.ended(uid, child, status) }
                } catch {
                    EventLoopActor.execute { [weak self] in self?.notStarted(uid, error) }
                }
            }
            running += 1
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: EventLoopError) -> Refusal {
        Refusal(.engineFailed, "\(program) could not be started: \(error)")
    }

    private func notStarted(_ uid: UInt32, _ error: EventLoopError) {
        failed(uid, failure(error))
        oneLess()
    }

    /// Its end is noticed as that of any other.
    func kill(_ uid: UInt32) { children[uid]?.send(SIGKILL) }

    private func ended(_ uid: UInt32, _ child: Subprocess, _ status: Int32?) {
        if status != 0 {
            logger.notice("a worker has ended", metadata: ["status": "\(status ?? -1)"])
        }
        // Another one may have been started.
        if children[uid]?.pid == child.pid {
            children[uid] = nil
            // Unless it has greeted, in which case its connection has ended too.
            failed(uid, Refusal(.engineFailed, "The worker ended before it could work; see its log."))
        }
        oneLess()
    }

    private func oneLess() {
        running -= 1
        guard running == 0 else { return }
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    func allEnded() async {
        guard running > 0 else { return }
        let deadline = EventLoopActor.schedule(after: Self.endTimeout) { [weak self] in
            for child in self?.children.values ?? [:].values { child.send(SIGKILL) }
        }
        await withCheckedContinuation { waiters.append($0) }
        deadline.cancel()
    }

    /// How long a worker may take to end after it has closed its connection.
    private static let endTimeout = Duration.seconds(2)
}
