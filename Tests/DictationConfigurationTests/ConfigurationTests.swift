import DictationCore
import DictationTestKit
import Foundation
import Testing

@testable import DictationConfiguration

@Suite struct ConfigurationTests {
    private func read(_ text: String) throws -> Configuration {
        let reading = try ConfigurationFile(path: "test.yaml").read(text)
        if let error = reading.errors.first { throw error }
        return reading.configuration
    }

    private func mistake(in text: String) -> ConfigurationError? {
        #expect(throws: ConfigurationError.self) { try read(text) }
    }

    @Test func anEmptyFileChangesNothing() throws {
        for text in ["", "\n", "# only a remark\n", "---\n"] {
            let configuration = try read(text)
            #expect(configuration.settings == Configuration().settings)
            #expect(configuration.engine == Configuration().engine)
        }
    }

    @Test func theSpokenLanguageIsOneOfTheUsers() throws {
        let own = "language: [en-US, de-DE, fr]\n"
        for (text, languages) in [
            (own, ["en-US", "de-DE", "fr"]), (own + "spoken-language: auto", ["en-US", "de-DE", "fr"]),
            (own + "spoken-language: de", ["de-DE"]), (own + "spoken-language: fr-CA", ["fr"]),
            (own + "spoken-language: es", ["en-US", "de-DE", "fr"]), ("spoken-language: de", ["en-US"]),
        ] {
            #expect(try read(text).spokenLanguages == languages, "\(text)")
        }
    }

    @Test func everyKindOfValueIsRead() throws {
        let configuration = try read(
            """
            engine: scripted
            prefer-bluetooth: true
            auto-commit: 900
            speech-seconds: 30
            session-limit: 3
            interrupting: [call, source-muted]
            resume-within: {call: 60, suspend: 0}
            calls:
              ignored: [Recorder]
            """)
        #expect(configuration.engine == ["scripted"])
        #expect(configuration.settings.prefersBluetooth)
        #expect(configuration.autoCommit == .milliseconds(900))
        #expect(configuration.segmentLimit == .seconds(30))
        #expect(configuration.settings.sessionLimit == 3)
        #expect(configuration.settings.interruptingReasons.contains(.sourceMuted))
        #expect(!configuration.settings.interruptingReasons.contains(.sessionLocked))
        #expect(configuration.settings.interruptingReasons.contains(.permissionLost))
        #expect(configuration.settings.resumeLimits == [.call: .seconds(60), .suspend: .zero])
        #expect(configuration.settings.callRules.ignoredApplications == ["recorder"])
    }

