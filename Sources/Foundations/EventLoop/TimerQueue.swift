extension EventLoop {
    /// The timers of a loop, sorted by deadline.
    struct TimerQueue {
        /// Sorted by deadline, then by age.
        private var entries: [Entry] = []
        private var deadlines: [UInt64: Instant] = [:]
        private var alarm: Instant?

        private struct Entry {
            var deadline: Instant
            var timer: Timer
        }

        /// Whether a timer is due before the alarm. An alarm that fires too early, for a cancelled timer, is cheaper
        /// than setting it again each time.
        var needsEarlierAlarm: Bool {
            guard let next = entries.first?.deadline else { return false }
            return alarm.map { next < $0 } ?? true
        }

        /// The time to set the alarm to.
        mutating func setAlarm() -> Instant? {
            alarm = entries.first?.deadline
            return alarm
        }

        /// Adds a timer. Timers with the same deadline fire in the order of creation.
        mutating func add(_ timer: Timer, at deadline: Instant) {
            entries.insert(Entry(deadline: deadline, timer: timer), at: position(of: timer.id, at: deadline))
            deadlines[timer.id] = deadline
        }

        mutating func remove(_ timer: Timer) {
            guard let deadline = deadlines.removeValue(forKey: timer.id) else { return }
            entries.remove(at: position(of: timer.id, at: deadline))
        }

        /// The due timers, in order. Repeating ones are added again.
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

        /// The index of the timer, or where it would be inserted.
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
