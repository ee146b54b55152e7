import ArgumentParser
import DBus
import DictationCore
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Recognition

/// Latency, rate and stability of partial text, and the lag of decoding.
struct Partials: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The first partial text, how often it is looked for, how often it changes, and the lag.")

    /// Recordings whose partial text is measured.
    private static let recordings = 15

    @Option(help: "Seconds of speech for the lag, at the pace of real time.")
    var seconds = 60.0

    func run() async throws {
        let speech = try await SpeechSet.conditions()
        let shown = try await showing(speech)
        let reference = try await LiveLoop.show(speech.utterances.prefix(Self.recordings))
        let recordings = try await SpeechSet.librivox().samples
        let known = (0..<Int(seconds * 16000)).map { recordings[$0 % recordings.count] }
        let pace = try await pace(of: known, after: recordings)
        let changing = try await self.pace(of: speech.samples, after: recordings)
        let crowd = try await withThrowingTaskGroup(of: Pace.self) { group in
            for _ in 0..<4 { group.addTask { try await self.pace(of: known, after: recordings) } }
            return try await group.reduce(into: [Pace]()) { $0.append($1) }
        }
        let loops = try (0..<2).map { _ in try ChildProcess(["sh", "-c", "while :; do :; done"]) }
        let crowded = try await self.pace(of: known, after: recordings) { second in
            if second == 20 { for loop in loops { loop.kill() } }
        }
        var bar = Bar("Partial text against the bar")
        bar.add(
            "first partial after onset, median", reference: reference.first.median.written(2, "s"),
            shown.first.median, atMost: 0.3, unit: "s", decimals: 2)
        bar.add("hypotheses for a second of speech", reference: "", pace.hypotheses, atLeast: 10, unit: "")
        bar.add(
            "revisions per final word", reference: reference.revisions.written(1), shown.revisions,
            atMost: 1.6,
            unit: "", decimals: 2)
        bar.add(
            "worst lag, a known voice", reference: reference.lag.written(0, "ms"), pace.lag * 1000,
            atMost: 80,
            unit: "ms")
        bar.add(
            "worst lag, voices and settings that change", reference: "",
            (changing.lag * 1000).written(0, "ms")
                + ", segments of up to \(changing.longestHeardAgain.written(1, "s")) decoded again")
        let worst = crowd.map(\.lag).max() ?? 0
        bar.add("worst lag of four at once", reference: "", (worst * 1000).written(0, "ms"))
        bar.add(
            "worst lag beside two busy loops; a second after them and later", reference: "",
            "\((crowded.lag(before: 20) * 1000).written(0, "ms")); \((crowded.lag(after: 21) * 1000).written(0, "ms"))"
        )
        bar.print()
    }

    /// Over the bus: each recording is a block.
    private func showing(_ set: SpeechSet) async throws -> (first: Samples, revisions: Double) {
        let dictation = try await Dictation()
        let clock = ContinuousClock()
        let arrivals = Lock<[(block: UInt64, time: ContinuousClock.Instant, text: String)]>([])
        let signals = try await dictation.client.connection.signals(
            MatchRule(interface: DictationInterface.name))
        let reader = Task {
            var stable = ""
            for await message in signals {
                guard
                    case .partial(_, let block, let offset, let addition, let volatile, _)? = DictationSignal(
                        message)
                else { continue }
                stable = String(stable.unicodeScalars.prefix(Int(offset))) + addition
                let text = stable + volatile
                arrivals.withLock { $0.append((block, clock.now, text)) }
            }
        }
        let (name, microphone) = try await dictation.freshMicrophone(pace: .realTime)
        var firsts: [Double] = []
        var revisions = 0
        var words = 0
        try await dictation.session(over: name) {
            for (index, utterance) in set.utterances.prefix(Self.recordings).enumerated() {
                let silence = Speech.silence(1)
                let spoken = silence + utterance.samples + Speech.silence(0.5)
                let onset = microphone.played + silence.count + Self.onset(of: utterance.samples)
                let end = microphone.played + spoken.count
                microphone.play(spoken)
                try await eventually("it begins to be spoken") { microphone.played >= onset }
                let began = clock.now
                try await eventually("it was spoken") { microphone.played >= end }
                let text = try await dictation.client.dictation.commit().1
                let told = arrivals.withLock { $0 }.filter { $0.block == UInt64(index + 1) }
                if let first = told.first(where: { !$0.text.isEmpty }) {
                    firsts.append((first.time - began) / .milliseconds(1) / 1000)
                }
                revisions += Self.revisions(told.map(\.text))
                words += text.split(separator: " ").count
            }
        }
        reader.cancel()
        try await dictation.rig.end()
        return (Samples(firsts), Double(revisions) / Double(max(words, 1)))
    }

    /// Words that the next text does not have at the same place.
    static func revisions(_ texts: [String]) -> Int {
        zip(texts, texts.dropFirst()).reduce(0) { count, pair in
            let before = pair.0.split(separator: " ")
            let after = pair.1.split(separator: " ")
            let kept = zip(before, after).prefix { $0 == $1 }.count
            return count + before.count - kept
        }
    }

    /// The first sample of the first 10 ms that are louder than a hundredth of full scale.
    static func onset(of samples: [Int16]) -> Int {
        stride(from: 0, to: samples.count - 160, by: 160).first { start in
            let energy = samples[start..<start + 160].reduce(0.0) { $0 + Double($1) * Double($1) }
            return (energy / 160).squareRoot() > 327
        } ?? 0
    }

    /// Without the daemon, because only the recogniser itself reports how much it has not decoded yet.
    /// - Parameters:
    ///   - known: makes the voice known first.
    ///   - everySecond: called after this many seconds of audio.
    private func pace(
        of samples: [Int16], after known: [Int16], everySecond: (Int) -> Void = { _ in }
    ) async throws -> Pace {
        let count = Lock(0)
        let segments = Lock<[Double]>([])
        let ended = Lock<BlockNumber>(0)
        let request = TranscriptionRequest(engine: "pocketsphinx", language: "en-US")
        let transcription = try EngineCatalog(engines: [PocketSphinxEngine()]).open(request) { event in
            switch event {
            case .hypothesis: count.withLock { $0 += 1 }
            case .segment(_, let segment): segments.withLock { $0.append(segment.end - segment.start) }
            case .blockEnded(let block, _): ended.withLock { $0 = block }
            default: break
            }
        }
        defer { transcription.close() }
        transcription.append(known + Speech.silence(0.5))
        transcription.endBlock(1)
        try await eventually("it is decoded") { ended.withLock { $0 } == 1 }
        let before = count.withLock { $0 }
        let clock = ContinuousClock()
        let began = clock.now
        var worst: [Int] = []
        var speech = 0
        var gate = VoiceActivityDetector()
        for (index, start) in stride(from: 0, to: samples.count - 320, by: 320).enumerated() {
            try await clock.sleep(until: began + .milliseconds(20 * index), tolerance: .zero)
            if index % 50 == 0 {
                worst.append(0)
                everySecond(index / 50)
            }
            // Sounds that may not be speech are decoded later.
            if gate.isOpen { worst[index / 50] = max(worst[index / 50], transcription.framesWaiting) }
            let chunk = samples[start..<start + 320]
            for case .speech(let passed) in gate.process(chunk) { speech += passed.count }
            transcription.append(Array(chunk))
        }
        transcription.endBlock(2)
        try await eventually("the block has ended") { ended.withLock { $0 } == 2 }
        let hypotheses = Double(count.withLock { $0 } - before)
        // A longer one is never decoded twice.
        let longest = segments.withLock { $0.filter { $0 <= 6 }.max() } ?? 0
        return Pace(
            lags: worst.map { Double($0) / 16000 }, hypotheses: hypotheses / (Double(speech) / 16000),
            longestHeardAgain: longest)
    }

    private struct Pace {
        /// The maximum of each second, in seconds.
        var lags: [Double]
        /// For a second of speech.
        var hypotheses: Double
        /// Seconds of the longest segment that may have been decoded twice.
        var longestHeardAgain: Double

        var lag: Double { lags.max() ?? 0 }
        func lag(before second: Int) -> Double { lags.prefix(second).max() ?? 0 }
        func lag(after second: Int) -> Double { lags.dropFirst(second).max() ?? 0 }
    }
}
