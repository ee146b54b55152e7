import ArgumentParser
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Recognition

/// The time of a commit, by the length of the block and of the unfinished segment.
struct CommitLatency: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commit",
        abstract: "The time from Commit to its text, in the middle of speech and after it.")

    @Option(parsing: .upToNextOption, help: "Seconds of the blocks.")
    var blocks = [5.0, 30, 300]

    @Option(help: "Commits of each length.")
    var repetitions = 8

    func run() async throws {
        let dictation = try await Dictation()
        let speech = try await Tape(SpeechSet.librivox().samples)
        let changing = try await Tape(SpeechSet.conditions().samples)
        let (name, microphone) = try await dictation.freshMicrophone(pace: .realTime)
        var table = Table(
            "Commit in the middle of speech, the last \(Self.spoken.written(0, "s")) at the pace of real time",
            columns: "block", "C loop, one utterance", "the same, our passes", "dictationd: median", "worst",
            "longest tail")
        let ends = speech.ends(repetitions)
        let first = try await commit(5, of: speech, upTo: ends[0], dictation, microphone, over: name)
        var commits: [Double: [Commit]] = [:]
        for end in ends {
            for seconds in blocks {
                let commit = try await commit(
                    seconds, of: speech, upTo: end, dictation, microphone, over: name)
                commits[seconds, default: []].append(commit)
            }
        }
        var references: [Double: Double] = [:]
        for seconds in blocks {
            let times = Samples(commits[seconds, default: []].map(\.milliseconds))
            let block = speech[0..<Int(seconds * 16000)]
            let asShipped = try await loop(block, splits: false)
            let ourPasses = try await loop(block, Contender.daemonsPasses, splits: false)
            references[seconds] = asShipped
            table.add(
                seconds.written(0, "s"), asShipped.written(1, "ms"), ourPasses.written(1, "ms"),
                times.median.written(1, "ms"), times.maximum.written(1, "ms"),
                Samples(commits[seconds, default: []].map(\.tail)).maximum.written(1, "s"))
        }
        table.print()
        var times: [Double] = []
        for round in 0..<repetitions {
            let end = 16000 * (10 + round * 11)
            let result = try await commit(10, of: changing, upTo: end, dictation, microphone, over: name)
            times.append(result.milliseconds)
        }
        let strange = Samples(times)
        let silent = try await afterSilence(of: speech, dictation, microphone, over: name)
        let silentLoop = try await loop(speech[0..<80_000] + Speech.silence(0.5), splits: true)
        let shortest = references[blocks.min() ?? 0] ?? .nan
        let longest = references[blocks.max() ?? 0] ?? .nan
        try await dictation.rig.end()

        var bar = Bar("Commit against the bar")
        let all = Samples(commits.values.joined().filter { $0.tail <= 10 }.map(\.milliseconds))
        bar.add(
            "without pause, tail ≤ 10 s, median of all", reference: shortest.written(1, "ms"),
            all.median, atMost: 40, unit: "ms")
        bar.add("without pause, tail ≤ 10 s, worst", reference: "", all.maximum.written(1, "ms"))
        bar.add(
            "without pause, voices and settings that change", reference: "",
            "\(strange.median.written(1, "ms")), at most \(strange.maximum.written(1, "ms"))")
        // A tail that is longer than the short block is not comparable.
        let pairs = zip(commits[blocks.min() ?? 0, default: []], commits[blocks.max() ?? 0, default: []])
            .filter { abs($0.tail - $1.tail) < 0.1 }
        if !pairs.isEmpty {
            let ratio =
                Samples(pairs.map(\.1.milliseconds)).median / Samples(pairs.map(\.0.milliseconds)).median
            bar.add(
                "longest block against the shortest, \(pairs.count) tails",
                reference: (longest / shortest).written(1, "×"), ratio, atMost: 1.2, unit: "×", decimals: 2)
        }
        bar.add(
            "after 250 ms of silence, median", reference: silentLoop.written(1, "ms"), silent.median,
            atMost: 5,
            unit: "ms")
        bar.add(
            "first over an unknown microphone, tail of \(first.tail.written(1, "s"))", reference: "",
            first.milliseconds.written(1, "ms"))
        bar.print()
    }

    /// Seconds at a block's end at the pace of real time. The audio before is faster, but not faster than decoding:
    /// only its amount matters for a commit.
    private static let spoken = 20.0
    private static let hurried = DriverMicrophone.Pace.cycle(every: .milliseconds(7))

    private struct Commit {
        var milliseconds: Double
        /// Seconds of the unfinished segment.
        var tail: Double
    }

    private func commit(
        _ seconds: Double, of speech: Tape, upTo end: Int, _ dictation: Dictation,
        _ microphone: DriverMicrophone, over name: String
    ) async throws -> Commit {
        let count = Int(seconds * 16000)
        let block = speech[end - count..<end]
        return try await dictation.session(over: name) {
            // Audio continues after the commit, so that no silence reveals the end.
            let said = microphone.played + count
            try microphone.go(at: seconds > Self.spoken ? Self.hurried : .realTime)
            microphone.play(block + speech[end..<end + 16000])
            try await eventually("the end of the block comes", within: .seconds(900)) {
                microphone.played >= said - Int(Self.spoken * 16000)
            }
            try microphone.go(at: .realTime)
            try await eventually("the block was said", within: .seconds(900)) { microphone.played >= said }
            let clock = ContinuousClock()
            let began = clock.now
            _ = try await dictation.client.dictation.commit()
            let milliseconds = (clock.now - began) / .microseconds(1) / 1000
            try await eventually("all was said") { microphone.played >= said + 16000 }
            return Commit(milliseconds: milliseconds, tail: Tape.tail(of: block))
        }
    }

    private func afterSilence(
        of speech: Tape, _ dictation: Dictation, _ microphone: DriverMicrophone, over name: String
    ) async throws -> Samples {
        var times: [Double] = []
        for round in 0..<repetitions {
            let block = speech[round * 16000..<round * 16000 + 80_000] + Speech.silence(0.5)
            let time = try await dictation.session(over: name) {
                try await dictation.say(block, into: microphone)
                let clock = ContinuousClock()
                let began = clock.now
                _ = try await dictation.client.dictation.commit()
                return (clock.now - began) / .microseconds(1) / 1000
            }
            times.append(time)
        }
        return Samples(times)
    }

    /// Milliseconds of the C loop for the end of its last utterance.
    private func loop(
        _ samples: [Int16], _ options: [String] = [], splits: Bool
    ) async throws -> Double {
        let folder = try TemporaryDirectory()
        let block = SpeechSet.Utterance(reference: "", samples: samples)
        let file = try SpeechSet(name: "block", utterances: [block]).write(into: folder)
        let result = try await Contender.loop("", options, splits: splits).decode(file)
        guard let match = result.errors.firstMatch(of: /end ([0-9.]+) ms/), let time = Double(match.1) else {
            throw TestFailure("The C loop told no time: \(result.errors.suffix(300))")
        }
        return time
    }
}

/// Speech that repeats from its end.
private struct Tape {
    private let samples: [Int16]

    init(_ samples: [Int16]) {
        self.samples = samples
    }

    /// - Parameter range: of frames; negative ones are the last ones.
    subscript(range: Range<Int>) -> [Int16] {
        range.map { samples[($0 % samples.count + samples.count) % samples.count] }
    }

    /// Frame numbers, spread over the speech, during speech.
    func ends(_ count: Int) -> [Int] {
        (0..<count).map { index in
            var end = samples.count * (index + 1) / count
            while Self.tail(of: self[end - samples.count..<end]) < 0.5 { end += 1600 }
            return end
        }
    }

    /// Seconds of the unfinished segment at the end.
    static func tail(of block: [Int16]) -> Double {
        var gate = VoiceActivityDetector()
        gate.settings.longest = 20
        var start: Int?
        for event in gate.process(block) {
            switch event {
            case .onset(let position), .cut(let position): start = position
            case .end: start = nil
            case .speech: break
            }
        }
        return start.map { Double(block.count - $0) / 16000 } ?? 0
    }
}
