import ArgumentParser
import DictationInterface
import DictationRig
import DictationTestKit

/// PocketSphinx alone and with Whisper as a second pass, through the daemon and at the pace of real time.
struct Engines: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Word errors and commit times, with PocketSphinx alone and with Whisper tiny.en behind it.")

    /// Seconds of silence that end a passage, and for the engine's answer.
    private static let longPause = 8.0

    func run() async throws {
        let whisper = try WhisperServer()
        try await whisper.listens()
        let set = try await SpeechSet.librivox()
        var table = Table(
            "\(set.name), live: \(set.seconds.written(0)) s of read prose",
            columns: "engine", "word errors", "rate", "commit 0.6 s after the last word",
            "commit after \(Self.longPause.written(0, "s")) of silence", "processor time of the daemon")
        for (name, configuration) in [
            ("PocketSphinx", ""), ("Whisper tiny.en", secondPass(at: "unix:\(whisper.socket)")),
        ] {
            let dictation = try await Dictation(configuration)
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
                name, "\(errors)", (errors.rate * 100).written(1, "%"), soon.milliseconds.written(0, "ms"),
                late.milliseconds.written(1, "ms"), time.written(2, "s"))
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
}
