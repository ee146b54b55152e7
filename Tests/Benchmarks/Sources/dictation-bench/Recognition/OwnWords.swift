import ArgumentParser
import DictationRig
import DictationTestKit
import Foundation

/// Unusual words in sentences, before and after `dictation-cli words add`, and what ordinary sentences become.
struct OwnWords: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "own-words",
        abstract: "Twenty unusual words by four voices, before and after they were added; ordinary sentences."
    )

    @Option(help: "Ordinary sentences by each voice.")
    var ordinary = 20

    func run() async throws {
        let dictation = try await Dictation()
        // The daemon's configuration file, where dictation-cli looks for the user's.
        let settings = try TemporaryDirectory()
        try FileManager.default.createSymbolicLink(
            atPath: settings.path(of: "dictation"), withDestinationPath: dictation.rig.home.path)
        let readings = try await read()
        let before = try await measure(dictation, readings, "before")
        for (word, _) in unusualWords {
            let command = [executable("dictation-cli"), "words", "add", word]
            let result = try await ChildProcess.run(
                command,
                environment: dictation.rig.environment.merging(["XDG_CONFIG_HOME": settings.path]) { $1 })
            guard result.status == .exited(0) else { throw TestFailure("\(command): \(result.errors)") }
        }
        let learning = ContinuousClock.now
        // The first word without a pronunciation learns the rules of spelling.
        try await eventually("the words hold", within: .seconds(120)) { try await dictation.hasOwnWords() }
        let learned = (ContinuousClock.now - learning) / .seconds(1)
        try await dictation.rig.restart()
        let reading = ContinuousClock.now
        guard try await dictation.hasOwnWords() else { throw TestFailure("The words were forgotten.") }
        let read = (ContinuousClock.now - reading) / .seconds(1)
        let after = try await measure(dictation, readings, "after")
        var table = Table(
            "\(unusualWords.count) unusual words added by the user, each in a sentence",
            columns: "voice", "found before", "found after", "ordinary word errors before", "after")
        for (voice, before, after) in zip3(Voice.all, before, after) {
            table.add(
                voice.name, "\(before.found)", "\(after.found)", before.errors.rate.percent,
                after.errors.rate.percent)
        }
        let count = unusualWords.count * Voice.all.count
        let found = after.reduce(0) { $0 + $1.found }
        table.add(
            "all", "\(before.reduce(0) { $0 + $1.found }) of \(count)",
            "\(found) of \(count), \((Double(found) / Double(count)).percent)", rate(of: before).percent,
            rate(of: after).percent)
        table.print()
        let missed = after.flatMap(\.missed)
        if !missed.isEmpty { print("\nNot found: " + missed.joined(separator: ", ")) }
        var bar = Bar("The user's own words")
        bar.add(
            "unusual words not found", reference: "", (1 - Double(found) / Double(count)) * 100, atMost: 30,
            unit: "%")
        bar.add(
            "word errors of ordinary sentences more than before", reference: rate(of: before).percent,
            (rate(of: after) - rate(of: before)) * 100, atMost: 1, unit: "%")
        bar.add(
            "first session with them, which learns pronunciations", reference: "", learned, atMost: 10,
            unit: "s")
        bar.add("first session after a restart, which reads them", reference: "", "\(read.written(2)) s")
        bar.print()
        try await dictation.rig.end()
    }

    private struct Figures {
        var found = 0
        var missed: [String] = []
        var errors = WordErrorRate()
    }

    private func rate(of figures: [Figures]) -> Double {
        let errors = figures.reduce(0) { $0 + $1.errors.errors }
        return Double(errors) / Double(max(1, figures.reduce(0) { $0 + $1.errors.words }))
    }

    /// The sentences by every voice: those with unusual words, then the ordinary ones.
    private func read() async throws -> [[[Int16]]] {
        var readings: [[[Int16]]] = []
        for voice in Voice.all {
            var reading: [[Int16]] = []
            for sentence in unusualWords.map(\.sentence) + sentences.prefix(ordinary) {
                reading.append(try await voice.say(sentence))
            }
            readings.append(reading)
        }
        return readings
    }

    private func measure(
        _ dictation: Dictation, _ readings: [[[Int16]]], _ when: String
    ) async throws -> [Figures] {
        var all: [Figures] = []
        for (voice, reading) in zip(Voice.all, readings) {
            let start = ContinuousClock.now
            var figures = Figures()
            let heard = try await dictation.transcribe(sentences: reading)
            for (index, (word, _)) in unusualWords.enumerated() {
                if heard[index].contains(word) {
                    figures.found += 1
                } else {
                    figures.missed.append("\(word) (\(voice.name))")
                }
            }
            for (words, sentence) in zip(heard.dropFirst(unusualWords.count), sentences) {
                figures.errors.add(words.joined(separator: " "), reference: countedWords(of: sentence))
            }
            all.append(figures)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            note("\(when), \(voice.name): \(figures.found) found, \(seconds.written(0)) s")
        }
        return all
    }

    private func zip3(
        _ voices: [Voice], _ before: [Figures], _ after: [Figures]
    ) -> [(Voice, Figures, Figures)] {
        zip(voices, zip(before, after)).map { ($0, $1.0, $1.1) }
    }
}

extension Double {
    var percent: String { (self * 100).written(1, "%") }
}
