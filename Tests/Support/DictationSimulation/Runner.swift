import DictationCore

/// Runs sequences of steps, and shrinks those that break a promise.
public struct Runner: Sendable {
    /// Minimum number of events of a sequence, without its beginning and end.
    public var eventCount: Int
    public var mutation: Mutation?

    public init(eventCount: Int = 50, mutation: Mutation? = nil) {
        self.eventCount = eventCount
        self.mutation = mutation
    }

    public struct Failure: Error, CustomStringConvertible {
        public var seed: UInt64
        /// Sequences of one user or of several.
        public var steps: [any Sendable]
        public var violation: Violation

        public var description: String {
            "seed \(seed): \(violation)\n" + steps.map { "    \($0)\n" }.joined()
        }
    }

    /// Runs the sequence of this seed. Returns the number of the machine's events.
    public func run(seed: UInt64) throws(Failure) -> Int {
        var generator = StepGenerator(seed: seed)
        return try run(
            seed, { () throws(Violation) in try simulation(seed) }, { generator.step() },
            { (simulation, step) throws(Violation) in try simulation.perform(step) },
            { (simulation) throws(Violation) in try simulation.settle() }, \.eventCount)
    }

    /// The same with several users, of whom one at a time is active.
    public func run(users: Int, seed: UInt64) throws(Failure) -> Int {
        var settings = Settings.simulated(seed)
        settings.interruptingReasons.insert(.sessionInactive)
        var generator = StepGenerator(seed: seed)
        return try run(
            seed, { () throws(Violation) in try UsersSimulation(count: users, settings: settings) },
            { generator.step(users: users) },
            { (simulation, step) throws(Violation) in try simulation.perform(step) },
            { (simulation) throws(Violation) in try simulation.settle() }, \.eventCount)
    }

    private func run<Simulated, Step: Sendable>(
        _ seed: UInt64, _ begin: () throws(Violation) -> Simulated, _ nextStep: () -> Step,
        _ perform: (inout Simulated, Step) throws(Violation) -> Void,
        _ settle: (inout Simulated) throws(Violation) -> Void, _ eventCount: (Simulated) -> Int
    ) throws(Failure) -> Int {
        var steps: [Step] = []
        do throws(Violation) {
            var simulated = try begin()
            let beginning = eventCount(simulated)
            while eventCount(simulated) - beginning < self.eventCount {
                let step = nextStep()
                steps.append(step)
                try perform(&simulated, step)
            }
            try settle(&simulated)
            return eventCount(simulated)
        } catch {
            let (smallest, violation) = Self.shrink(steps, error) { steps in
                do throws(Violation) {
                    var simulated = try begin()
                    for step in steps { try perform(&simulated, step) }
                    try settle(&simulated)
                    return nil
                } catch {
                    return error
                }
            }
            throw Failure(seed: seed, steps: smallest, violation: violation)
        }
    }

    /// Sometimes logind is slow.
    private func simulation(_ seed: UInt64) throws(Violation) -> Simulation {
        try Simulation(settings: .simulated(seed), mutation: mutation, knowsSeat: seed % 4 != 1)
    }

    /// Removes steps, many at first and then one by one, while the same promise stays broken.
    private static func shrink<Step>(
        _ steps: [Step], _ violation: Violation, _ violationBy: ([Step]) -> Violation?
    ) -> ([Step], Violation) {
        var smallest = steps
        var violation = violation
        var size = max(1, steps.count / 2)
        while true {
            var start = 0
            var hasShrunk = false
            while start < smallest.count {
                var steps = smallest
                steps.removeSubrange(start..<min(start + size, steps.count))
                if let another = violationBy(steps), another.promise == violation.promise {
                    smallest = steps
                    violation = another
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1, !hasShrunk { return (smallest, violation) }
            size = max(1, size / 2)
        }
    }
}
