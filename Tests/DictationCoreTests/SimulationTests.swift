import DictationSimulation
import Testing

/// A short version of `dictation-simulate`.
@Suite(.serialized)
struct SimulationTests {
    static let sequences: UInt64 = 200

    @Test func checksRandomSequences() throws {
        let runner = Runner()
        for seed in 1...Self.sequences { _ = try runner.run(seed: seed) }
    }

    @Test func checksRandomSequencesOfSeveralUsers() throws {
        let runner = Runner()
        for seed in 1...Self.sequences / 4 { _ = try runner.run(users: 3, seed: seed) }
    }

    @Test(arguments: Mutation.allCases)
    func findsAPlantedFault(_ mutation: Mutation) {
        let runner = Runner(mutation: mutation)
        #expect(throws: Runner.Failure.self) {
            for seed in 1...Self.sequences { _ = try runner.run(seed: seed) }
        }
    }

    /// `packaging/soak simulation` does so with more steps and 6 of them.
    @Test func checksAllInterleavingsOfAFewSteps() throws {
        var exploration = Exploration(Exploration.narrow, depth: 5)
        let report = try exploration.run()
        print("\(Exploration.narrow.count) steps, up to 5 of them: \(report.states) states")
        #expect(report.states > 500)
    }

    /// The machine keeps a few blocks for those who ask again, and nothing of the others.
    @Test(arguments: 1...3) func theStateDoesNotGrowFromDayToDay(seed: UInt64) throws {
        var day = try SimulatedDay(seed: seed)
        let hours = try day.run(hours: 48)
        for (hour, next) in zip(hours, hours.dropFirst()) { #expect(next.events > hour.events) }
        #expect(hours[47].blocks > 200)
        let first = try #require(hours.prefix(24).map(\.stateLength).max())
        let second = try #require(hours.suffix(24).map(\.stateLength).max())
        #expect(second <= first * 105 / 100, "\(first) bytes, then \(second)")
    }

    @Test func theSameSeedGivesTheSameSequence() throws {
        #expect(try Runner().run(seed: 7) == Runner().run(seed: 7))
    }

    @Test func shrinksAFailure() {
        do throws(Runner.Failure) {
            for seed in 1...Self.sequences { _ = try Runner(mutation: .droppedReason).run(seed: seed) }
            Issue.record("the fault was not found")
        } catch {
            #expect(error.steps.count <= 3)
        }
    }
}
