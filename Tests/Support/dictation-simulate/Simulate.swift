import DictationSimulation
import Glibc

/// Checks the machines' promises with many random sequences.
@main
struct Simulate {
    static let usage = """
        usage: dictation-simulate [SEQUENCES [FIRST-SEED]]   random sequences, a million unless told otherwise
               dictation-simulate users [SEQUENCES [FIRST-SEED]]   the same with three users, 100,000 unless told
                                                             otherwise
               dictation-simulate explore [DEPTH]            every interleaving of a few steps, up to 6 of them
                                                             unless told otherwise
               dictation-simulate day [HOURS [SEED]]         the working days of one session, 24 hours unless told
                                                             otherwise
        """

    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let explores = arguments.first == "explore"
        let isDay = arguments.first == "day"
        let users = arguments.first == "users" ? 3 : 1
        if explores || isDay || users > 1 { arguments.removeFirst() }
        let numbers = arguments.compactMap { UInt64($0) }.filter { $0 > 0 }
        guard numbers.count == arguments.count, numbers.count <= (explores ? 1 : 2) else {
            return fail(usage)
        }
        do {
            if isDay {
                try day(hours: Int(numbers.first ?? 24), seed: numbers.dropFirst().first ?? 1)
            } else if explores {
                try explore(depth: Int(numbers.first ?? 6))
            } else {
                try simulate(
                    numbers.first ?? (users > 1 ? 100_000 : 1_000_000), from: numbers.dropFirst().first ?? 1,
                    users: users)
            }
        } catch {
            fail("\(error)")
        }
    }

    static func simulate(_ sequences: UInt64, from first: UInt64, users: Int) throws(Runner.Failure) {
        let clock = ContinuousClock()
        let start = clock.now
        var events = 0
        for done in 1...sequences {
            let (runner, seed) = (Runner(), first + done - 1)
            events += try users > 1 ? runner.run(users: users, seed: seed) : runner.run(seed: seed)
            if done % 50_000 == 0 || done == sequences {
                print("\(done) sequences from seed \(first), \(events) events, \(clock.now - start)")
                fflush(nil)
            }
        }
    }

    static func explore(depth: Int) throws(Exploration.Failure) {
        let clock = ContinuousClock()
        let start = clock.now
        var exploration = Exploration(Exploration.wide, depth: depth)
        let report = try exploration.run()
        print(
            "\(Exploration.wide.count) steps, up to \(depth) of them: \(report.states) states, "
                + "\(report.transitions) transitions, \(clock.now - start)")
    }

    static func day(hours: Int, seed: UInt64) throws(Violation) {
        let clock = ContinuousClock()
        let start = clock.now
        var day = try SimulatedDay(seed: seed)
        for (hour, result) in try day.run(hours: hours).enumerated() {
            print(
                "hour \(hour + 1): \(result.blocks) blocks and \(result.events) events so far, "
                    + "a state of \(result.stateLength) bytes")
        }
        print("\(hours) hours in \(clock.now - start)")
    }

    static func fail(_ message: String) {
        let line = message + "\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(1)
    }
}
