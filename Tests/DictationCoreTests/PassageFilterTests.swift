import Testing

@testable import DictationCore

@Suite struct PassageFilterTests {
    /// Measured texts of noise by Whisper and by PocketSphinx.
    @Test(arguments: [
        ("You", "", 1.0), ("You", "if", 1.2), (" Thank you.", "ah", 2.0),
        ("Thank you very much for watching and I'll see you in the next video.", "", 1.02),
        ("beep beep beep beep beep beep", "ah", 2.4), (". . . .", "", 3.0), ("", "if", 1.0),
        ("you you you you you you you you", "the", 3.0), ("Thanks for watching!", "oh", 2.0),
        ("Vielen Dank.", "hm", 2.0), ("Oh.", "ohm", 1.0), ("So.", "song", 1.0),
    ])
    func dropsInventedWords(_ text: String, preview: String, seconds: Double) {
        #expect(PassageFilter.choose(engine: text, preview: preview, seconds: seconds) == .nothing)
    }

    @Test(arguments: [
        ("You", "you", 1.0), ("Thank you.", "thank you", 1.2), ("Thank you.", "think you", 1.2),
        ("You.", "youth", 0.9), ("Thanks.", "thank", 1.0),
        ("Yes.", "yes", 0.9), ("No.", "know", 0.87), ("No, no, no, no, that is the wrong file.", "", 3.5),
        ("Go forward ten meters.", "go forward ten meters", 2.6), ("$5", "five dollars", 1.2),
        ("Er kam um 9 Uhr.", "and come on", 2.0), ("你好", "me how", 1.0),
    ])
    func keepsSpeech(_ text: String, preview: String, seconds: Double) {
        #expect(PassageFilter.choose(engine: text, preview: preview, seconds: seconds) == .engine(text))
    }

    @Test func keepsAPlausiblePreviewWhereTheEngineUnderstoodNothing() {
        #expect(
            PassageFilter.choose(
                engine: "", preview: "thirty three four oh six ninety two", seconds: 4) == .preview)
        #expect(PassageFilter.choose(engine: "", preview: "if", seconds: 0.8) == .nothing)
        #expect(PassageFilter.choose(engine: "", preview: "the the the", seconds: 2) == .nothing)
        #expect(PassageFilter.choose(engine: "", preview: "oh well", seconds: 6) == .nothing)
    }

    @Test func keepsStockPhrasesWhereNoPreviewContradicts() {
        #expect(
            PassageFilter.choose(engine: "Thank you.", preview: nil, seconds: 1.2) == .engine("Thank you."))
    }

    @Test func cleansWhiteSpaceAndControlCharacters() {
        #expect(PassageFilter.clean("  Hello\u{0},\n\tworld\u{7}. ") == "Hello , world .")
    }

    @Test(arguments: [
        ("over the hill", "The quick fox runs over the", "hill"),
        ("the hill", "runs over the hill.", ""),
        ("own fox jumps over it", "the quick brown fox jumps", "over it"),
        ("Something else", "the quick brown fox", "Something else"),
        ("A new start", "", "A new start"), ("", "the end", ""),
    ])
    func joinsOverlappingTexts(_ next: String, previous: String, remainder: String) {
        #expect(PassageOverlap.remainder(of: next, after: previous) == remainder)
    }
}
