import Glibc

/// A value that one thread at a time can reach: `Synchronization.Mutex`, made from a POSIX mutex.
///
/// The standard library's own works by futex inside a library the thread sanitizer does not look into,
/// and so everything it guards is reported as a race. This one can be proved.
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

    /// Gives `body` the value while no other thread has it. Not to be called by `body` again.
    public borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}

// The value enters and leaves as `sending`, and is touched between lock and unlock alone.
extension Lock: @unchecked Sendable {}
