import CLinux
import Glibc

/// A thread for work that may block, which must not run on the cooperative pool or an event loop.
public struct OwnThread: Sendable {
    private let thread: pthread_t

    /// Starts a thread that ends with `body`. It is detached.
    /// - Parameter name: the first 15 bytes are shown by `ps -L`.
    /// - Throws: the error of `pthread_create`.
    public static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(EventLoopError) {
        // Created detached: the leak sanitizer remembers the ID of a thread that is detached later, and reports the
        // memory of the next thread with that ID as lost.
        _ = try OwnThread(name, PTHREAD_CREATE_DETACHED, body)
    }

    /// Runs `body` on a new thread.
    /// - Throws: as ``start(_:_:)``.
    public static func run<Output: Sendable>(
        _ name: String, _ body: @escaping @Sendable () -> Output
    ) async throws(EventLoopError) -> Output {
        let result: Result<Output, EventLoopError> = await withCheckedContinuation { continuation in
            do throws(EventLoopError) {
                try start(name) { continuation.resume(returning: .success(body())) }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }

    /// Starts a thread that must be joined.
    init(joinable name: String, _ body: @escaping @Sendable () -> Void) throws(EventLoopError) {
        try self.init(name, PTHREAD_CREATE_JOINABLE, body)
    }

    /// Returns when the thread has ended.
    func join() {
        pthread_join(thread, nil)
    }

    private init(
        _ name: String, _ kind: Int, _ body: @escaping @Sendable () -> Void
    ) throws(EventLoopError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(kind))
        // Proof: retained for the thread, which releases it, or released below if there is no thread.
        let work = Unmanaged.passRetained(Work(name, body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { argument in
                // Proof: the argument is `work`, and this runs once.
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw EventLoopError(call: "pthread_create", code: code)
        }
        self.thread = thread
    }
}

private final class Work: Sendable {
    private let name: String
    private let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    func run() {
        dictation_linux_name_thread(name)
        body()
    }
}
