import LanguageFiles
import Testing

@Suite struct LanguageSettingsTests {
    @Test(arguments: [
        ("", [], "auto"), ("language: de-DE\n", ["de-DE"], "auto"),
        ("language: [en-US, de-DE]\nspoken-language: de-DE\n", ["en-US", "de-DE"], "de-DE"),
        ("language:\n  - en\n  - de\n", ["en", "de"], "auto"),
    ])
    func readsTheUsersLanguages(text: String, languages: [String], spoken: String) throws {
        let settings = try LanguageSettings(text)
        #expect(settings.languages == languages && settings.spoken == spoken)
    }

    @Test(arguments: [
        ("", "spoken-language: de\n"),
        ("# mine\nlanguage: [en, de] # both\n", "# mine\nlanguage: [en, de] # both\nspoken-language: de\n"),
        (
            "language: [en, de]\nspoken-language: en # now\nwords: [a]\n",
            "language: [en, de]\nspoken-language: de # now\nwords: [a]\n"
        ),
        (
            "language: [en, de]\nspoken-language: 'e #n'  # now\n",
            "language: [en, de]\nspoken-language: de  # now\n"
        ),
        ("language: [en, de]", "language: [en, de]\nspoken-language: de\n"),
    ])
    func changesOnlyItsLine(text: String, changed: String) throws {
        #expect(try LanguageSettings(text).changed(to: "de") == changed)
    }

    @Test func doesNotDamageAFileThatIsWrittenInAnotherWay() throws {
        for text in [
            "{language: [en, de]}\n", "words:\n  - a\n...\n",
            "words: |\n  spoken\nspoken-language:\n  - en\n",
        ] {
            #expect(throws: LanguageSettingsError.self) { try LanguageSettings(text).changed(to: "de") }
        }
        #expect(throws: LanguageSettingsError.self) { try LanguageSettings("language: [en") }
    }

    @Test func nextGoesThroughTheUsersLanguages() {
        let languages = ["en-US", "de-DE", "fr"]
        #expect(LanguageSettings.next(after: "auto", among: languages) == "en-US")
        #expect(LanguageSettings.next(after: "en", among: languages) == "de-DE")
        #expect(LanguageSettings.next(after: "fr", among: languages) == "en-US")
        #expect(LanguageSettings.next(after: "en", among: []) == nil)
        #expect(LanguageSettings.spoken("de-AT", among: languages) == "de-DE")
        #expect(LanguageSettings.spoken("es", among: languages) == nil)
    }
}
