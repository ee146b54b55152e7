import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop

/// Partial text while the second pass computes. Daemons with and without it get the same utterances by turns, so that
/// what else the machine does concerns both alike.
struct EnginePartials {
    private static let rounds = 5
    /// Silence between utterances: the engine still computes the one before.
    private static let gap = 0.3

    let contestants: [Contestant]

    private struct Shown {
        /// Milliseconds from the onset to the first text.
        var first: Double
        /// Milliseconds between texts.
        var intervals: [Double]
    }

    func run() async throws {
        let set = try await SpeechSet.librivox()
        var dictations: [Dictation] = []
        var microphones: [(String, DriverMicrophone)] = []
        for contestant in contestants {
            let dictation = try await Dictation(contestant.configuration)
            if !contestant.configuration.isEmpty { try await dictation.client.waitForEngine("whisper") }
            dictations.append(dictation)
            microphones.append(try await dictation.freshMicrophone(pace: .realTime))
        }
        var shown = contestants.map { _ in [Shown?]() }
        var fallback = 0
        for round in 0..<Self.rounds {
            let order = round % 2 == 0 ? Array(contestants.indices) : contestants.indices.reversed()
            for index in order {
                let (texts, skipped) = try await show(set, dictations[index], microphones[index])
                shown[index] += texts
                fallback += skipped
            }
        }
        var table = Table(
            "Partial text, \(shown[0].count) utterances by turns, each while the one before is recognised",
            columns: "engine", "first text, median", "worst", "between texts, median", "90th percentile",
            "worst", "texts", "most memory of the daemon")
        let pairs = zip(shown[0], shown[1]).compactMap { pair in
            if let without = pair.0, let with = pair.1 { (without, with) } else { nil }
        }
        guard !pairs.isEmpty else {
            throw TestFailure("No utterance had partial text: the machine is too busy.")
        }
        for (index, contestant) in contestants.enumerated() {
            let first = Samples(shown[index].compactMap { $0?.first })
            let intervals = Samples(shown[index].flatMap { $0?.intervals ?? [] })
            table.add(
                contestant.name, first.median.written(0, "ms"), first.maximum.written(0, "ms"),
                intervals.median.written(0, "ms"), intervals.percentile(90).written(0, "ms"),
                intervals.maximum.written(0, "ms"), "\(intervals.count)",
                try dictations[index].peakMemory().written(1, "MiB"))
        }
        table.print()
        let later = Samples(pairs.map { $1.first - $0.first })
        let slower = Samples(
            pairs.map { Samples($1.intervals).percentile(90) / Samples($0.intervals).percentile(90) })
        let memory = try dictations[1].peakMemory() - dictations[0].peakMemory()
        for dictation in dictations { try await dictation.rig.end() }
        var bar = Bar("Partial text with the second pass against without, the same utterance")
        bar.add("first text later, median", reference: "", later.median, atMost: 20, unit: "ms")
        bar.add(
            "90th percentile between texts, times, median", reference: "", slower.median, atMost: 1.1,
            unit: "",
            decimals: 2)
        bar.add("memory of the daemon more", reference: "", memory, atMost: 10, unit: "MiB")
        bar.add("utterances with the first pass's text", reference: "", "\(fallback)")
        bar.add(
            "utterances without partial text", reference: "\(shown[0].count { $0 == nil })",
            "\(shown[1].count { $0 == nil })")
        bar.print()
    }

    /// Commits each utterance and begins the next at once.
    /// - Returns: all but the first, before which nothing was said, nil for those without partial text; passages that fell back.
    private func show(
        _ set: SpeechSet, _ dictation: Dictation, _ microphone: (name: String, DriverMicrophone)
    ) async throws -> ([Shown?], Int) {
        let clock = ContinuousClock()
        let arrivals = Lock<[(block: UInt64, time: ContinuousClock.Instant, text: String)]>([])
        let signals = try await dictation.client.connection.signals(
            MatchRule(interface: DictationInterface.name))
        let reader = Task {
            for await message in signals {
                guard case .partial(_, let block, _, let stable, let volatile, _)? = DictationSignal(message)
                else { continue }
                arrivals.withLock { $0.append((block, clock.now, stable + volatile)) }
            }
        }
        defer { reader.cancel() }
        var onsets: [ContinuousClock.Instant] = []
        var ends: [ContinuousClock.Instant] = []
        var commits: [Task<Int, any Error>] = []
        var fallback = 0
        try await dictation.session(over: microphone.name) {
            for utterance in set.utterances {
                let spoken = Speech.silence(Self.gap) + utterance.samples + Speech.silence(Self.gap)
                let begin = microphone.1.played + Int(Self.gap * 16000)
                let onset = begin + Partials.onset(of: utterance.samples)
                let end = begin + utterance.samples.count
                microphone.1.play(spoken)
                try await eventually("it begins") { microphone.1.played >= onset }
                onsets.append(clock.now)
                try await eventually("it was spoken") { microphone.1.played >= end }
                ends.append(clock.now)
                try await eventually("and silence") {
                    microphone.1.played >= end + Int(Self.gap * 16000)
                }
                commits.append(
                    Task { [proxy = dictation.client.dictation] in
                        let details = try await proxy.commit(timeout: .seconds(60)).details
                        return details["fallback"].flatMap { UInt32($0) }.map { Int($0) } ?? 0
                    })
            }
            for commit in commits { fallback += try await commit.value }
        }
        let told = arrivals.withLock { $0 }
        let shown = onsets.indices.dropFirst().map { index -> Shown? in
            // Blocks are numbered from 1. What comes after the end is the final text.
            let times = told.filter {
                $0.block == UInt64(index + 1) && !$0.text.isEmpty && $0.time <= ends[index]
            }.map(\.time)
            guard let first = times.first, times.count > 1 else { return nil }
            return Shown(
                first: (first - onsets[index]) / .microseconds(1) / 1000,
                intervals: zip(times, times.dropFirst()).map { ($1 - $0) / .microseconds(1) / 1000 })
        }
        return (shown, fallback)
    }
}
