import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Testing
import TypingRig

@testable import WaylandInput

/// The language of dictation follows the keyboard layout of sway, if the user wants that.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LayoutTests {
    private static let settings = "language: [en-US, en-GB]\nhistory: 1 day\n"

    @Test func dictationBeginsInTheLanguageOfTheLayout() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let keyboard = try await LayoutKeyboard(desk, "pc+us+gb:2")
        let dictation = try await DeskDictation(
            desk.environmentWithSocket, Self.settings + "language-by-layout: true\n")
        var text = ""
        for (layout, language) in [(1, "en-GB"), (0, "en-US")] {
            try await desk.message("input type:keyboard xkb_switch_layout \(layout)")
            #expect(try await dictation.run("toggle", "--type").status == .exited(0))
            try await dictation.state("listening")
            try await dictation.say(500)
            #expect(try await dictation.run("toggle", "--type").status == .exited(0))
            text += text.isEmpty ? "t500" : " t500"
            try await window.text(text)
            #expect(try await dictation.lastLanguage() == language)
        }
        // What the call says counts more.
        let program = try await dictation.type("--language", "en-GB")
        try await dictation.say(500)
        #expect(try await dictation.end(program) == .exited(0))
        #expect(try await dictation.lastLanguage() == "en-GB")
        await keyboard.close()
        try await dictation.end()
    }

    @Test func withoutTheSettingTheLayoutDoesNotMatter() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let keyboard = try await LayoutKeyboard(desk, "pc+gb")
        let dictation = try await DeskDictation(desk.environmentWithSocket, Self.settings)
        let program = try await dictation.type()
        try await dictation.say(500)
        #expect(try await dictation.end(program) == .exited(0))
        try await window.text("t500")
        #expect(try await dictation.lastLanguage() == "en-US")
        await keyboard.close()
        try await dictation.end()
    }

    @Test func doctorSaysInWhichLanguageDictationBegins() async throws {
        let desk = try await SwayDesk()
        let keyboard = try await LayoutKeyboard(desk, "pc+us+de:2")
        let dictation = try await DeskDictation(desk.environment)
        let files = try TemporaryDirectory()
        func doctor(_ settings: String, _ variables: String...) async throws -> String {
            try files.write(settings + "language-by-layout: true\n", to: "dictation/dictation.yaml")
            let command =
                ["XDG_CONFIG_HOME=\(files.path)"] + variables + [executable("dictation-cli"), "doctor"]
            return try await ChildProcess.run(
                ["env"] + command,
                environment: desk.environmentWithSocket.merging(dictation.rig.bus.environment) { $1 }
            ).output
        }
        let languages = "language: [en-US, de-DE]\n"
        #expect(
            try await doctor(languages).contains("“English (US)”: dictation into windows begins in en-US."))
        try await desk.message("input type:keyboard xkb_switch_layout 1")
        #expect(try await doctor(languages).contains("“German”: dictation into windows begins in de-DE."))
        #expect(try await doctor("language: [en, fr]\n").contains("“German” is of none of your languages."))
        #expect(
            try await doctor(languages, "SWAYSOCK=").contains(
                "this desktop does not report the keyboard layout"))
        #expect(try await !doctor("language: en\n").contains("keyboard layout"))
        await keyboard.close()
        try await dictation.end()
    }
}

extension SwayDesk {
    fileprivate var environmentWithSocket: [String: String] {
        environment.merging(["SWAYSOCK": socket]) { $1 }
    }
}

extension DeskDictation {
    /// Of the last text.
    fileprivate func lastLanguage() async throws -> String? {
        struct History: Decodable {
            var texts: [Entry]
        }
        struct Entry: Decodable {
            var language: String
        }
        let history = try await run("history", "list", "--json").output
        return try JSONDecoder().decode(History.self, from: Data(history.utf8)).texts.first?.language
    }
}

/// A keyboard with layouts of XKB.
@EventLoopActor
private final class LayoutKeyboard {
    private let connection: WaylandConnection
    private let keyboard: VirtualKeyboard

    /// - Parameter symbols: as the rules of XKB name them.
    init(_ desk: SwayDesk, _ symbols: String) async throws {
        connection = try WaylandConnection(environment: desk.environment, handler: { _ in }, onLoss: { _ in })
        guard await connection.synced() else { throw TestFailure("sway does not answer") }
        keyboard = VirtualKeyboard(on: connection)
        connection.sendKeymap(
            """
            xkb_keymap {
              xkb_keycodes { include "evdev+aliases(qwerty)" };
              xkb_types { include "complete" };
              xkb_compat { include "complete" };
              xkb_symbols { include "\(symbols)+inet(evdev)" };
            };
            """)
        guard await connection.synced() else { throw TestFailure("sway has not taken the keymap") }
    }

    func close() async { await connection.close() }
}
