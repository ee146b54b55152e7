import ArgumentParser
import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop

/// Text while somebody speaks, through the daemon at the pace of real time: what stands on the screen, and what becomes of it.
struct LiveText: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract:
            "Words on the screen while somebody speaks, their delay, the final text, and the engine's cost.")

    /// Seconds between glances at the screen.
    private static let glance = 0.25
    private static let lead = 0.3
    private static let pause = 0.6

    @Option(help: "Models of packaging/engine.")
    var model: [String] = ["base", "tiny.en"]

    @Option(help: "Another set: a folder with NAME.wav and NAME.txt for each recording.")
    var set: [String] = []

    @Flag(help: "Leave out PocketSphinx.")
    var onlyEngine = false

    func run() async throws {
        var sets = [
            try await SpeechSet.librivox(), try await SpeechSet.spoken(), try await EngineSets.letters(),
        ]
        for folder in set { sets.append(try await EngineSets.folder(folder)) }
        var table = Table(
            "Text while somebody speaks, live", columns: "set", "engine", "wrong on the screen",
            "changed", "first word", "word errors at last", "end to final, median", "90th percentile",
            "worst", "processor time of the engine", "its memory")
        for set in sets {
            if !onlyEngine { try await measure(set, "PocketSphinx", nil, &table) }
            for model in model {
                let engine = try await EngineProcess(model: model)
                try await measure(set, "Whisper \(model)", engine, &table)
                engine.process.terminate()
                _ = try await engine.process.exitStatus()
            }
        }
        table.print()
    }

    private func measure(
        _ set: SpeechSet, _ name: String, _ engine: EngineProcess?, _ table: inout Table
    ) async throws {
        let dictation = try await Dictation(engine.map { secondPass(at: "unix:\($0.socket)") } ?? "")
        if engine != nil { try await dictation.client.waitForEngine("whisper") }
        let microphone = try await dictation.freshMicrophone(pace: .realTime)
        let before = try engine.map { try Dictation.processorTime(of: $0.process.pid) }
        var screen = ScreenText()
        var firsts: [Double] = []
        var commits: [Double] = []
        var errors = WordErrorRate()
        try await dictation.session(over: microphone.0) {
            for utterance in set.utterances {
                let shown = try await show(utterance, dictation, microphone.1, &screen)
                if let first = shown.first { firsts.append(first) }
                commits.append(shown.commit.milliseconds)
                errors.add(
                    countedWords(of: shown.commit.text), reference: countedWords(of: utterance.reference))
            }
        }
        let cost = try engine.map { try Dictation.processorTime(of: $0.process.pid) - (before ?? 0) }
        try await dictation.rig.end()
        let delays = Samples(commits)
        table.add(
            "\(set.name), \(set.seconds.written(0, "s"))", name, screen.wrongRate.percent,
            screen.changedRate.percent,
            firsts.isEmpty ? "none" : Samples(firsts).median.written(2, "s"),
            "\(errors.errors) of \(errors.words), \(errors.rate.percent)", delays.median.written(0, "ms"),
            delays.percentile(90).written(0, "ms"), delays.maximum.written(0, "ms"),
            cost.map { "\(($0 / set.seconds).written(2)) of a core" } ?? "",
            try engine.map { try $0.memory().written(0, "MiB") } ?? "")
    }

    /// Says an utterance as a block of its own, and looks at the screen meanwhile.
    /// - Returns: seconds from the beginning of speech to the first text, and the commit after 0.6 s of silence.
    private func show(
        _ utterance: SpeechSet.Utterance, _ dictation: Dictation, _ microphone: DriverMicrophone,
        _ screen: inout ScreenText
    ) async throws -> (first: Double?, commit: TimedCommit) {
        dictation.client.forget()
        screen.clear()
        let clock = ContinuousClock()
        let begin = microphone.played
        let samples =
            Speech.silence(Self.lead) + utterance.samples + Speech.silence(Self.pause)
        let onset = Int(Self.lead * 16000) + Partials.onset(of: utterance.samples)
        microphone.play(samples)
        try await eventually("it begins", within: .seconds(30)) { microphone.played >= begin + onset }
        let spoken = clock.now
        var first: Double?
        while microphone.played < begin + samples.count {
            let text = dictation.client.lastText
            if first == nil, !text.isEmpty { first = (clock.now - spoken) / .seconds(1) }
            screen.glance(at: text, reference: utterance.reference)
            try await Task.sleep(for: .seconds(Self.glance))
        }
        let committed = clock.now
        let (_, text, details) = try await dictation.client.dictation.commit(timeout: .seconds(60))
        let time = (clock.now - committed) / .microseconds(1) / 1000
        let fallback = details["fallback"].flatMap { UInt32($0) } ?? 0
        return (first, TimedCommit(text: text, milliseconds: time, fallback: Int(fallback)))
    }
}

extension TestClient {
    /// The text of the block of the last Partial.
    fileprivate var lastText: String {
        let block = signals.lazy.reversed().compactMap { signal in
            if case .partial(_, let block, _, _, _, _) = signal { block } else { nil }
        }.first
        return block.map { text(of: $0) } ?? ""
    }
}
