import ArgumentParser
import DictationInterface
import DictationRig
import DictationTestKit

/// PocketSphinx alone and with Whisper as a second pass, through the daemon and at the pace of real time.
struct Engines: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Words, full stops, noise and cost, with PocketSphinx alone and with Whisper tiny.en behind it.")

    @Flag(help: "Leave out the letters and the noise, which take 15 minutes.")
    var short = false

    /// Seconds of silence that end a passage, and for the engine's answer.
    private static let longPause = 8.0

    private struct Contestant {
        var name: String
        var configuration: String
    }

    func run() async throws {
        let whisper = try WhisperServer()
        try await whisper.listens()
        let contestants = [
            Contestant(name: "PocketSphinx", configuration: ""),
            Contestant(
                name: "Whisper tiny.en", configuration: secondPass(at: "unix:\(whisper.socket)")),
        ]
        try await words(of: try await SpeechSet.librivox(), contestants)
        try await cost(contestants)
        guard !short else { return }
        try await words(of: try await EngineSets.letters(), contestants)
        try await noise(contestants)
    }

    // MARK: Words

    private func words(of set: SpeechSet, _ contestants: [Contestant]) async throws {
        var table = Table(
            "\(set.name), live: \(set.seconds.written(0)) s",
            columns: "engine", "word errors", "rate", "false full stops", "commit 0.6 s after the last word",
            "commit after \(Self.longPause.written(0, "s")) of silence", "processor time of the daemon")
        for contestant in contestants {
            let dictation = try await Dictation(contestant.configuration)
            let microphone = try await dictation.freshMicrophone(pace: .realTime)
            var soon: Commit?
            var late: Commit?
            let time = try await dictation.processorTime {
                try await dictation.session(over: microphone.0) {
                    soon = try await commit(set.samples, pause: 0.6, dictation, microphone.1)
                    late = try await commit(
                        set.utterances[0].samples, pause: Self.longPause, dictation, microphone.1)
                }
            }
            try await dictation.rig.end()
            guard let soon, let late else { continue }
            let errors = WordErrorRate(
                of: countedWords(of: soon.text), reference: countedWords(of: set.reference))
            table.add(
                contestant.name, "\(errors)", (errors.rate * 100).written(1, "%"),
                // Some references have no marks.
                set.reference.contains(".")
                    ? "\(FullStops.misplaced(in: soon.text, reference: set.reference))" : "",
                soon.milliseconds.written(0, "ms"), late.milliseconds.written(1, "ms"), time.written(2, "s"))
        }
        table.print()
    }

    private struct Commit {
        var text: String
        var milliseconds: Double
    }

    private func commit(
        _ samples: [Int16], pause: Double, _ dictation: Dictation, _ microphone: DriverMicrophone
    ) async throws -> Commit {
        try await dictation.say(samples + Speech.silence(pause), into: microphone)
        let clock = ContinuousClock()
        let began = clock.now
        let text = try await dictation.client.dictation.commit(timeout: .seconds(60)).text
        return Commit(text: text, milliseconds: (clock.now - began) / .microseconds(1) / 1000)
    }

    // MARK: Noise

    private func noise(_ contestants: [Contestant]) async throws {
        let sounds = try await EngineSets.noise()
        var table = Table(
            "NOISE: \(sounds.count) sounds of 10 s in which nobody dictates", columns: "engine",
            "sounds with text", "which")
        for contestant in contestants {
            let dictation = try await Dictation(contestant.configuration)
            var found: [String] = []
            for sound in sounds {
                let microphone = try await dictation.freshMicrophone(pace: .realTime)
                let text = try await dictation.text(of: sound.samples, over: microphone, pause: 3)
                if text.contains(where: { $0.isLetter || $0.isNumber }) { found.append(sound.name) }
            }
            try await dictation.rig.end()
            table.add(contestant.name, "\(found.count)", found.joined(separator: ", "))
        }
        table.print()
    }

    // MARK: Cost

    private func cost(_ contestants: [Contestant]) async throws {
        let set = try await SpeechSet.librivox()
        var table = Table(
            "What the second pass costs, live", columns: "engine", "first partial text, median",
            "most memory of the daemon")
        for contestant in contestants {
            let dictation = try await Dictation(contestant.configuration)
            let microphone = try await dictation.freshMicrophone(pace: .realTime)
            var times: [Double] = []
            try await dictation.session(over: microphone.0) {
                for utterance in set.utterances {
                    times.append(
                        try await firstPartial(of: utterance.samples, dictation, microphone.1))
                    _ = try await dictation.client.dictation.commit(timeout: .seconds(60))
                }
            }
            table.add(
                contestant.name, times.sorted()[times.count / 2].written(0, "ms"),
                try dictation.peakMemory().written(1, "MiB"))
            try await dictation.rig.end()
        }
        table.print()
        try await passage(set)
    }

    /// Milliseconds from the first sample to the first text.
    private func firstPartial(
        of samples: [Int16], _ dictation: Dictation, _ microphone: DriverMicrophone
    ) async throws -> Double {
        let clock = ContinuousClock()
        let before = dictation.client.signals.count
        let end = microphone.played + samples.count
        let began = clock.now
        microphone.play(samples)
        try await eventually("a partial text") {
            dictation.client.signals.dropFirst(before).contains { signal in
                if case .partial(_, _, _, let stable, let volatile, _) = signal {
                    !(stable + volatile).isEmpty
                } else {
                    false
                }
            }
        }
        let took = (clock.now - began) / .microseconds(1) / 1000
        try await eventually("all has been said", within: .seconds(60)) { microphone.played >= end }
        return took
    }

    /// What the client itself takes, with a server that answers at once.
    private func passage(_ set: SpeechSet) async throws {
        let folder = try TemporaryDirectory()
        let server = try await ScriptedEngineServer(at: "unix:\(folder.path)/engine.sock")
        let dictation = try await Dictation(secondPass(at: server.address))
        let microphone = try await dictation.freshMicrophone()
        let speech = Array(set.samples.prefix(20 * 16000))
        _ = try await dictation.text(of: speech, over: microphone)
        let sent = server.count(of: "audio")
        let repeats = 5
        let time = try await dictation.processorTime(of: "NIO-ELT-") {
            for _ in 0..<repeats { _ = try await dictation.text(of: speech, over: microphone) }
        }
        var table = Table("The client, 20 s of speech", columns: "requests", "processor time of its thread")
        table.add(
            "\((server.count(of: "audio") - sent) / repeats)",
            (time / Double(repeats) * 1000).written(2, "ms"))
        table.print()
        try await dictation.rig.end()
    }
}
