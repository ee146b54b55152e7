import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import ScriptedService
import Testing

/// The windows of `dictation-settings`, in a headless sway.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SettingsWindowTests {
    @Test func setupLeadsToAFirstSentence() async throws {
        let window = try await SettingsWindow("setup", microphones: ["lid", "headset"])
        try await window.does("shows Dictate Into Every Window")
        try await window.picture("setup-1")
        try await window.does("scheme dark")
        try await window.picture("setup-1-dark")
        try await window.does("press Next", "shows Whisper", "shows Languages")
        try await window.picture("setup-2")
        try await window.does("press Next", "press The headset")
        try await eventually("the microphone is chosen") {
            await window.service.requests.contains {
                if case .selectRoute(name: "headset", _) = $0 { true } else { false }
            }
        }
        try await window.does("press Start")
        try await eventually("it listens") { await window.service.session != nil }
        let session = try #require(await window.service.session)
        try await window.service.emit(
            .partial(
                session: session.id, block: 1, offset: 0, stable: "hello ", volatile: "wor", details: [:]))
        try await window.does("shows hello wor")
        try await window.service.emit(
            .final(session: session.id, block: 1, text: "hello world", details: [:]))
        try await window.does("shows You said", "shows hello world")
        try await window.picture("setup-3")
        try await eventually("the microphone is closed") { await window.service.session == nil }
        try await window.does("press Next", "shows Bind a key", "press Done", "shows This Computer")
        #expect(try window.file == "language: en-US\n")
        try await window.does("close")
        #expect(try await window.process.exitStatus() == .exited(0))
        await window.service.vanish()
    }

    @Test func theFileOfSettingsKeepsWhatItHas() async throws {
        let tests = repository.appending(path: "packaging/settings/tests/test_user_settings.py").path
        let run = try await ChildProcess.run(["/usr/bin/python3", "-B", tests])
        #expect(run.status == .exited(0), "\(run.errors)")
    }

    /// What the user wrote into the file stays.
    @Test func settingsAreWrittenBesideTheUsersOwnLines() async throws {
        let marked = """
            # begin: written by dictation-cli engines add: desk
            engine: [desk, pocketsphinx]
            # end: dictation-cli engines add

            """
        let own = "# mine\nengine-wait: 7   # slow\nreplacements: {pipe wire: PipeWire}\n"
        let languages = "language:\n  - en-US\n  - de\n"
        let window = try await SettingsWindow(
            "settings", microphones: ["lid"], file: own + languages + marked)
        try await window.does("shows This Computer", "shows The lid")
        try await window.picture("settings-1")
        try await window.does("page speech", "shows Languages")
        try await window.picture("settings-2")
        try await window.does("press Remove de")
        let start = own + "language: en-US\n" + marked
        try await eventually("one language is left") { try window.file == start }
        try await window.does("page text", "press Formatting", "choose Finish a Text 2")
        try await window.does("write New Word Kubernetes", "shows Remove Kubernetes")
        try await window.picture("settings-3")
        try await eventually("the file has all; \((try? window.file) ?? "none")") {
            try window.file.hasPrefix(start) && window.file.contains("formatting: dictation\n")
                && window.file.contains("auto-commit: 2000\n") && window.file.contains("\"Kubernetes\"")
        }
        try await window.does(
            "press Remove Kubernetes", "press Copy What Cannot Be Typed", "press Pause Media Players")
        try await eventually("words are removed") { try !window.file.contains("Kubernetes") }
        try await eventually("the clipboard stays") { try window.file.contains("copy-untyped: false\n") }
        try await eventually("players play on") { try window.file.contains("pause-playback: false\n") }
        #expect(try window.file.hasPrefix(start))
        try await window.does("close")
        #expect(try await window.process.exitStatus() == .exited(0))
        await window.service.vanish()
    }

    @Test func applicationsAreAllowedDeniedAndForgotten() async throws {
        let rig = try await Rig("engine: scripted\n", allowsEveryone: false)
        for words in [["grant", "/usr/bin/grim"], ["deny", "flatpak:org.example.Editor"]] {
            _ = try await rig.output(of: [executable("dictation-cli"), "permissions"] + words)
        }
        let window = try await SettingsWindow("settings", on: rig)
        try await window.does(
            "page permissions", "press /usr/bin/grim", "state Dictate on", "state Type Into Windows off")
        try await window.picture("settings-permissions")
        try await window.does("press Type Into Windows", "shows may dictate, may type into windows")
        // The row stays open.
        try await window.does(
            "state Type Into Windows on", "press Dictate", "shows may not dictate, may type into windows")
        try await window.does("scheme dark", "state Dictate off")
        try await window.picture("settings-permissions-dark")
        let list = [executable("dictation-cli"), "permissions"]
        #expect(
            try await rig.output(of: list)
                == "/usr/bin/grim  denied, typing granted\nflatpak:org.example.Editor  denied")
        try await window.does("press Forget /usr/bin/grim")
        try await eventually("it is forgotten") {
            try await rig.output(of: list) == "flatpak:org.example.Editor  denied"
        }
        try await window.does("close")
        #expect(try await window.process.exitStatus() == .exited(0))
        try await rig.end()
    }

    @Test func severalLanguagesCanFollowTheKeyboardLayout() async throws {
        let window = try await SettingsWindow("settings", microphones: ["lid"], file: "language: [de, en]\n")
        try await window.does("page speech", "press Language by Keyboard Layout")
        try await eventually("the layout decides") {
            try window.file == "language: [de, en]\nlanguage-by-layout: true\n"
        }
        try await window.picture("settings-layout")
        try await window.does("close")
        await window.service.vanish()
    }

    @Test func whatCanBeSaidIsListedInTheUsersLanguage() async throws {
        let window = try await SettingsWindow("settings", microphones: ["lid"], file: "language: [de, en]\n")
        try await window.does(
            "page text", "shows What You Can Say", "press Satzzeichen", "shows fragezeichen")
        try await window.picture("settings-spoken")
        try await window.does(
            "press Corrections", "shows streich das", "shows Deletes the text since the last pause")
        try await window.does("close")
        await window.service.vanish()
    }

    /// At 150 % size of text everything is still there; with dark colours too.
    @Test func everyPageIsShownInBothColourSchemes() async throws {
        let window = try await SettingsWindow(
            "settings", microphones: ["lid", "headset"], file: "language: en-US\n")
        await window.service.offer(engines: [
            (
                name: "pocketsphinx",
                details: [
                    EngineKey.available: Value(true), EngineKey.languages: Value(["en-US", "de", "pt-BR"]),
                ]
            ),
            (
                name: "desk",
                details: [
                    EngineKey.available: Value(false),
                    EngineKey.message: Value(BusText("It does not answer.")),
                    EngineKey.preferred: Value(true),
                ]
            ),
        ])
        for scheme in ["light", "dark"] {
            try await window.does("scheme \(scheme)")
            for (page, text) in [("general", "The lid"), ("speech", "Whisper"), ("text", "Your Words")] {
                try await window.does("page \(page)", "shows \(text)")
                try await window.picture("settings-\(page)-\(scheme)")
            }
        }
        try await window.does("size 1.5", "page speech", "shows Whisper")
        try await window.picture("settings-speech-large")
        try await window.does("close")
        await window.service.vanish()
    }

    @Test func theLastTextsAreChosenCopiedAndErased() async throws {
        let window = try await SettingsWindow("settings", microphones: ["lid"], file: "language: en-US\n")
        try await window.does("page text", "choose Keep the Last Texts 2")
        try await eventually("they are kept") { try window.file.contains("history: 7 days\n") }
        await window.service.offer(history: ["the last text", "hello world"])
        try await window.does("page text", "press Keep Their Sound", "choose Keep the Last Texts 3")
        try await window.does("shows the last text", "press the last text", "press Copy")
        try await window.picture("settings-history")
        try await window.does("press Erase", "shows hello world")
        #expect(try window.file.contains("history: 30 days\n"))
        #expect(try window.file.contains("history-sound: true\n"))
        try await window.does("close")
        #expect(try await window.process.exitStatus() == .exited(0))
        await window.service.vanish()
    }

    @Test func singleApplicationsHaveSettings() async throws {
        let own =
            "# mine\napplications: [{application: \"app:org.example.Notes\", engine: [desk, lab], language: [de, en]}]\n"
        let window = try await SettingsWindow("settings", microphones: ["lid"], file: own)
        try await window.does("page permissions", "press org.example.Notes", "choose Formatting 1")
        try await eventually("it is written") { try window.file.contains("formatting: dictation") }
        #expect(try window.file.hasPrefix("# mine\n"))
        #expect(try window.file.contains("engine:\n      - desk\n      - lab\n"))
        try await window.does("shows de, en")
        try await window.picture("settings-applications")
        try await window.does("press Forget the settings of org.example.Notes")
        try await eventually("it is forgotten") { try !window.file.contains("Notes") }
        try await window.does("close")
        await window.service.vanish()
    }

    @Test func everyControlIsReachedByTheKeyboard() async throws {
        let window = try await SettingsWindow(
            "settings", microphones: ["lid", "headset"],
            file: "language: [en-US, de]\n")
        try await window.does("page text", "write New Word Kubernetes")
        for (page, text) in [
            ("general", "The headset"), ("speech", "Install"), ("text", "Remove Kubernetes"),
        ] {
            try await window.does("page \(page)", "shows \(text)", "keys")
        }
        try await window.does("close")
        await window.service.vanish()
    }

    /// A file with an error in its YAML stays as it is.
    @Test func aDamagedFileIsNeitherReadNorWritten() async throws {
        let damaged = "language: [en\n"
        let window = try await SettingsWindow("settings", microphones: [], file: damaged)
        try await window.does(
            "page text", "shows this is not YAML", "press Formatting", "shows this is not YAML")
        #expect(try window.file == damaged)
        try await window.does("close")
        await window.service.vanish()
    }

    @Test func aWordIsListenedToUntilStopOrTheWindowIsClosed() async throws {
        let words =
            "# begin: written by dictation-cli words\nwords:\n  - \"nginx\"\n# end: dictation-cli words\n"
        let window = try await SettingsWindow("settings", microphones: ["lid"], file: words)
        try await window.does("page text", "press Say nginx", "shows Say the word now")
        try await eventually("it listens") { await window.service.session != nil }
        try await window.does("press Stop", "press Say nginx")
        try await eventually("it listens again") {
            await window.service.requests.count { $0.method == .start } == 2
        }
        try await window.does("close")
        try await eventually("the microphone is closed") { await window.service.session == nil }
        #expect(try await window.process.exitStatus() == .exited(0))
        #expect(try window.file == words)
        await window.service.vanish()
    }

    @Test func theWindowDoesNotListenAfterItIsClosed() async throws {
        let window = try await SettingsWindow("settings", microphones: ["lid"], file: "language: en-US\n")
        try await window.does("press Start")
        try await eventually("it listens") { await window.service.session != nil }
        try await window.does("close")
        try await eventually("the microphone is closed") { await window.service.session == nil }
        await window.service.vanish()
    }
}