    @Test func keysOfShortcutsAreRead() throws {
        let configuration = try read(
            "shortcut: super+alt+Space\nlanguage-shortcuts: {de: Super+Alt+d, fr-FR: F9}")
        #expect(configuration.shortcut == ShortcutKey.proposed)
        #expect(
            configuration.languageShortcuts.mapValues(\.description) == ["de": "Super+Alt+d", "fr-FR": "F9"])
        for text in ["", "shortcut: none", "shortcut:", "shortcut: \"\""] {
            #expect(try read(text).shortcut == nil, "\(text)")
        }
    }

    @Test func invalidWordsAreReportedWithTheirLine() throws {
        let words = try read("words: [Kubernetes, {nginx: engine ex}, {tux: T AH K S}]").words
        #expect(words.map(\.word) == ["Kubernetes", "nginx", "tux"])
        #expect(words.map(\.pronunciation) == [nil, "engine ex", "T AH K S"])
        #expect(words.map(\.isOptional) == [true, true, true])
        for (text, message) in [
            ("words: [one,\n  two words]", "one word"), ("words: [one,\n  {nginx: Engine}]", "'nginx'"),
            ("words: [one,\n  {a: b, c: d}]", "sounds like"), ("words:\n  one: two", "a list"),
        ] {
            let error = mistake(in: text)
            #expect(error?.line == 2)
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "accepted")")
        }
    }

    @Test func replacementsAreReadAlsoByApplication() throws {
        let configuration = try read(
            """
            formatting: dictation
            replacements:
              pipe wire: PipeWire
              my sign off: "Kind regards\\nJo"
              app:org.example.*: {pipe wire: pw}
            """)
        #expect(configuration.formatting == .dictation)
        let replacements = configuration.replacements
        let phrases = { id in replacements.phrases(for: Identity(uid: 1, kind: .app, id: id)) }
        let everywhere = [
            UserPhrase(spoken: "pipe wire", written: "PipeWire"),
            UserPhrase(spoken: "my sign off", written: "Kind regards\nJo"),
        ]
        #expect(phrases("net.example.Editor") == everywhere)
        #expect(
            phrases("org.example.Editor") == everywhere + [UserPhrase(spoken: "pipe wire", written: "pw")])
    }

    @Test(arguments: [
        ("formatting: nice", 1, "\"plain\" or \"dictation\""),
        ("replacements: [a]", 1, "what is said"),
        ("replacements:\n  pipe wire: [a]", 2, "a string"),
        ("replacements:\n  \"\": a", 2, "of words"),
        ("replacements:\n  a: \"\(String(repeating: "a", count: 4097))\"", 2, "4096"),
        ("engines:\n  - {name: a, wyoming: \"unix:/a\", punctuates: maybe}", 2, "true or false"),
        ("replacements:\n  nobody: {a: b}", 2, "a kind, a colon and an id"),
        ("engin: x", 1, "engin"),
        ("language: en\nshortcut: Hyper+q", 2, "must be none, or modifiers (Super, Ctrl, Alt, Shift)"),
        ("shortcut: d", 1, "as in Super+Alt+space"),
        ("shortcut: [F9]", 1, "'shortcut' must be none"),
        ("language-shortcuts: Super+d", 1, "keys by language, at most 8"),
        ("language-shortcuts:\n  de: Super+d\n  fr: d", 3, "must hold for fr modifiers"),
        ("language-shortcuts:\n  de: Super+d\n  fr: Logo+d", 3, "has Super+d twice"),
        ("language-shortcuts:\n  the german: Super+d", 2, "BCP 47"),
        (
            "language-shortcuts: {aa: F1, ab: F2, ac: F3, ad: F4, ae: F5, af: F6, ag: F7, ah: F8, ai: F9}", 1,
            "at most 8"
        ),
        ("language: en-US\nspeech-seconds: soon", 2, "speech-seconds"),
        ("speech-seconds: 61", 1, "5 to 60"),
        ("speech-seconds: -1", 1, "5 to 60"),
        ("prefer-bluetooth: 1.5", 1, "true or false"),
        ("engine: {a: b}", 1, "a list of strings"),
        ("calls:\n  roles: Communication", 2, "a list"),
        ("calls:\n  rolls: []", 2, "calls.rolls"),
        ("interrupting: [toothache]", 1, "toothache"),
        ("interrupting: [preempted]", 1, "preempted"),
        ("engine: scripted\ninterrupting: [call, suspend]", 2, "suspend"),
        ("auto-commit: 199", 1, "0 or a whole number from 200 to 60000"),
        ("auto-commit: 60001", 1, "from 200 to 60000"),
        ("resume-within: {call: never}", 1, "whole number"),
        ("- engine", 1, "mapping"),
        ("engine: 'unfinished", 1, "YAML"),
    ])
    func aMistakeIsRefusedWithItsFileAndLine(text: String, line: Int, part: String) throws {
        let error = try #require(mistake(in: text))
        #expect(error.file == "test.yaml")
        #expect(error.line == line)
        #expect(error.message.contains(part), "\(error)")
    }

    @Test func aKeyWithAMistakeIsSkippedByThoseWhoReadTheRest() throws {
        let reading = try ConfigurationFile(path: "test.yaml").read(
            """
            formatting: nice
            language: de-DE
            calls:
              rolls: []
              roles: [Phone]
            """)
        #expect(reading.names == ["language", "calls.roles"])
        #expect(reading.configuration.language == "de-DE")
        #expect(reading.configuration.settings.callRules.roles == ["phone"])
        #expect(reading.configuration.formatting == Configuration().formatting)
        #expect(reading.errors.map(\.line) == [1, 4])
        #expect(throws: ConfigurationError.self) {
            try ConfigurationFile(path: "test.yaml").read("- language")
        }
    }

    @Test func replacementsHaveLimitedNumbers() {
        let phrases = (0...Replacements.limit).map { "  a\($0): b\n" }.joined()
        #expect(mistake(in: "replacements:\n" + phrases)?.message.contains("1000") == true)
        let applications = (0...Replacements.applicationLimit).map { "  app:a\($0): {a: b}\n" }.joined()
        #expect(mistake(in: "replacements:\n" + applications)?.message.contains("32") == true)
    }

    @Test func theAdministratorTakesPrecedence() throws {
        let folder = try TemporaryDirectory()
        var loader = ConfigurationLoader(
            explicit: try folder.write("language: de-DE\nspeech-seconds: 30\n", to: "user.yaml"),
            environment: [:])
        loader.administratorFile = try folder.write("language: en-US\n", to: "administrator.yaml")
        let configuration = try loader.load()
        #expect(configuration.language == "en-US")
        #expect(configuration.segmentLimit == .seconds(30))
        #expect(configuration.administered == ["language"])
    }

    @Test func aPackageChangesTheDefaultsAndNothingElse() throws {
        let folder = try TemporaryDirectory()
        var loader = ConfigurationLoader(
            explicit: try folder.write("language: de-DE\n", to: "user.yaml"), environment: [:])
        loader.packagedFile = try folder.write(
            "language: fr-FR\nroute: packaged\nspeech-seconds: 30\n", to: "packaged.yaml")
        loader.administratorFile = try folder.write("route: desk\n", to: "administrator.yaml")
        let configuration = try loader.load()
        #expect(configuration.language == "de-DE")
        #expect(configuration.route == "desk")
        #expect(configuration.segmentLimit == .seconds(30))
        #expect(configuration.administered == ["route"])
    }

    @Test func aCheckFindsTheErrorsOfBothFiles() throws {
        let folder = try TemporaryDirectory()
        var loader = ConfigurationLoader(
            explicit: try folder.write(
                "langage: de-DE\nspeech-seconds: 1000\nengines:\n  - {name: far, wyoming: 'tcp://192.0.2.1:1'}\n",
                to: "user.yaml"),
            environment: [:])
        loader.administratorFile = try folder.write("session-limit: many\n", to: "administrator.yaml")
        let errors = loader.errors()
        #expect(
            errors.map { URL(filePath: $0.file).lastPathComponent }
                == ["administrator.yaml", "user.yaml", "user.yaml", "user.yaml"])
        #expect(errors.map(\.line) == [1, 1, 2, nil])
        #expect(throws: try #require(errors.first)) { try loader.load() }
    }

    @Test func aRunningServiceTakesWhatCanChange() throws {
        var configuration = try read("engine: scripted\nlanguage: en-US\nwords: [Jo]\ndecoder-limit: 2")
        configuration.administered = ["engine", "language"]
        var other = try read("engine: none\nlanguage: de-DE\ninterrupting: []\nwords: []\ndecoder-limit: 3")
        other.administered = ["decoder-limit", "interrupting"]
        configuration.adoptChanges(from: other)
        #expect(configuration.language == "de-DE")
        #expect(configuration.words.isEmpty)
        #expect(!configuration.ofDictation.interruptingReasons.contains(.call))
        #expect(configuration.engine == ["none"])
        // This one waits for the next start.
        #expect(configuration.decoderLimit == 2)
        #expect(configuration.administered == ["interrupting"])
    }

    @Test func aFileThatWasNamedMustExist() throws {
        let loader = ConfigurationLoader(explicit: "/nonexistent/dictation.yaml", environment: [:])
        #expect(throws: ConfigurationError.self) { try loader.load() }
    }

    @Test func readsTheUsersFileIfItExists() throws {
        let home = try TemporaryDirectory()
        #expect(throws: Never.self) {
            try ConfigurationLoader(explicit: nil, environment: ["HOME": home.path]).load()
        }
        try home.write("engine: scripted\n", to: ".config/dictation/dictation.yaml")
        let configuration = try ConfigurationLoader(explicit: nil, environment: ["HOME": home.path]).load()
        #expect(configuration.engine == ["scripted"])
    }

    @Test func everyKeyHasAMeaningAndANameOfItsOwn() {
        let keys = ConfigurationKey.all
        #expect(Set(keys.map(\.name)).count == keys.count)
        for key in keys { #expect(key.meaning.hasSuffix("."), "\(key.name)") }
    }
}
