import DBus
import DictationCore
import DictationInterface
import DictationTestKit
import EventLoop
import Foundation
import LanguageFiles
import Testing

@testable import dictation_cli

@Suite struct ShortcutTests {
    private let bus: PrivateBus
    private let home: TemporaryDirectory

    init() async throws {
        bus = try await PrivateBus()
        home = try TemporaryDirectory()
    }

    private func run(_ arguments: [String], desktop: String = "sway", path: String? = nil) async throws -> (
        status: ChildProcess.ExitStatus, output: String, errors: String
    ) {
        try await ChildProcess.run(
            [try BuiltProgram.path(of: "dictation-cli"), "shortcut"] + arguments,
            adding: bus.environment.merging([
                "HOME": home.path, "XDG_CONFIG_HOME": "", "XDG_CURRENT_DESKTOP": desktop,
                "PATH": path ?? "/usr/bin:/bin",
            ]) { $1 })
    }

    @Test(arguments: [
        (
            "sway",
            [
                "bindsym --no-repeat Mod4+Mod1+space exec dictation-cli toggle --type",
                "bindsym --release Mod4+Mod1+space exec dictation-cli toggle --type",
                "bindsym --no-repeat Control+Shift+d exec dictation-cli toggle --type --language de",
                "bindsym --release Control+Shift+d exec dictation-cli toggle --type --language de",
            ]
        ),
        (
            "i3",
            [
                "bindsym --release Mod4+Mod1+space exec --no-startup-id dictation-cli toggle --type",
                "bindsym --release Control+Shift+d exec --no-startup-id dictation-cli toggle --type --language de",
            ]
        ),
        (
            "Hyprland",
            [
                "bind = SUPER ALT, space, exec, dictation-cli toggle --type",
                "bindr = SUPER ALT, space, exec, dictation-cli toggle --type",
                "bind = CTRL SHIFT, d, exec, dictation-cli toggle --type --language de",
                "bindr = CTRL SHIFT, d, exec, dictation-cli toggle --type --language de",
            ]
        ),
        (
            "labwc:wlroots",
            [
                #"<keybind key="W-A-space"><action name="Execute" command="dictation-cli toggle --type"/></keybind>"#,
                #"<keybind key="C-S-d"><action name="Execute" command="dictation-cli toggle --type --language de"/></keybind>"#,
            ]
        ),
        (
            "XFCE",
            [
                "xfconf-query -c xfce4-keyboard-shortcuts -np '/commands/custom/<Super><Alt>space' -t string -s 'dictation-cli toggle --type'",
                "xfconf-query -c xfce4-keyboard-shortcuts -np '/commands/custom/<Primary><Shift>d' -t string -s 'dictation-cli toggle --type --language de'",
            ]
        ),
        ("KDE", ["dictation-cli toggle --type", "dictation-cli toggle --type --language de"]),
        ("other", ["dictation-cli toggle --type", "dictation-cli toggle --type --language de"]),
    ])
    func linesAreThoseOfTheDesktop(desktop: String, lines: [String]) throws {
        let settings = try ShortcutSettings(
            "shortcut: Super+Alt+space\nlanguage-shortcuts: {de: Ctrl+Shift+d}\n")
        let advice = ShortcutAdvice(environment: ["XDG_CURRENT_DESKTOP": desktop], settings: settings)
        #expect(advice.lines == lines)
        #expect(advice.sentence.hasSuffix(":"))
    }

