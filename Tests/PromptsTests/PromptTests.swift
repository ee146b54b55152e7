import DictationCore
import Localization
import Prompts
import Testing

@Suite struct PromptTests {
    private func prompt(
        _ kind: Identity.Kind, _ id: String, _ resources: [Resource] = [.microphone, .speech]
    ) -> Prompt {
        Prompt(client: Identity(uid: 1000, kind: kind, id: id), resources: resources)
    }

    private func body(_ prompt: Prompt) -> String { prompt.body.map(\.english).joined(separator: " ") }

    @Test func aQuestionAboutAnInterpreterSaysThatEveryProgramOfItIsMeant() {
        let prompt = prompt(.executable, "/usr/bin/python3.11")
        #expect(prompt.subtitle.english.hasPrefix("Any Python program (/usr/bin/python3.11) wants to "))
        #expect(
            body(prompt).contains("Your answer counts for every Python program: they cannot be told apart."))
    }

    @Test func aQuestionAboutAnotherProgramNamesItAlone() {
        for (kind, id) in [(Identity.Kind.executable, "/usr/bin/gedit"), (.app, "python3")] {
            #expect(!body(prompt(kind, id)).contains("every"))
        }
    }

    @Test(arguments: [
        ([Resource.microphone, .speech], "to listen to the microphone and to have speech recognised."),
        (
            [.microphone, .speech, .typing],
            "to listen to the microphone and to have speech recognised and to type text into your windows."
        ),
        ([.typing], "to type text into your windows."), ([.speech], "to have speech recognised."),
    ])
    func aQuestionSaysAllThatIsAskedFor(resources: [Resource], wish: String) {
        let prompt = prompt(.flatpak, "org.example.Editor", resources)
        #expect(prompt.subtitle.english == "The Flatpak application org.example.Editor wants \(wish)")
        #expect(prompt.title.english == (resources == [.typing] ? "Allow typing?" : "Allow dictation?"))
        #expect(body(prompt).contains("never into one for passwords") == resources.contains(.typing))
    }

    @Test(arguments: [
        ("org.example.Editor", "org.example.Editor"),
        ("Zoë’s 日本語 เครื่อง", "Zoë’s 日本語 เครื่อง"),
        ("safe\u{202E}exe.gpj", "safeexe.gpj"),
        ("a\u{200B}b\u{2066}c\u{FEFF}d\u{E0041}e", "abcde"),
        ("one\ntwo\tthree\r\u{2028}four\u{1B}[2J", "one two three  four [2J"),
        ("<b>bold</b>", "‹b›bold‹/b›"),
        ("\u{E000}\u{FFFFE}\0", " "),
    ])
    func textShowsNothingThatCannotBeSeen(text: String, shown: String) {
        #expect(text.displayable == shown)
        #expect(prompt(.app, text).subtitle.english.hasPrefix("The application \(shown) wants "))
    }

    @Test func longTextIsShortenedInTheMiddle() {
        let shown = ("/begin" + String(repeating: "x", count: 100_000) + "/end").displayable
        #expect(shown.unicodeScalars.count == 512)
        #expect(shown.hasPrefix("/beginxxx"))
        #expect(shown.hasSuffix("xxx/end"))
        #expect(shown.contains("…"))
    }
}
