import DictationCore
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
        "Hello,", "world.", "naïve", "twenty-five", "$5", "…", "\\comma", "\\new_paragraph",
    ]

    @Test(arguments: [false, true])
    func piecesOfAnySizeGiveTheSameText(punctuated: Bool) throws {
        let seed = TestRandom().seed
        var generator = SplitMix(seed: seed)
        let table = try #require(try languages.table(for: "en-US"))
        let phrases = [
            UserPhrase(spoken: "pipe wire", written: "PipeWire"),
            UserPhrase(spoken: "five stars", written: "*****"),
            UserPhrase(spoken: "comma splice", written: "comma splice"),
        ]
        let lexicon = Lexicon(table, region: "GB", phrases: phrases)
        let vocabulary = lexicon.vocabulary
        for _ in 0..<Self.count {
            let words = (0..<Int.random(in: 1...14, using: &generator)).map { _ in
                let list = Int.random(in: 0..<4, using: &generator) == 0 ? Self.ordinary : vocabulary
                let isPause = Int.random(in: 0..<12, using: &generator) == 0
                return isPause ? "<p>" : list[Int.random(in: 0..<list.count, using: &generator)]
            }
            try check(words, lexicon, punctuated, &generator, seed)
        }
    }

    private func check(
        _ words: [String], _ lexicon: Lexicon, _ punctuated: Bool, _ generator: inout SplitMix,
        _ seed: UInt64
    ) throws {
        let story: Comment = "seed \(seed): \(words.joined(separator: " "))"
        var whole = Dictated(lexicon, punctuated: punctuated)
        for utterance in words.split(separator: "<p>", omittingEmptySubsequences: false) {
            whole.take(utterance.joined(separator: " ")[...])
            whole.say("<p>")
        }
        whole.commit()

        var pieces = Dictated(lexicon, punctuated: punctuated)
        var rest = words[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...4, using: &generator)).prefix { $0 != "<p>" }
            if piece.isEmpty {
                pieces.say("<p>")
                rest = rest.dropFirst()
            } else {
                // A hypothesis changes nothing.
                let before = pieces.form
                _ = pieces.form.preview(of: rest.prefix(5).joined(separator: " "))
                try #require(pieces.form == before, story)
                pieces.take(piece.joined(separator: " ")[...])
                rest = rest.dropFirst(piece.count)
            }
            try #require(pieces.form.length == pieces.text.unicodeScalars.count, story)
        }
        let preview = pieces.form.preview(of: "")
        let stable = pieces.text
        let isRetracting = words.contains { ["scratch", "delete", "undo"].contains($0) }
        pieces.commit()
        if !isRetracting { try #require(pieces.text == stable + preview, story) }
        try #require(pieces.text == whole.text, story)
        try #require(pieces.commands == whole.commands, story)
    }
}
