extension EventLoop {
    /// A piece of work for the loop.
    enum Work {
        case job(UnownedJob)
        case body(@Sendable () -> Void)
    }

    /// Work that was brought and not yet taken, in order of arrival, and who is to take it.
    struct Inbox {
        private var work: [Work] = []
        private var taker = Taker.thread(asleep: false)
        private var isEnding = false

        private enum Taker: Equatable {
            case thread(asleep: Bool)
            /// The thread is gone: whoever brings work does it, and what is brought meanwhile.
            case callers(busy: Bool)
        }

        /// What the one who brought work has to do now.
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

        /// All work, the oldest last.
        mutating func take() -> [Work] {
            if case .thread = taker { taker = .thread(asleep: false) }
            defer { work = [] }
            return work.reversed()
        }

        /// Tells the thread to end when there is nothing left to do, and whether it has to be woken for that.
        mutating func end() -> Duty {
            isEnding = true
            return taker == .thread(asleep: true) ? .wakeThread : .nothing
        }

        /// Where there is nothing to do: the one who took work rests, and is woken or replaced when there is.
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
