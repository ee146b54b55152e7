extension EventLoop {
    /// The timers of a loop in the order in which they are due.
    struct TimerQueue {
        /// Sorted by deadline, then by age.
        private var entries: [Entry] = []
        private var deadlines: [UInt64: Instant] = [:]
        private var alarm: Instant?

        private struct Entry {
            var deadline: Instant
            var timer: Timer
        }

        /// Whether a timer is due before the alarm goes off. One that goes off too early, for a timer
        /// that was cancelled, is cheaper than setting it anew for each.
        var needsEarlierAlarm: Bool {
            guard let next = entries.first?.deadline else { return false }
            return alarm.map { next < $0 } ?? true
        }

        /// The moment to set the alarm to.
        mutating func setAlarm() -> Instant? {
            alarm = entries.first?.deadline
            return alarm
        }

        /// Adds a timer; those of one deadline fire in the order of their making.
        mutating func add(_ timer: Timer, at deadline: Instant) {
            entries.insert(Entry(deadline: deadline, timer: timer), at: position(of: timer.id, at: deadline))
            deadlines[timer.id] = deadline
        }

        mutating func remove(_ timer: Timer) {
            guard let deadline = deadlines.removeValue(forKey: timer.id) else { return }
            entries.remove(at: position(of: timer.id, at: deadline))
        }

        /// The timers that are due, in order; those that repeat are entered again.
        mutating func takeDue(at now: Instant) -> [Timer] {
            let due = entries.prefix { $0.deadline <= now }
            entries.removeFirst(due.count)
            for entry in due {
                deadlines[entry.timer.id] = nil
                if let deadline = entry.timer.deadline(after: entry.deadline, now: now) {
                    add(entry.timer, at: deadline)
                }
            }
            return due.map(\.timer)
        }

        /// Where the timer stands, or would.
        private func position(of id: UInt64, at deadline: Instant) -> Int {
            var (low, high) = (entries.startIndex, entries.endIndex)
            while low < high {
                let middle = (low + high) / 2
                let entry = entries[middle]
                if (entry.deadline.nanoseconds, entry.timer.id) < (deadline.nanoseconds, id) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }
    }
}
