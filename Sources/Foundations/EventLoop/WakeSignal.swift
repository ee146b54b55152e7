import CLinux
import Glibc

/// A thread waits on it until another sends it. It remembers that it was sent, not how often.
///
/// It needs no descriptor, so that it works in a shortage of them; to wait for input too there is ``InputSignal``.
public final class WakeSignal {
    // A condition variable needs a stable address, which a Swift class does not guarantee for its fields.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private let isSent: UnsafeMutablePointer<Bool>

    public init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        isSent = .allocate(capacity: 1)
        isSent.initialize(to: false)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        isSent.deallocate()
    }

    public func send() {
        pthread_mutex_lock(mutex)
        isSent.pointee = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Returns after ``send()``, after the timeout, or (rarely) spuriously.
    public func wait(within seconds: Double = .infinity) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        defer { isSent.pointee = false }
        if isSent.pointee { return }
        guard seconds.isFinite else {
            pthread_cond_wait(condition, mutex)
            return
        }
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        // A hundred years, so that the sum fits.
        let nanoseconds = Int(max(0, min(seconds, 3e9)) * 1e9) + end.tv_nsec
        end.tv_sec += nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        pthread_cond_timedwait(condition, mutex, &end)
    }
}

// Proof: the flag is read and written with the mutex held.
extension WakeSignal: @unchecked Sendable {}
