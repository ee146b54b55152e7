import DictationCore

/// Explores every interleaving of a few steps, up to a depth. Skips states that were reached before with as many steps
/// left.
public struct Exploration: Sendable {
    /// Two clients, a call, the lock screen, a microphone and a recogniser that may fail.
    public static let wide: [Step] =
        narrow + [
            .call(client: 0, .pause), .call(client: 0, .resume), .call(client: 0, .cancel),
            .call(client: 0, .stop), .lock(true),
            .lock(false),
            .capture(.refuse), .recogniser(session: 0, .ready), .recogniser(session: 0, .lost),
            .audio(.source(0, present: false)), .wait(.milliseconds(50)),
        ]

    public static let narrow: [Step] = [
        .call(client: 0, .start(.plain)), .call(client: 1, .start(.lingering)), .call(client: 1, .commit),
        .vanish(client: 0), .audio(.call(true)), .audio(.call(false)), .capture(.flow),
    ]

    public struct Report: Sendable {
        public var states = 0
        public var transitions = 0
    }

    public struct Failure: Error, CustomStringConvertible {
        public var steps: [Step]
        public var violation: Violation

        public var description: String { "\(violation)\n" + steps.map { "    \($0)\n" }.joined() }
    }

    private let alphabet: [Step]
    private let depth: Int
    /// For each state, by its hash, the maximum number of steps that were left.
    private var seen: [Int: Int] = [:]
    private var report = Report()

    public init(_ alphabet: [Step], depth: Int) {
        self.alphabet = alphabet
        self.depth = depth
    }

    public mutating func run() throws(Failure) -> Report {
        do throws(Violation) {
            let start = try Simulation(settings: Settings())
            try explore(start, left: depth, after: [])
        } catch {
            throw Failure(steps: path, violation: error)
        }
        return report
    }

    private var path: [Step] = []

    private mutating func explore(_ simulation: Simulation, left: Int, after steps: [Step]) throws(Violation)
    {
        path = steps
        let hash = simulation.hashValue
        if let before = seen[hash] {
            if before >= left { return }
        } else {
            report.states += 1
            var calm = simulation
            try calm.settle()
        }
        seen[hash] = left
        guard left > 0 else { return }
        for step in alphabet {
            var next = simulation
            path = steps + [step]
            report.transitions += 1
            try next.perform(step)
            try explore(next, left: left - 1, after: steps + [step])
        }
    }
}
