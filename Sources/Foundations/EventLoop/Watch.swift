import CLinux

extension EventLoop {
    /// The events of a descriptor.
    public struct Interest: OptionSet, Hashable, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        public static let readable = Interest(rawValue: EPOLLIN.rawValue)
        public static let writable = Interest(rawValue: EPOLLOUT.rawValue)
        /// The other end is closed. Always reported, together with all requested events, so that a handler that only
        /// reads and writes gets the end of file or the error.
        public static let hangUp = Interest(rawValue: EPOLLHUP.rawValue)
        /// The descriptor failed, or can no longer be watched. Always reported, like `hangUp`.
        public static let error = Interest(rawValue: EPOLLERR.rawValue)
    }

    /// A watched descriptor, until `cancel()`, even if the watch is not kept.
    ///
    /// Cancel the watch before closing the descriptor.
    public final class Watch: Sendable {
        let id: UInt64
        let descriptor: Int32
        private let loop: EventLoop
        private let handler: @Sendable (Interest) -> Void
        /// Nil after cancellation.
        private let state = Lock<Interest?>([])

        init(id: UInt64, descriptor: Int32, loop: EventLoop, handler: @escaping @Sendable (Interest) -> Void)
        {
            self.id = id
            self.descriptor = descriptor
            self.loop = loop
            self.handler = handler
        }

        /// The requested events. While empty or cancelled, nothing is reported, not even a hang-up.
        ///
        /// If the kernel refuses a change, the handler gets `.error`.
        public var interest: Interest {
            get { state.withLock { $0 ?? [] } }
            set {
                do throws(EventLoopError) {
                    try change(to: newValue)
                } catch {
                    loop.execute { self.handler(.error) }
                }
            }
        }

        func change(to new: Interest) throws(EventLoopError) {
            try state.withLock { interest throws(EventLoopError) in
                guard let old = interest, old != new else { return }
                // epoll always reports a hang-up, again and again.
                let operation = old.isEmpty ? EPOLL_CTL_ADD : new.isEmpty ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
                try loop.control(operation, descriptor, new.rawValue, id)
                interest = new
            }
        }

        /// Cancels the watch. On the loop's thread, the handler is not called again; from another thread, a call may be
        /// in progress.
        public func cancel() {
            interest = []
            state.withLock { $0 = nil }
            loop.forget(self)
        }

        /// Calls the handler with those of `events` that are still requested.
        func fire(_ events: Interest) {
            let interest = interest
            guard !interest.isEmpty else { return }
            let ended = events.intersection([.hangUp, .error])
            handler(ended.isEmpty ? events.intersection(interest) : ended.union(interest))
        }
    }
}