/// A service whose answers the test sets, on its own bus.
private struct ScriptedMachine {
    let bus: PrivateBus
    let service: ScriptedService

    init(microphones: [String]) async throws {
        bus = try await PrivateBus()
        service = try await ScriptedService(at: bus.address)
        await service.offer(
            microphones.map { name in
                [
                    RouteKey.name: Value(BusText(name)), RouteKey.description: Value(BusText("The \(name)")),
                    RouteKey.available: Value(true), RouteKey.default: Value(name == microphones.first),
                ]
            })
    }
}

/// A window with its person, and the machine that it finds.
private struct SettingsWindow<Machine> {
    let desk: SwayDesk
    let machine: Machine
    let process: ChildProcess
    private let home: TemporaryDirectory

    private init(
        _ kind: String, _ machine: Machine, _ environment: [String: String], _ home: TemporaryDirectory
    ) async throws {
        desk = try await SwayDesk()
        self.machine = machine
        self.home = home
        let environment = desk.environment.merging(environment) { $1 }.merging([
            "HOME": home.path, "XDG_RUNTIME_DIR": desk.environment["XDG_RUNTIME_DIR"] ?? "",
            "DICTATION_CLI": executable("dictation-cli"),
            "ADW_DISABLE_PORTAL": "1", "PYTHONDONTWRITEBYTECODE": "1",
        ]) { $1 }
        process = try ChildProcess(
            [
                "/usr/bin/python3",
                repository.appending(path: "Tests/WaylandInputTests/Resources/settings-window.py").path,
                repository.appending(path: "packaging/settings").path, kind,
            ], environment: environment)
    }

