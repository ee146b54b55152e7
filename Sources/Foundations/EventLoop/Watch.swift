import CLinux

extension EventLoop {
    /// What a descriptor is watched for, and what was found of it.
    public struct Interest: OptionSet, Hashable, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        public static let readable = Interest(rawValue: EPOLLIN.rawValue)
        public static let writable = Interest(rawValue: EPOLLOUT.rawValue)
        /// The other end is closed. Needs no asking for, and comes with all that was asked for,
        /// so that a handler which only reads and writes meets the end of file or the error itself.
        public static let hangUp = Interest(rawValue: EPOLLHUP.rawValue)
        /// The descriptor failed, or can no longer be watched. Needs no asking for, like `hangUp`.
        public static let error = Interest(rawValue: EPOLLERR.rawValue)
    }

    /// A descriptor under watch. It stays so until `cancel()`, whether or not anybody keeps the watch.
    ///
    /// The descriptor must stay open until then: cancel first, close later.
    public final class Watch: Sendable {
        let id: UInt64
        let descriptor: Int32
        private let loop: EventLoop
        private let handler: @Sendable (Interest) -> Void
        /// None once cancelled.
        private let state = Lock<Interest?>([])

        init(id: UInt64, descriptor: Int32, loop: EventLoop, handler: @escaping @Sendable (Interest) -> Void)
        {
            self.id = id
            self.descriptor = descriptor
            self.loop = loop
            self.handler = handler
        }

        /// What the descriptor is watched for; nothing, not even a hang-up, while empty or cancelled.
        ///
        /// Should the kernel refuse a change, the handler is told `.error`.
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
                // A descriptor in the set tells of a hang-up even if nothing is asked for, again and again.
                let operation = old.isEmpty ? EPOLL_CTL_ADD : new.isEmpty ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
                try loop.control(operation, descriptor, new.rawValue, id)
                interest = new
            }
        }

        /// Ends the watch. On the loop's thread, the handler is not called again;
        /// from another thread, a call of it may just be going on.
        public func cancel() {
            interest = []
            state.withLock { $0 = nil }
            loop.forget(self)
        }

        /// Calls the handler with those of `events` it still wants to hear.
        func fire(_ events: Interest) {
            let interest = interest
            guard !interest.isEmpty else { return }
            let ended = events.intersection([.hangUp, .error])
            handler(ended.isEmpty ? events.intersection(interest) : ended.union(interest))
        }
    }
}
