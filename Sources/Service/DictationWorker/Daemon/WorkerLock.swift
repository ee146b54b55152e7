import CLinux
import DictationBus
import EventLoop
import Glibc

/// One worker of a user works for a bus at a time. A worker whose broker has failed may still be ending when the next one begins,
/// and has the journals open that the next one reads.
struct WorkerLock: Sendable {
    private let file: Descriptor

    /// Waits for another worker to end; blocks.
    /// - Parameters:
    ///   - bus: the GUID of the service's bus.
    ///   - timeout: how long to wait.
    /// - Returns: nil where there is no folder for it, and so for journals.
    static func acquire(
        _ bus: String, environment: [String: String], timeout: Duration = .seconds(4)
    ) throws(WorkerLockError) -> WorkerLock? {
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else { return nil }
        let folder = "\(runtime)/dictation"
        mkdir(folder, 0o700)
        let number = open("\(folder)/worker-\(bus)", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else { return nil }
        let file = Descriptor(owning: number)
        let deadline = SuspendingClock.now + timeout
        while dictation_linux_lock_file(number) != 0 {
            guard SuspendingClock.now < deadline else { throw WorkerLockError() }
            usleep(10_000)
        }
        return WorkerLock(file: file)
    }
}

struct WorkerLockError: Error, CustomStringConvertible {
    var description: String { "another worker of this user has not ended" }
}
