import DictationTestKit
import Testing

/// Windows that take text from IBus. Qt does not report to IBus that the focus moves within a window, nor which fields are
/// for passwords.
@Suite(.serialized, .sharedX11Desk) struct X11WindowTests {
    /// Dictates words, and returns what became of them, as "OUTCOME WHY".
    private func dictate(_ frequency: Int, on desk: ShellDesk) async throws -> String {
        try await desk.startDictating()
        try await desk.say(frequency)
        return try await finish(frequency, on: desk)
    }

    private func finish(_ frequency: Int, on desk: ShellDesk) async throws -> String {
        try await eventually("it is heard") { try await desk.dictation("text").contains("\(frequency)") }
        let previous = try await desk.dictation("texts[0]?.id")
        try await desk.stopDictating()
        try await eventually("it is decided what becomes of the text") {
            try await desk.dictation("texts[0]?.id") != previous
        }
        return try await desk.evaluate(
            "(({outcome, why}) => `${outcome} ${why}`)(global.extension()._dictation.texts[0])"
        ).replacing("\"", with: "")
    }

    private func knowsTheField(_ desk: ShellDesk) async throws {
        try await eventually("IBus has the focus", equals: "\"ibus\"") {
            try await desk.evaluate("global.extension()._dictation._fields.current?.route")
        }
    }

    @Test(arguments: ["qt", "gtk3"])
    func textIsTypedWhereTheCursorIs(kind: String) async throws {
        try await withDesk { desk in
            let window = try await desk.openX11(kind)
            try await knowsTheField(desk)
            #expect(try await dictate(500, on: desk) == "sent ")
            try await window.wait("the text") { _ in window.text().lowercased() == "t500" }
            try await window.command("focus 1")
            try await desk.settle()
            #expect(try await dictate(600, on: desk) == "sent ")
            try await window.wait("the text") { _ in window.text(of: 1).lowercased() == "t600" }
            #expect(window.text().lowercased() == "t500")
            try await window.close()
        }
    }

    @Test func passwordFieldOfAQtWindowStaysEmpty() async throws {
        try await withDesk { desk in
            let window = try await desk.openX11("qt")
            try await knowsTheField(desk)
            try await window.command("focus 2")
            #expect(try await dictate(500, on: desk) == "kept window")
            #expect((0..<3).allSatisfy { window.texts(in: $0).isEmpty })
            try await eventually("the user is told") {
                try await desk.notifications().contains("does not show that this is a text field")
            }
            try await window.close()
        }
    }

    @Test(arguments: [1, 2])
    func otherFieldOfAQtWindowGetsNothingOfASentence(other: Int) async throws {
        try await withDesk { desk in
            let window = try await desk.openX11("qt")
            try await knowsTheField(desk)
            try await desk.startDictating()
            try await desk.say(500)
            try await eventually("it is heard") { try await desk.dictation("text").contains("500") }
            try await window.command("focus \(other)")
            try await desk.settle()
            #expect(try await finish(500, on: desk).hasPrefix("kept"))
            #expect((0..<3).allSatisfy { window.texts(in: $0).isEmpty })
            try await window.close()
        }
    }

    /// The program uses IBus, which has not got the focus, because the first field that had it is for passwords.
    @Test func nothingIsPastedIntoAPasswordFieldOfAWindowWithIBus() async throws {
        try await withDesk { desk in
            let window = try await desk.openX11("qt")
            try await knowsTheField(desk)
            try await window.command("focus 2")
            try await desk.allowPasting(into: window)
            try await desk.run(
                "global.extension()._dictation._fields._contexts._focus(null)")
            #expect(try await dictate(500, on: desk).hasPrefix("kept"))
            #expect((0..<3).allSatisfy { window.texts(in: $0).isEmpty })
            try await desk.forbidPasting()
            try await window.close()
        }
    }

    @Test func textIsPastedOnlyIntoProgramsThatTheUserAllows() async throws {
        try await withDesk { desk in
            let window = try await desk.openX11("qt", module: "compose")
            try await desk.set("set_boolean", "'paste', true")
            #expect(try await dictate(500, on: desk) == "kept no-field")
            #expect(window.texts().isEmpty)
            let label = try await desk.evaluate(
                "global.extension()._notices._shown.get('text').actions[0].label")
            try await desk.click(
                label.replacing("\"", with: ""), on: "does not report which fields are for passwords")
            #expect(try await dictate(600, on: desk) == "sent ")
            try await window.wait("the pasted text") { _ in window.text().lowercased() == "t600" }
            try await desk.forbidPasting()
            try await window.close()
        }
    }
}

extension ShellDesk {
    fileprivate func allowPasting(into window: TestWindow) async throws {
        try await set("set_boolean", "'paste', true")
        try await set("set_strv", "'paste-programs', [global.display.focus_window.get_wm_class()]")
    }

    fileprivate func forbidPasting() async throws {
        try await set("reset", "'paste'")
        try await set("reset", "'paste-programs'")
    }
}
