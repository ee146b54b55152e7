import DictationCore
import DictationSimulation
import DictationTestKit
import Foundation
import LanguageFiles
import Testing

/// Random sequences of the table's words and ordinary ones. packaging/soak has 100,000 of them.
@Suite struct RandomWordsTests {
    static let count =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_SEQUENCES"].flatMap { Int($0) } ?? 2000

    private static let ordinary = [
        "people", "river", "walked", "with", "blue", "said", "house", "because", "and", "we", "table", "over",
        "Hello,", "world.", "naïve", "twenty-five", "$5", "…", "?", ";", "\\comma", "\\new_paragraph",
    ]

    @Test(arguments: [false, true], ["en-US", "de-DE", "fr-FR", "es-ES"])
    func piecesOfAnySizeGiveTheSameText(punctuated: Bool, language: String) throws {
        let seed = TestRandom().seed
        var generator = SplitMix(seed: seed)
        let table = try #require(try languages.table(for: language))
        let phrases = [
            UserPhrase(spoken: "pipe wire", written: "PipeWire"),
            UserPhrase(spoken: "five stars", written: "*****"),
            UserPhrase(spoken: "comma splice", written: "comma splice"),
        ]
        let lexicon = Lexicon(table, region: "GB", phrases: phrases)
        let vocabulary = lexicon.vocabulary
        let promises = WrittenFormCheck(lexicon, punctuated: punctuated)
        for _ in 0..<Self.count / 4 {
            let words = (0..<Int.random(in: 1...14, using: &generator)).map { _ in
                let list = Int.random(in: 0..<4, using: &generator) == 0 ? Self.ordinary : vocabulary
                let isPause = Int.random(in: 0..<12, using: &generator) == 0
                let word = list[Int.random(in: 0..<list.count, using: &generator)]
                let pause =
                    Bool.random(using: &generator) ? WrittenFormCheck.pause : WrittenFormCheck.shortPause
                return isPause ? pause : word
            }
            do {
                try promises.check(words, cutBy: &generator)
            } catch {
                throw TestFailure("\(error): seed \(seed): \(words.joined(separator: " "))")
            }
        }
    }
}
