import CLinux
import Glibc
import Synchronization

extension EventLoop {
    /// A timer of the loop, single or repeating, until `cancel()`.
    public final class Timer: Sendable {
        let id: UInt64
        private let period: Duration?
        private let handler: @Sendable () -> Void
        private let cancelled = Atomic(false)
        private let loop: EventLoop

        init(id: UInt64, period: Duration?, loop: EventLoop, handler: @escaping @Sendable () -> Void) {
            self.id = id
            self.period = period
            self.loop = loop
            self.handler = handler
        }

        /// Cancels the timer. On the loop's thread, the handler is not called again; from another thread, a call may be
        /// in progress.
        public func cancel() {
            cancelled.store(true, ordering: .relaxed)
            loop.forget(self)
        }

        func fire() {
            if !cancelled.load(ordering: .relaxed) { handler() }
        }

        /// The next time after `deadline`. Missed periods are skipped.
        func deadline(after deadline: Instant, now: Instant) -> Instant? {
            period.map { period in
                let step = max(1, period.nanoseconds)
                let missed = (now.nanoseconds - deadline.nanoseconds) / step
                return Instant(nanoseconds: deadline.nanoseconds + (missed + 1) * step)
            }
        }
    }

    /// A time of `CLOCK_MONOTONIC`, which stops while the machine sleeps.
    struct Instant: Comparable {
        var nanoseconds: Int64

        static var now: Instant {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        }

        static func < (one: Instant, other: Instant) -> Bool {
            one.nanoseconds < other.nanoseconds
        }

        func advanced(by duration: Duration) -> Instant {
            Instant(nanoseconds: nanoseconds + duration.nanoseconds)
        }
    }
}

extension Duration {
    /// Limited to 0 to a hundred years, so that sums do not overflow.
    fileprivate var nanoseconds: Int64 {
        let limit: Int64 = 100 * 366 * 86400
        let (seconds, attoseconds) = components
        return if self < .zero { 0 } else if seconds >= limit { limit * 1_000_000_000 } else {
            seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        }
    }
}
