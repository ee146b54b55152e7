import ArgumentParser
import DictationRig
import DictationTestKit

/// Word error rates, and the cost of each word.
struct Accuracy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Word error rates of the daemon and of other programs, and their processor time.")

    @Option(help: "Chooses voices, speeds and noise of the fresh set.")
    var seed: UInt64 = 2026

    @Option(help: "The same of the test set; drawn anew for each run where it is not given.")
    var testSeed = UInt64.random(in: 1...999_999)

    @Option(parsing: .upToNextOption, help: "The development sets L5, LB, ES, fresh, cold; the test set HS.")
    var sets = ["L5", "LB", "ES", "fresh", "cold", "HS"]

    /// Seconds between the last word of a first block and its commit.
    private static let pauses = [0.6, 1.5]

    func run() async throws {
        let folder = try TemporaryDirectory()
        var contenders = [
            Contender.loop(), .loop("C loop, our passes", Contender.daemonsPasses), .continuous,
        ]
        contenders.append(try await .five(in: folder))
        let dictation = try await Dictation()
        for name in sets where name != "cold" {
            let set =
                switch name {
                case "L5": try await SpeechSet.librivox()
                case "LB": try await SpeechSet.conditions()
                case "ES": try await SpeechSet.spoken()
                case "fresh": try await SpeechSet.fresh(seed: seed)
                case "HS": try await SpeechSet.harvard(seed: testSeed)
                default: throw ValidationError("There is no set '\(name)'.")
                }
            try await compare(set, contenders, dictation, folder)
        }
        if sets.contains("cold") { try await compareCold(dictation, folder) }
        try await dictation.rig.end()
    }

    private func compare(
        _ set: SpeechSet, _ contenders: [Contender], _ dictation: Dictation, _ folder: TemporaryDirectory
    ) async throws {
        let kind =
            switch set.name {
            case "HS": "test set that nothing was tuned on, seed \(testSeed)"
            case "fresh": "development set, seed \(seed)"
            default: "development set"
            }
        var table = Table(
            "\(set.name), \(kind), running: \(set.seconds.written(0)) s of speech",
            columns: "program", "word errors", "rate", "processor time")
        let file = try set.write(into: folder)
        let nothing = try folder.write("", to: "nothing.raw")
        var theirs: (rate: Double, time: Double) = (0, 0)
        for contender in contenders {
            let loading = try await contender.decode(nothing).processorTime
            let result = try await contender.decode(file)
            let errors = set.errors(in: result.output)
            let time = result.processorTime - loading
            table.add(
                contender.name, "\(errors)", (errors.rate * 100).written(1, "%"), time.written(2, "s"))
            if contender.name == Contender.continuous.name { theirs = (errors.rate, time) }
        }
        // Loads the model, which is not counted for the others either; a decoder is kept warm for two minutes.
        let silent = try await dictation.freshMicrophone()
        _ = try await dictation.text(of: [], over: silent)
        silent.1.unplug()
        let microphone = try await dictation.freshMicrophone()
        var text = ""
        let time = try await dictation.processorTime {
            text = try await dictation.text(of: set.samples, over: microphone)
        }
        microphone.1.unplug()
        let errors = set.errors(in: text)
        table.add("dictationd", "\(errors)", (errors.rate * 100).written(1, "%"), time.written(2, "s"))
        table.print()
        var bar = Bar("\(set.name) against the bar")
        bar.add(
            "processor time of pocketsphinx_continuous", reference: "1.00", time / theirs.time, atMost: 0.85,
            unit: "", decimals: 2)
        bar.add(
            "word errors, \(set.name), running", reference: (theirs.rate * 100).written(1, "%"),
            errors.rate * 100, atMost: set.name == "LB" ? 31.5 : theirs.rate * 100, unit: "%")
        bar.print()
    }

    /// Each recording as the first block over an unknown microphone.
    private func compareCold(_ dictation: Dictation, _ folder: TemporaryDirectory) async throws {
        var bar = Bar("The first block over an unknown microphone")
        for (set, target) in [(try await SpeechSet.librivox(), 29.0), (try SpeechSet.commands(), 10)] {
            var theirs = WordErrorRate()
            for utterance in set.utterances {
                let one = SpeechSet(name: "one", utterances: [utterance])
                theirs.add(
                    try await Contender.continuous.decode(one.write(into: folder)).output,
                    reference: utterance.reference)
            }
            for pause in Self.pauses {
                var ours = WordErrorRate()
                for utterance in set.utterances {
                    // At the pace of real time: a commit ends a second decoding.
                    let microphone = try await dictation.freshMicrophone(pace: .realTime)
                    ours.add(
                        try await dictation.text(of: utterance.samples, over: microphone, pause: pause),
                        reference: utterance.reference)
                    microphone.1.unplug()
                }
                bar.add(
                    "word errors, \(set.name), committed \(pause) s after the last word",
                    reference: (theirs.rate * 100).written(1, "%"), ours.rate * 100, atMost: target, unit: "%"
                )
            }
        }
        bar.print()
    }
}
