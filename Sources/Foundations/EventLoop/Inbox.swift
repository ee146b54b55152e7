extension EventLoop {
    /// A job for the loop.
    enum Work {
        case job(UnownedJob)
        case body(@Sendable () -> Void)
    }

    /// The queue of jobs, in order of arrival, and who runs them.
    struct Inbox {
        private var work: [Work] = []
        private var taker = Taker.thread(asleep: false)
        private var isEnding = false

        private enum Taker: Equatable {
            case thread(asleep: Bool)
            /// The thread has ended. A thread that queues a job runs it, and those that are queued meanwhile.
            case callers(busy: Bool)
        }

        /// What the thread that queued a job has to do next.
        enum Duty {
            case nothing, wakeThread, takeWork
        }

        mutating func add(_ new: Work) -> Duty {
            work.append(new)
            switch taker {
            case .thread(asleep: true):
                taker = .thread(asleep: false)
                return .wakeThread
            case .callers(busy: false):
                taker = .callers(busy: true)
                return .takeWork
            case .thread(asleep: false), .callers(busy: true):
                return .nothing
            }
        }

        /// All jobs, the latest first.
        mutating func take() -> [Work] {
            if case .thread = taker { taker = .thread(asleep: false) }
            defer { work = [] }
            return work.reversed()
        }

        /// Tells the thread to end when the queue is empty. Returns whether it has to be woken for that.
        mutating func end() -> Duty {
            isEnding = true
            return taker == .thread(asleep: true) ? .wakeThread : .nothing
        }

        /// The queue is empty: the thread that runs jobs sleeps until it is woken.
        mutating func rest() -> Rest {
            if !work.isEmpty { return .no }
            switch taker {
            case .thread where !isEnding:
                taker = .thread(asleep: true)
                return .untilWoken
            case .thread, .callers:
                taker = .callers(busy: false)
                return .forEver
            }
        }

        enum Rest {
            case no, untilWoken, forEver
        }
    }
}
