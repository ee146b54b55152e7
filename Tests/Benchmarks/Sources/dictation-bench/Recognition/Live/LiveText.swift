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
            "Text while somebody speaks: words on the screen, the final text, faults, and the engine's cost.",
        discussion:
            "Nothing was tuned on the sets. Base needs half an hour without the part “long”, which lasts 20 minutes."
    )

    enum Part: String, ExpressibleByArgument, CaseIterable {
        case prose, rest, faults, words, noise, languages, names, long
    }

    @Option(help: "Models of packaging/engine.")
    var model: [String] = ["base", "tiny.en"]

    @Option(name: .customLong("part"), help: "Only this part.")
    var parts: [Part] = []

    @Option(help: "Another set: a folder with NAME.wav and NAME.txt for each recording.")
    var set: [String] = []

    @Option(help: "Seconds of the part “long”.")
    var seconds = 1200.0

    @Flag(help: "Measure PocketSphinx as well.")
    var pocketsphinx = false

    func run() async throws {
        for part in Part.allCases where parts.isEmpty || parts.contains(part) {
            switch part {
            case .prose: try await LiveProse(folders: set).run(models: (pocketsphinx ? [nil] : []) + model)
            case .rest: for model in model { try await LiveCost(model: model).run() }
            case .faults: try await LiveFaults(model: model[0]).run()
            case .words: for model in model { try await LiveWords(model: model).run() }
            case .noise: for model in model { try await LiveNoise(model: model).run() }
            case .languages: try await LiveLanguages(model: model[0]).run()
            case .names: for model in model { try await LiveNames(model: model).run() }
            case .long: try await LiveLecture(model: model[0], seconds: seconds).run()
            }
        }
    }
}

/// Read prose and letters.
struct LiveProse {
    let folders: [String]

    /// L5: read prose; HS: the Harvard sentences by synthetic voices; FL: the odd letters.
    private func sets() async throws -> [SpeechSet] {
        var letters = try await EngineSets.letters()
        letters.utterances = letters.utterances.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        var sets = [try await SpeechSet.librivox(), try await SpeechSet.harvard(seed: 1), letters]
        for folder in folders { sets.append(try await EngineSets.folder(folder)) }
        return sets
    }

    /// - Parameter models: nil for PocketSphinx.
    func run(models: [String?]) async throws {
        var screenTable = Table(
            "On the screen while somebody speaks", columns: "set", "engine", "wrong", "changed",
            "first text, median", "worst", "a word's delay, median", "90th percentile")
        var finalTable = Table(
            "Final text", columns: "set", "engine", "word errors", "asked directly",
            "after 0.6 s of silence, median", "90th percentile", "worst", "committed in mid-speech, median",
            "worst", "passages without the engine", "processor time of the engine", "its memory, most",
            "processor time of the daemon", "its memory, most")
        for set in try await sets() {
            // The model with more words decides where words end.
            let readings = try await DirectReading.all(of: set.utterances, model: "base")
            for model in models {
                let direct =
                    if let model, model != "base" {
                        try await DirectReading.all(of: set.utterances, model: model)
                    } else { readings }
                try await measure(set, model, direct, readings.map(\.ends), &screenTable, &finalTable)
            }
        }
        screenTable.print()
        finalTable.print()
    }

    private func measure(
        _ set: SpeechSet, _ model: String?, _ direct: [DirectReading], _ ends: [[Double]],
        _ screenTable: inout Table, _ finalTable: inout Table
    ) async throws {
        let scene = try await LiveScene(model: model)
        var screen = ScreenText()
        var errors = WordErrorRate()
        var directErrors = WordErrorRate()
        var commits: [Double] = []
        var hurried: [Double] = []
        var fallback = 0
        var length = 0.0
        var cost = (engine: 0.0, daemon: 0.0)
        try await scene.listening {
            // The model is loaded, and the voice activity detector knows the noise.
            _ = try await scene.say(set.utterances[0].samples)
            cost = (try scene.engineTime(), try scene.daemonTime())
            for (index, utterance) in set.utterances.enumerated() {
                let seen = try await scene.say(utterance.samples)
                screen.add(seen, reference: utterance.reference, ends: ends[index])
                commits.append(seen.commit)
                let reference = countedWords(of: utterance.reference)
                errors.add(countedWords(of: seen.text), reference: reference)
                directErrors.add(countedWords(of: direct[index].text), reference: reference)
                fallback += seen.fallback
                length += Double(utterance.samples.count) / 16000
                note(
                    "\(set.name) \(model ?? "PocketSphinx") \(index): \(seen.commit.written(0)) ms, \(seen.text)"
                )
            }
            cost = (try scene.engineTime() - cost.engine, try scene.daemonTime() - cost.daemon)
            for utterance in set.utterances.prefix(8) {
                // The last words are still spoken.
                hurried.append(try await scene.say(utterance.samples, pause: -1).commit)
            }
        }
        let (first, delay) = (
            Samples(screen.firsts + [.nan].prefix(screen.firsts.isEmpty ? 1 : 0)), Samples(screen.delays)
        )
        let name = model.map { "Whisper \($0)" } ?? "PocketSphinx"
        let place = "\(set.name), \(set.seconds.written(0, "s")), \(errors.words) words"
        screenTable.add(
            place, name, screen.wrongRate.percent, screen.changedRate.percent, first.median.written(2, "s"),
            first.maximum.written(2, "s"), delay.median.written(2, "s"), delay.percentile(90).written(2, "s"))
        let (after, during) = (Samples(commits), Samples(hurried))
        finalTable.add(
            place, name, "\(errors.errors), \(errors.rate.percent)",
            model == nil ? "" : "\(directErrors.errors), \(directErrors.rate.percent)",
            after.median.written(0, "ms"), after.percentile(90).written(0, "ms"),
            after.maximum.written(0, "ms"), during.median.written(0, "ms"), during.maximum.written(0, "ms"),
            "\(fallback)", "\((cost.engine / length).written(2)) of a core",
            try scene.engine.map { try $0.peakMemory().written(0, "MiB") } ?? "",
            "\((cost.daemon / length).written(2)) of a core",
            try scene.dictation.peakMemory().written(0, "MiB"))
        try await scene.end()
    }
}
