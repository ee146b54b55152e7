import Glibc

/// A value behind a POSIX mutex, with the interface of `Synchronization.Mutex`.
///
/// The thread sanitizer does not see the standard library's mutex, which uses a futex inside an uninstrumented library,
/// and reports a race for everything that it guards. It does see a POSIX mutex.
public struct Lock<Value>: ~Copyable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    public init(_ initial: consuming sending Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Calls `body` with the value while this thread holds the mutex. Calling it again within `body` deadlocks.
    public borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}

// Proof: the value enters and leaves as `sending`, and only `withLock` reads or writes it, while it holds the mutex.
extension Lock: @unchecked Sendable {}
