extension EventLoop {
    /// A job for the loop.
    enum Work {
        case job(UnownedJob)
        case body(@Sendable () -> Void)
    }

    /// The queue of jobs, in order of arrival, and who runs them.
    struct Inbox {
        private var work: [Work] = []
        private var consumer = Consumer.thread(asleep: false)
        private var isEnding = false

        private enum Consumer: Equatable {
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
            switch consumer {
            case .thread(asleep: true):
                consumer = .thread(asleep: false)
                return .wakeThread
            case .callers(busy: false):
                consumer = .callers(busy: true)
                return .takeWork
            case .thread(asleep: false), .callers(busy: true):
                return .nothing
            }
        }

        /// All jobs, the latest first.
        mutating func take() -> [Work] {
            if case .thread = consumer { consumer = .thread(asleep: false) }
            defer { work = [] }
            return work.reversed()
        }

        /// Tells the thread to end when the queue is empty. Returns whether it has to be woken for that.
        mutating func end() -> Duty {
            isEnding = true
            return consumer == .thread(asleep: true) ? .wakeThread : .nothing
        }

        /// The queue is empty: the thread that runs jobs sleeps until it is woken.
        mutating func rest() -> Rest {
            if !work.isEmpty { return .no }
            switch consumer {
            case .thread where !isEnding:
                consumer = .thread(asleep: true)
                return .untilWoken
            case .thread, .callers:
                consumer = .callers(busy: false)
                return .forEver
            }
        }

        enum Rest {
            case no, untilWoken, forEver
        }
    }
}