    /// The commands run for real, and keep the keys that the user has.
    @Test func theCommandsForGnomeAddAKeyOnce() async throws {
        let advice = ShortcutAdvice(environment: ["XDG_CURRENT_DESKTOP": "ubuntu:GNOME"])
        let media = "org.gnome.settings-daemon.plugins.media-keys"
        let keys = "/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings"
        // A file for all commands.
        let environment = [
            "GSETTINGS_BACKEND": "keyfile", "HOME": home.path, "XDG_CONFIG_HOME": home.path(of: "settings"),
        ]
        func shell(_ script: String) async throws -> String {
            let run = try await ChildProcess.run(["/bin/sh", "-ec", script], adding: environment)
            #expect(run.status == .exited(0), "\(run.errors)")
            return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let script = advice.lines.joined(separator: "\n")
        for (before, after) in [
            ("[]", "['\(keys)/dictation/']"), ("['/a/']", "['/a/', '\(keys)/dictation/']"),
            ("['\(keys)/dictation/', '/a/']", "['/a/', '\(keys)/dictation/']"),
            ("['\(keys)/dictation/']", "['\(keys)/dictation/']"),
        ] {
            _ = try await shell("gsettings set \(media) custom-keybindings \"\(before)\"\n\(script)")
            #expect(try await shell("gsettings get \(media) custom-keybindings") == after, "\(before)")
        }
        let own = "\(media).custom-keybinding:\(keys)/dictation/"
        #expect(try await shell("gsettings get \(own) binding") == "'<Super><Alt>space'")
        #expect(try await shell("gsettings get \(own) command") == "'dictation-cli toggle --type'")
    }

    @Test func whatThePortalHasBoundIsSaid() async throws {
        let nobody = try await run([])
        #expect(nobody.status == .exited(0))
        #expect(nobody.output.contains("The desktop's portal has bound no key: no program asks it"))
        #expect(nobody.output.contains("\n  bindsym --no-repeat Mod4+Mod1+space exec"))
        let own = try await run(["Ctrl+F9"])
        #expect(own.output.contains("\n  bindsym --no-repeat Control+F9 exec"))

        let keeper = try await ScriptedShortcuts(on: bus)
        let refused = try await run(["--json"])
        #expect(refused.output.contains(#""by":null,"bound":{},"reason":"the user refused""#))
        #expect(refused.output.contains("bindsym"))
        try await SchemaCheck.check(refused.output, against: "shortcut")
        await keeper.bind(["dictate": "Super+Space", "dictate-de": ""])
        #expect(
            try await run([]).output == """
                Bound by the desktop's portal: Super+Space (dictate).
                Bound by the desktop's portal: a key without a name (dictate-de).

                """)
        let bound = try await run(["--json"])
        #expect(
            bound.output.contains(
                #""by":"portal","bound":{"dictate":"Super+Space","dictate-de":""},"reason":null"#))
        try await SchemaCheck.check(bound.output, against: "shortcut")
        await keeper.close()
    }

    @Test func aKeyThatIsNoneIsExplained() async throws {
        let wrong = try await run(["Hyper+q"])
        #expect(wrong.status == .exited(64))
        #expect(wrong.errors.contains("“Hyper+q” is not a key: write modifiers (Super, Ctrl, Alt, Shift)"))
        try home.write("language: en\nshortcut: q\n", to: ".config/dictation/dictation.yaml")
        let settings = try await run([])
        #expect(settings.status == .exited(65))
        #expect(settings.errors.contains("dictation.yaml:2: 'shortcut' must be none, or modifiers"))
    }

    /// With a systemctl that writes down its arguments, because the tests have no service manager of the user.
    @Test func bindingWritesTheSettingsAndEnablesTheUnit() async throws {
        let log = home.path(of: "log")
        let program = try home.write("#!/bin/sh\necho \"$*\" >>\(log)\n", to: "bin/systemctl")
        chmod(program, 0o755)
        let path = home.path(of: "bin") + ":/usr/bin:/bin"
        let file = home.path(of: ".config/dictation/dictation.yaml")
        try home.write("language: en # mine\n", to: ".config/dictation/dictation.yaml")
        for (key, line) in [([], "Super+Alt+space"), (["ctrl+F9"], "Ctrl+F9"), ([], "Ctrl+F9")] {
            let run = try await run(["--bind"] + key, path: path)
            #expect(run.status == .exited(0), "\(run.errors)")
            #expect(
                try String(contentsOfFile: file, encoding: .utf8)
                    == "language: en # mine\nshortcut: \(line)\n")
        }
        let unit = home.path(of: ".config/systemd/user/dictation-worker.service.d/50-shortcut.conf")
        #expect(
            try String(contentsOfFile: unit, encoding: .utf8).contains(
                "[Service]\nEnvironment=DICTATION_WORKER_OPTIONS=--stay\n"))
        let calls = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(
            calls.prefix(3) == [
                "--user daemon-reload", "--user enable dictation-worker.service",
                "--user restart dictation-worker.service",
            ])
        try home.write("#!/bin/sh\nexit 1\n", to: "bin/systemctl")
        let failed = try await run(["--bind"], path: path)
        #expect(failed.status == .exited(69))
        #expect(failed.errors.contains("systemctl --user daemon-reload"))
    }
}

/// The process that stays with the session.
@EventLoopActor
private final class ScriptedShortcuts: ObjectHandler {
    private let connection: Connection
    private var bound: [BusText: String] = [:]

    init(on bus: PrivateBus) async throws {
        connection = try await Connection(to: .custom(bus.address))
        connection.export(
            DictationShortcutsInterface.path, interfaces: [DictationShortcutsInterface.description],
            handler: self)
        _ = try await connection.requestName(DictationShortcutsInterface.busName)
    }

    func bind(_ keys: [BusText: String]) { bound = keys }

    func close() async { await connection.close() }

    func handle(_ call: MethodCall) {
        call.reply(
            DictationShortcutsReply.get(bound: bound, failure: bound.isEmpty ? "the user refused" : "").body)
    }
}
