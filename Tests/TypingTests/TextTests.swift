import Testing

@testable import Typing

@Suite struct TextTests {
    @Test func spacesAndCapitalsFollowTheTextBeforeTheCursor() {
        for (before, after, text, expected) in [
            ("", "", "hello", "Hello"), ("Hello.", "", "this is it", " this is it"),
            ("Hello. ", "", "this is it", "This is it"), ("Hello.\n", "", "this", "This"),
            ("He said", "", "The end", " the end"), ("He met", "", "Anna", " Anna"),
            ("He met", "", "I think", " I think"), ("It is", "", "US made", " US made"),
            ("(", ")", "Well", "well"), ("word", "", ", and", ", and"), ("word", "", ". Next", ". Next"),
            ("one ", "three", "two", "two "), ("say \"", "", "yes", "yes"),
            ("\"yes\"", "", "he said", " he said"), ("日本", "", "語", "語"),
            ("“Yes.” ", "", "he said", "He said"), ("", "", "élan", "Élan"),
        ] {
            let fit = TextFit(
                before: Array(before.unicodeScalars)[...], after: Array(after.unicodeScalars)[...],
                fitsCapitals: true, language: "en-US")
            #expect(String(fit.fitted(text)) == expected, "\(before)|\(text)")
        }
    }

    @Test func textIsUnchangedIfTheFieldIsUnknown() {
        let unknown = TextFit(fitsCapitals: true, language: "en")
        #expect(String(unknown.fitted("As it is")) == "As it is")
        let small = TextFit(before: [], fitsCapitals: false)
        #expect(String(small.fitted("hello")) == "hello")
        let terminal = TextFit(before: [], fitsCapitals: true, isTerminal: true)
        #expect(String(terminal.fitted("ls")) == "ls")
    }

    @Test func capitalOfABlockIsSmallInTheMiddleOfASentence() {
        func fitted(_ text: String, after before: String, capital: Bool = true) -> String {
            let fit = TextFit(
                before: Array(before.unicodeScalars)[...], fitsCapitals: true, hasInitialCapital: capital)
            return String(fit.fitted(text))
        }
        #expect(fitted("Market day", after: "on the ") == "market day")
        #expect(fitted("Market day", after: "End. ") == "Market day")
        #expect(fitted("Market day", after: "") == "Market day")
        #expect(fitted("I go", after: "and ") == "I go")
        #expect(fitted("NASA", after: "at ") == "NASA")
        #expect(fitted("Market", after: "on ", capital: false) == "Market")
        let terminal = TextFit(isTerminal: true, hasInitialCapital: true)
        #expect(String(terminal.fitted("Ls")) == "ls")
        #expect(terminal.fitted("").isEmpty)
    }

    @Test func turkishHasACapitalWithADot() {
        let fit = TextFit(before: [], fitsCapitals: true, language: "tr-TR")
        #expect(String(fit.fitted("iyi")) == "İyi")
    }

    @Test(arguments: [
        String(repeating: "x", count: 7000), String(repeating: "ä", count: 4000),
        String(repeating: "👩‍👩‍👧 ", count: 900), String(repeating: "👍🏽", count: 1200),
        String(repeating: "e\u{301}", count: 3000), String(repeating: "🇩🇪", count: 900),
        String(repeating: "नि", count: 1500), "", String(repeating: "one two\n", count: 900),
    ])
    func piecesKeepCharactersTogether(text: String) {
        let pieces = TextPieces.cut(text, limit: TypingLimits.commitBytes)
        #expect(pieces.joined() == text)
        #expect(pieces.allSatisfy { $0.utf8.count <= TypingLimits.commitBytes && !$0.isEmpty })
        #expect(pieces.reduce(0) { $0 + $1.count } == text.count, "a character was cut")
        #expect(
            text.contains(" ") == pieces.dropLast().contains { $0.hasSuffix(" ") } || pieces.count < 2
                || text.contains("\n"))
    }

    @Test func characterLongerThanAPieceIsCut() {
        let text = "a" + String(repeating: "\u{301}", count: 5000)
        let pieces = TextPieces.cut(text, limit: 3000)
        #expect(pieces.map(\.utf8.count) == [2999, 3000, 3000, 1002])
        #expect(Array(pieces.joined().utf8) == Array(text.utf8))
    }

    @Test func endOfLongLiveTextIsShown() {
        let words = Array(String(repeating: "wörter ", count: 400).unicodeScalars)
        let shown = TextPieces.tail(words, limit: TypingLimits.liveBytes)
        #expect(shown.utf8.count <= TypingLimits.liveBytes)
        #expect(shown.hasPrefix("…wörter"))
        #expect(TextPieces.tail(Array("short".unicodeScalars), limit: 1000) == "short")
        let faces = Array(String(repeating: "😀", count: 2000).unicodeScalars)
        #expect(TextPieces.tail(faces, limit: 1000).utf8.count <= 1000)
    }

    @Test func controlCharactersAreLeftOut() {
        let plain = TextPieces.withoutCommands("a\u{7}b\u{9B}c\r\nd\u{2028}e\tf\n\ng", isTerminal: false)
        #expect(String(plain) == "abc\nd\ne\tf\n\ng")
        #expect(String(TextPieces.withoutCommands("a\n\n\tb\r\nc", isTerminal: true)) == "a b c")
    }
}
