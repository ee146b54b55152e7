import DictationCore

/// A user's working days with one lingering session: speech, calls, locked screens, microphones that come and go, sleep,
/// and restarts of the audio server and of the engine. It takes seconds, and the checker checks every event.
public struct SimulatedDay {
    /// What an hour left behind.
    public struct Hour: Sendable {
        public let blocks: Int
        /// The machine's events so far.
        public let events: Int
        /// The length of the machine's whole state, written out, while nothing happens.
        public let stateLength: Int
    }

    private var simulation: Simulation
    private var random: SeededGenerator
    private var blocks = 0

    public init(seed: UInt64) throws(Violation) {
        simulation = try Simulation(settings: Settings())
        random = SeededGenerator(seed: seed)
    }

    public mutating func run(hours: Int) throws(Violation) -> [Hour] {
        var report: [Hour] = []
        while report.count < hours {
            let end = Duration.seconds(3600 * (report.count + 1))
            while simulation.elapsed < end { try activity() }
            try simulation.settle()
            report.append(
                Hour(blocks: blocks, events: simulation.eventCount, stateLength: simulation.stateLength))
        }
        return report
    }

    private mutating func activity() throws(Violation) {
        switch random.below(16) {
        case 0: try interrupt(.audio(.call(true)), .audio(.call(false)))
        case 1: try interrupt(.lock(true), .lock(false))
        case 2: try interrupt(.sleep(true), .sleep(false))
        case 3: try interrupt(.seat(active: false), .seat(active: true))
        case 4: try interrupt(.audio(.server(false)), .audio(.server(true)))
        case 5: try interrupt(.audio(.source(0, present: false)), .audio(.source(0, present: true)))
        case 6:
            let headset = 2
            try perform([
                .audio(.source(headset, present: true)), .audio(.defaultSource(headset)), .capture(.flow),
            ])
            try dictate()
            try perform([.audio(.source(headset, present: false)), .capture(.flow)])
        case 7: try perform([.recogniser(session: 0, .segmentFailed)])
        case 8: try perform([.recogniser(session: 0, .lost)])
        case 9: try perform([.wait(.seconds(60 * (1 + random.below(20))))])
        default: try dictate()
        }
        try simulation.settle()
        try perform([.wait(.seconds(5 + random.below(60)))])
    }

    /// The session is interrupted for some minutes.
    private mutating func interrupt(_ begin: Step, _ end: Step) throws(Violation) {
        try perform([begin, .wait(.seconds(1 + random.below(600))), end])
    }

    /// Some sentences in one block. A session that has ended is started again.
    private mutating func dictate() throws(Violation) {
        try perform([.call(client: 0, .start(.lingering)), .call(client: 0, .resume)])
        try simulation.settle()
        for _ in 0..<1 + random.below(4) {
            try perform([
                .recogniser(session: 0, .speechBegan), .sound(session: 0, frames: 48_000),
                .recogniser(session: 0, .hypothesis), .wait(.seconds(3)),
                .recogniser(session: 0, .segment(1)), .recogniser(session: 0, .speechEnded),
            ])
        }
        try perform([.call(client: 0, .commit), .recogniser(session: 0, .blockEnd)])
        blocks += 1
    }

    private mutating func perform(_ steps: [Step]) throws(Violation) {
        for step in steps { try simulation.perform(step) }
    }
}
