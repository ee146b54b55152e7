import ArgumentParser
import DictationCore
import DictationTestKit
import LanguageFiles

/// The cost of a partial in written form.
struct WrittenFormBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "written-form", abstract: "A partial of 100 words as text that people write.")

    @Option(help: "Partials of each kind.")
    var rounds = 2000

    private static let texts = [
        (
            "ordinary words",
            """
            people walked along the river while birds were singing over the water and nobody said much about what had
            happened during the night before because there was nothing left that could still be said about all of it
            """
        ),
        (
            "with marks, numbers and dates",
            """
            well comma the meeting is on january fifth at five thirty p m period bring twenty five copies and fifty
            dollars comma please period new paragraph three point five percent of them live in room one oh one
            """
        ),
    ]

    func run() throws {
        guard let table = try LanguageFolder.ofProgram().table(for: "en") else {
            throw TestFailure("there is no table of English")
        }
        let form = WrittenForm(Lexicon(table, region: "US"))
        var report = Table(
            "A partial of 100 words in written form, \(rounds) of each", columns: "words", "median µs",
            "p99 µs",
            "goal")
        for (name, text) in Self.texts {
            let words = text.split(whereSeparator: \.isWhitespace)
            let hundred = (0..<100).map { words[$0 % words.count] }.joined(separator: " ")
            let samples = Samples((0..<rounds).map { _ in microseconds { form.preview(of: hundred) } })
            report.add(name, samples.median.written(1), samples.percentile(99).written(1), "median ≤ 60 µs")
        }
        report.print()
    }

    private func microseconds(_ preview: () -> String) -> Double {
        let clock = ContinuousClock()
        let began = clock.now
        let text = preview()
        let end = clock.now
        // Uses the text, so that it is not optimised away.
        return text.isEmpty ? .infinity : (end - began) / .microseconds(1)
    }
}
