import DBus
import Desktop
import DictationBus
import DictationInterface
import EventLoop
import Glibc
import Logging

/// Starts a worker as long as the service of the machine asks for it.
@EventLoopActor
final class WorkerKeeper {
    /// See ``WorkerRequest``.
    private let request: String
    private let arguments: [String]
    private let environment: [String: String]
    private let logger: Logger
    private var watch: FileWatch?
    private var worker: Subprocess?
    private var isEnding = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Between the end of a worker and the start of the next.
    private static let pause = Duration.milliseconds(300)

    init(_ request: String, _ arguments: [String], environment: [String: String], logger: Logger) {
        self.request = request
        self.arguments = arguments
        self.environment = environment
        self.logger = logger
    }

    /// - Parameter service: the connection to the service's bus.
    func begin(on service: Connection) async throws {
        try await service.listen(
            MatchRule(
                sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged",
                arguments: [0: DictationInterface.busName.rawValue])
        ) { [weak self] _ in self?.serviceChanged() }
        serviceChanged()
    }

    /// The folder of the requests is as old as the service.
    private func serviceChanged() {
        watch?.stop()
        watch = nil
        do {
            let watch = try FileWatch(request)
            try watch.start { [weak self] in self?.startIfRequested() }
            self.watch = watch
        } catch {
            logger.debug("the service does not run", metadata: ["why": "\(error)"])
        }
        startIfRequested()
    }

    private func startIfRequested() {
        guard worker == nil, !isEnding, access(request, F_OK) == 0 else { return }
        do {
            let worker = try Subprocess(
                arguments, environment: environment, files: [0: .path("/dev/null", flags: O_RDONLY)])
            self.worker = worker
            try OwnThread.start("worker") {
                _ = try? worker.wait()
                EventLoopActor.execute { [weak self] in self?.ended() }
            }
        } catch {
            logger.error("the worker could not be started", metadata: ["why": "\(error)"])
        }
    }

    private func ended() {
        worker = nil
        for waiter in waiters { waiter.resume() }
        waiters = []
        _ = EventLoopActor.schedule(after: Self.pause) { [weak self] in self?.startIfRequested() }
    }

    /// Ends the worker, which commits what is open.
    func end() async {
        isEnding = true
        watch?.stop()
        guard let worker else { return }
        worker.send(SIGTERM)
        await withCheckedContinuation { waiters.append($0) }
    }
}
