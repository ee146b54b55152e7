import Testing

@testable import DictationCore

@Suite struct EngineTextTests {
    @Test(arguments: [
        ("  Hello\u{0},\n\tworld\u{7}. ", "Hello , world ."), ("\u{1b}[31mred", "[31mred"),
        ("left \u{202e}right\u{202c}", "left right"),
        ("a\u{2066}b\u{2069}c\u{fffe}\u{10ffff}\u{feff}", "abc"),
        ("مى\u{200c}خواهم", "مى\u{200c}خواهم"), ("👩\u{200d}💻", "👩\u{200d}💻"),
    ])
    func isOnlyText(_ text: String, clean: String) {
        #expect(EngineText.clean(text) == clean)
    }

    @Test(arguments: [
        ("[Music]", ""), ("(upbeat music)", ""), ("*sighs* Hello", "Hello"), ("[BLANK_AUDIO] Hello", "Hello"),
        ("<|startoftranscript|><|en|> Hello", "Hello"), ("♪ la la ♪", "la la"), ("[ Silence ]", ""),
        ("Hello (laughs) there", "Hello there"), ("Hello[Music]there", "Hello there"),
    ])
    func hasNoCaptionMarkers(_ text: String, clean: String) {
        #expect(EngineText.clean(text) == clean)
    }

    @Test(arguments: [
        "5 * 3 * 2", "a < b > c", "an open ( parenthesis", "2 ** 3", "[unfinished", "*", "<|", "(",
    ])
    func signsAreText(_ text: String) {
        #expect(EngineText.clean(text) == text)
    }
}
