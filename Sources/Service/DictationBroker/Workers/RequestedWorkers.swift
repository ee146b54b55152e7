import DictationBus
import DictationCore
import EventLoop
import Glibc
import Logging

/// Asks the users' service managers for workers: see ``WorkerRequest``.
@EventLoopActor
final class RequestedWorkers: WorkerStarter {
    /// The folder of the requests.
    private let folder: String
    private let bus: String
    private let logger: Logger
    private var socket = ""
    /// Whose workers a service that was killed has requested: they may have something to restore.
    let neededUsers: [UInt32]

    /// - Parameters:
    ///   - folder: the runtime folder of the service.
    ///   - bus: the GUID of the service's bus.
    init(in folder: String, bus: String, logger: Logger) throws(EventLoopError) {
        self.folder = "\(folder)/wanted"
        self.bus = bus
        self.logger = logger
        guard mkdir(self.folder, 0o755) == 0 || errno == EEXIST else {
            throw EventLoopError(call: "mkdir \(self.folder)", code: errno)
        }
        // Users' service managers look for the files, whatever the umask.
        chmod(self.folder, 0o755)
        neededUsers = Array(names(inFolder: self.folder).compactMap { UInt32($0) }.prefix(Workers.limit))
    }

    func begin(brokerAt path: String, failed: @escaping @EventLoopActor (UInt32, Refusal) -> Void) {
        socket = path
    }

    func start(_ uid: UInt32) throws(Refusal) {
        do throws(EventLoopError) {
            try write(WorkerRequest(socket: socket, bus: bus).text, for: uid)
        } catch {
            throw Refusal(.engineFailed, "The user's worker cannot be requested: \(error)")
        }
    }

    /// The file appears complete.
    private func write(_ text: String, for uid: UInt32) throws(EventLoopError) {
        let (path, draft) = (path(of: uid), "\(folder)/.\(uid)")
        let number = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard number >= 0 else { throw EventLoopError(call: "open \(draft)", code: errno) }
        let file = Descriptor(owning: number)
        let bytes = Array(text.utf8)
        guard Glibc.write(file.rawValue, bytes, bytes.count) == bytes.count,
            fchmod(file.rawValue, 0o644) == 0,
            rename(draft, path) == 0
        else { throw EventLoopError(call: "write \(path)", code: errno) }
    }

    func release(_ uid: UInt32) {
        guard unlink(path(of: uid)) != 0, errno != ENOENT else { return }
        logger.error(
            "a request for a worker stays",
            metadata: ["why": "\(EventLoopError(call: "unlink", code: errno))"])
    }

    /// This process may not. The watchdog of the user's service manager does, after 30 s.
    func kill(_ uid: UInt32) {}

    /// Nobody waits for other users' processes.
    func allEnded() async {}

    var advice: String {
        "The user's service manager starts it: 'systemctl --user status dictation-worker.path' says more. "
            + "Without one, run 'dictation-worker --stay'; see dictation-worker(1)."
    }

    private func path(of uid: UInt32) -> String { "\(folder)/\(uid)" }
}