    var file: String {
        get throws {
            try String(contentsOfFile: home.path(of: ".config/dictation/dictation.yaml"), encoding: .utf8)
        }
    }

    /// A person's steps: see `settings-window.py`.
    func does(_ steps: String...) async throws {
        for step in steps {
            let earlier = process.lines(of: .output).count
            try process.write(step + "\n")
            try await eventually("\(step); \(process.text(of: .errors))") {
                process.lines(of: .output).count > earlier
            }
            let answer = process.lines(of: .output)[earlier]
            let errors = process.text(of: .errors)
            guard answer.hasPrefix("ok"), !errors.contains("Traceback") else {
                throw TestFailure("\(step): \(answer)\n\(errors)")
            }
        }
    }

    func picture(_ name: String) async throws { try await desk.takeScreenshot(name) }
}

extension SettingsWindow where Machine == ScriptedMachine {
    /// - Parameters:
    ///   - kind: "setup" or "settings".
    ///   - file: the user's settings; nil without any.
    init(_ kind: String, microphones: [String], file: String? = nil) async throws {
        let machine = try await ScriptedMachine(microphones: microphones)
        let home = try TemporaryDirectory()
        if let file { try home.write(file, to: ".config/dictation/dictation.yaml") }
        try await self.init(kind, machine, machine.bus.environment, home)
    }

    var service: ScriptedService { machine.service }
}

extension SettingsWindow where Machine == Rig {
    /// With the real service, and settings that have a language.
    init(_ kind: String, on rig: Rig) async throws {
        let home = try TemporaryDirectory()
        try home.write("language: en-US\n", to: ".config/dictation/dictation.yaml")
        try await self.init(kind, rig, rig.bus.environment, home)
    }
}
