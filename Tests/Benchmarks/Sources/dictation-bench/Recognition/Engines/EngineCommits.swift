import DBus
import DictationInterface
import DictationRig
import DictationTestKit

/// Word errors and the time of a commit, live.
struct EngineCommits {
    private static let rounds = 3
    /// The engine needs that long for a passage on a busy machine.
    private static let longPause = 8.0

    let contestants: [Contestant]

    func run() async throws {
        let set = try await SpeechSet.librivox()
        var table = Table(
            "\(set.name), live: \(set.seconds.written(0)) s, by run", columns: "engine", "word errors",
            "rate",
            "commit 0.6 s after the last word", "passages of the first pass")
        for contestant in contestants {
            for _ in 0..<(contestant.configuration.isEmpty ? 1 : Self.rounds) {
                let dictation = try await Dictation(contestant.configuration)
                let microphone = try await dictation.freshMicrophone(pace: .realTime)
                let commit = try await dictation.session(over: microphone.0) {
                    try await dictation.commit(set.samples + Speech.silence(0.6), over: microphone.1)
                }
                try await dictation.rig.end()
                let errors = WordErrorRate(
                    of: countedWords(of: commit.text), reference: countedWords(of: set.reference))
                table.add(
                    contestant.name, "\(errors)", errors.rate.percent, commit.milliseconds.written(0, "ms"),
                    "\(commit.fallback)")
            }
        }
        table.print()
        for contestant in contestants where !contestant.configuration.isEmpty {
            try await latency(contestant, set)
        }
    }

    private func latency(_ contestant: Contestant, _ set: SpeechSet) async throws {
        let dictation = try await Dictation(contestant.configuration)
        try await dictation.client.waitForEngine("whisper")
        let microphone = try await dictation.freshMicrophone(pace: .realTime)
        var silent: [Double] = []
        var rest: [Double] = []
        var answers: [Double] = []
        try await dictation.session(over: microphone.0) {
            // The first answer of an engine takes longer.
            _ = try await dictation.commit(set.utterances[0].samples, over: microphone.1)
            for utterance in set.utterances {
                silent.append(
                    try await dictation.commit(
                        utterance.samples + Speech.silence(Self.longPause), over: microphone.1
                    ).milliseconds)
                let commit = try await dictation.commit(
                    Array(utterance.samples.prefix(45_000)), over: microphone.1)
                answers.append(try await dictation.client.lastAnswer(of: "whisper"))
                rest.append(commit.milliseconds - (answers.last ?? .nan))
            }
        }
        // The last passage is the same in both: 2.2 s of silence end one. Twice as fast as real time.
        let fast = try await dictation.freshMicrophone(pace: .cycle(every: .milliseconds(10)))
        let speech = Array(set.samples.prefix(9 * 16000))
        var blocks: [Int: [Double]] = [1: [], 26: []]
        for count in [1, 26, 1, 1] {
            try await dictation.session(over: fast.0) {
                let passage = speech + Speech.silence(2.2)
                let samples = (1..<count).flatMap { _ in passage } + speech
                blocks[count, default: []].append(
                    try await dictation.commit(samples, over: fast.1).milliseconds)
            }
        }
        try await dictation.rig.end()
        let short = Samples(blocks[1, default: []])
        let long = Samples(blocks[26, default: []])
        var bar = Bar("Commit with \(contestant.name), live")
        bar.add(
            "after \(Self.longPause.written(0, "s")) of silence, median of \(silent.count)", reference: "",
            Samples(silent).median, atMost: 10, unit: "ms")
        bar.add(
            "in mid-speech, beyond the engine's own time, median of \(rest.count)",
            reference: "\(Samples(answers).median.written(0, "ms")) by the engine", Samples(rest).median,
            atMost: 30, unit: "ms")
        bar.add(
            "a block of 289 s against one of 9 s, both in mid-speech",
            reference: short.median.written(0, "ms"), long.median / short.median, atMost: 1.2, unit: "times",
            decimals: 2)
        bar.print()
    }
}

/// A committed block.
struct TimedCommit {
    var text: String
    var milliseconds: Double
    /// Passages with the first pass's text.
    var fallback: Int
}

extension Dictation {
    /// Says this and commits.
    func commit(_ samples: [Int16], over microphone: DriverMicrophone) async throws -> TimedCommit {
        try await say(samples, into: microphone)
        let clock = ContinuousClock()
        let began = clock.now
        let (_, text, details) = try await client.dictation.commit(timeout: .seconds(60))
        let time = (clock.now - began) / .microseconds(1) / 1000
        return TimedCommit(
            text: text, milliseconds: time,
            fallback: details["fallback"].flatMap { UInt32($0) }.map { Int($0) } ?? 0)
    }
}
