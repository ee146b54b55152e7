import Testing

@testable import Typing

@Suite struct TextTests {
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

    @Test(arguments: ["\u{200D}", "\u{1F3FD}", "\u{301}", "\u{FE0F}"])
    func joinersAndModifiersBelongToTheCharacterBefore(text: String) {
        #expect(text.unicodeScalars.map(\.extendsCharacter) == [true])
        #expect("a".unicodeScalars.map(\.extendsCharacter) == [false])
    }

    @Test func aWordThatFillsAPieceIsNotCut() {
        for before in ["", " ", "a "] {
            let word = String(repeating: "w", count: 10)
            #expect(TextPieces.cut(before + word, limit: 10).last == word)
        }
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
