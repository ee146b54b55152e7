import DictationCore

/// Runs sequences of steps and makes small ones of those that break a promise.
public struct Runner: Sendable {
    /// Events of a sequence at least, those apart that make its beginning and its end.
    public var eventCount: Int
    public var mutation: Mutation?

    public init(eventCount: Int = 50, mutation: Mutation? = nil) {
        self.eventCount = eventCount
        self.mutation = mutation
    }

    public struct Failure: Error, CustomStringConvertible {
        public var seed: UInt64
        public var steps: [Step]
        public var violation: Violation

        public var description: String {
            "seed \(seed): \(violation)\n" + steps.map { "    \($0)\n" }.joined()
        }
    }

    /// Runs the sequence of this seed; returns how many events the machine was given.
    public func run(seed: UInt64) throws(Failure) -> Int {
        var generator = StepGenerator(seed: seed)
        var steps: [Step] = []
        do throws(Violation) {
            var simulation = try simulation(seed)
            let beginning = simulation.eventCount
            while simulation.eventCount - beginning < eventCount {
                let step = generator.step()
                steps.append(step)
                try simulation.perform(step)
            }
            try simulation.settle()
            return simulation.eventCount
        } catch {
            throw shrink(Failure(seed: seed, steps: steps, violation: error))
        }
    }

    /// Now and then logind takes its time.
    private func simulation(_ seed: UInt64) throws(Violation) -> Simulation {
        try Simulation(settings: .simulated(seed), mutation: mutation, knowsSeat: seed % 4 != 1)
    }

    private func violation(by steps: [Step], seed: UInt64) -> Violation? {
        do throws(Violation) {
            var simulation = try simulation(seed)
            for step in steps { try simulation.perform(step) }
            try simulation.settle()
            return nil
        } catch {
            return error
        }
    }

    /// Takes steps out, many at first and then one by one, as long as the same promise stays broken.
    private func shrink(_ failure: Failure) -> Failure {
        var smallest = failure
        var size = max(1, failure.steps.count / 2)
        while true {
            var start = 0
            var hasShrunk = false
            while start < smallest.steps.count {
                var steps = smallest.steps
                steps.removeSubrange(start..<min(start + size, steps.count))
                if let violation = violation(by: steps, seed: failure.seed),
                    violation.promise == failure.violation.promise
                {
                    smallest.steps = steps
                    smallest.violation = violation
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1, !hasShrunk { return smallest }
            size = max(1, size / 2)
        }
    }
}
