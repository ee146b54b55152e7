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

    /// - Parameter arguments: of the worker, apart from the broker's socket.
    init(_ arguments: [String], environment: [String: String], logger: Logger) throws(EventLoopError) {
        let own = try Subprocess.ownProgram()
        program = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/dictation-worker"
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

    func start(_ uid: UInt32) {
        do {
            let child = try Subprocess(
                [program, "--broker", path] + arguments, environment: environment,
                files: [0: .path("/dev/null", flags: O_RDONLY)])
            running += 1
            children[uid] = child
            try OwnThread.start("worker") {
                let status = try? child.wait()
                EventLoopActor.execute { [weak self] in self?.ended(uid, child, status) }
            }
        } catch {
            failed(uid, Refusal(.engineFailed, "\(program) could not be started: \(error)"))
        }
    }

    /// Its end is noticed as that of any other.
    func kill(_ uid: UInt32) { children[uid]?.send(SIGKILL) }

    private func ended(_ uid: UInt32, _ child: Subprocess, _ status: Int32?) {
        running -= 1
        if status != 0 {
            logger.notice("a worker has ended", metadata: ["status": "\(status ?? -1)"])
        }
        // Another one may have been started.
        if children[uid]?.pid == child.pid {
            children[uid] = nil
            // Unless it has greeted, in which case its connection has ended too.
            failed(uid, Refusal(.engineFailed, "The worker ended before it could work; see its log."))
        }
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
    private static let endTimeout = Duration.seconds(3)
}
