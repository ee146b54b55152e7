import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing
import Typing
import TypingRoutes
import WaylandInput

/// In a headless sway, with windows of GTK and foot.
@Suite(.serialized, .timeLimit(.minutes(1))) @EventLoopActor struct WaylandRouteTests {
    @Test(arguments: ["gtk4-form", "gtk3-entry"])
    func liveTextAndCommitsArriveInAField(_ kind: String) async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window(kind, "one")
        let user = RouteUser(desk)
        try await user.open()
        try await user.field("a field") {
            $0?.purpose == .text && $0?.abilities == [.liveText, .deletion, .identity]
        }
        user.route.perform([.show("Grüße")])
        try await window.preedit("Grüße")
        user.route.perform([.clear, .commit("Grüße 👍 an alle", token: 1), .show("und")])
        try await window.text("Grüße 👍 an alle")
        try await window.preedit("und")
        try await user.field("the text around the cursor") {
            $0?.surrounding == SurroundingText("Grüße 👍 an alle", cursor: 15)
        }
        user.route.perform([.clear, .delete(5)])
        try await window.text("Grüße 👍 an")
        try await window.preedit("")

        // The longest commit and the longest live text in one turn.
        let long = String(repeating: "wörter ", count: 375)
        #expect(long.utf8.count == TypingLimits.commitBytes)
        user.route.perform([
            .commit(long, token: 2), .show(String(repeating: "x", count: TypingLimits.liveBytes)),
        ])
        try await window.text("Grüße 👍 an" + long)
        await user.route.close()
        try await window.preedit("")
    }

    @Test func reportsPasswordPinAndTerminalFields() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let user = RouteUser(desk)
        try await user.open()
        for (number, purpose) in [(2, TextField.Purpose.password), (3, .pin), (0, .text)] {
            try window.process.write("focus \(number)\n")
            try await user.field("\(purpose)") { $0?.purpose == purpose }
            #expect(user.field?.isSecret == (purpose != .text))
        }
        let terminal = try await desk.terminal()
        try await user.field("a terminal") { $0?.purpose == .terminal }
        user.route.perform([.commit("ls -l häuser", token: 1)])
        user.route.perform([.commit("\n", token: 2)])
        try await eventually("the line") { terminal.lines == ["ready", "ls -l häuser"] }
        await user.route.close()
    }

    /// Any characters, more of them than a keymap has keys.
    @Test func aVirtualKeyboardTypesWhereAWindowHasNoTextField() async throws {
        let desk = try await SwayDesk()
        let user = RouteUser(desk, means: .inputMethodAndKeys)
        try await user.open()
        let window = try await desk.window("gtk3-entry", "one", hasTextInput: false)
        try await user.field("a window") { $0?.abilities == [.commitReports] }
        let rare = String(String.UnicodeScalarView((0x4E00..<0x4E96).compactMap { Unicode.Scalar($0) }))
        let text = "Grüße, 👍 \"quoted\" {x} " + rare + String(repeating: " and so on", count: 60)
        #expect(try await user.type(text, token: 1) == .unknown)
        try await window.text(text)
        await user.route.close()
    }

    /// At most one key reaches another window, because the compositor may move the focus before it reads that key.
    /// `DICTATION_SOAK_MOVES` is the number of moves of the focus.
    @Test func keysStopWhenTheFocusMoves() async throws {
        let desk = try await SwayDesk()
        let user = RouteUser(desk, means: .inputMethodAndKeys)
        try await user.open()
        let first = try await desk.window("gtk3-entry", "one", hasTextInput: false)
        // The first to be typed into is the second, which has the focus.
        let windows = [first, try await desk.window("gtk3-entry", "two", hasTextInput: false)]
        let titles = ["one", "two"]
        let moves = ProcessInfo.processInfo.environment["DICTATION_SOAK_MOVES"].flatMap { Int($0) } ?? 4
        var strays = 0
        for move in 1...moves {
            let (here, there) = (move % 2, (move + 1) % 2)
            try await user.field("a window") { $0?.abilities == [.commitReports] }
            let token = UInt64(2 * move)
            // A slow window may still read keys of the moves before.
            let letter = Character(Unicode.Scalar(UInt8(ascii: "a") + UInt8(move % 26)))
            func count(in window: TestWindow) -> Int { window.text().count { $0 == letter } }
            user.route.perform([.commit(String(repeating: letter, count: 3000), token: token)])
            try await eventually("it types") { count(in: windows[here]) > 10 }
            try await desk.focus(titles[there])
            try await eventually("it stops") { user.events.contains(.committed(token: token, .refused)) }
            // Keys that reached another window come before this one.
            try await user.field("the other window") { $0?.abilities == [.commitReports] }
            #expect(try await user.type(".", token: token + 1) == .unknown)
            try await eventually("the key") { windows[there].text().hasSuffix(".") }
            #expect(count(in: windows[there]) <= 1)
            strays += count(in: windows[there])
            for window in windows {
                try window.process.write("set 0 \n")
            }
        }
        if moves > 4 {
            print("bar|keys that reached the next window in \(moves) moves|\(strays)|\(moves)|keys")
        }
        await user.route.close()
    }

    /// The compositor does not identify fields: they are told apart by window and text.
    @Test func fieldsOfDifferentWindowsDifferWhateverTheyContain() async throws {
        let desk = try await SwayDesk()
        let user = RouteUser(desk)
        try await user.open()
        var fields: [TextField?] = []
        var windows: [TestWindow] = []
        for title in ["one", "two"] {
            let window = try await desk.window("gtk4-form", title)
            try window.process.write("set 1 other\n")
            try await window.text("other", of: 1)
            try window.process.write("set 0 same\n")
            try await window.text("same")
            // GTK reports the text of a field when it gets the focus.
            try window.process.write("focus 1\n")
            try await user.field("the other field") { $0?.surrounding?.text.count == 5 }
            try window.process.write("focus 0\n")
            try await user.field("the field") { $0?.surrounding?.text.count == 4 }
            windows.append(window)
            fields.append(user.field)
        }
        #expect(fields[1]?.isSame(as: fields[0]) == false)
        try await desk.focus("one")
        try await user.field("the field returns") { $0?.isSame(as: fields[0]) == true }
        try windows[0].process.write("focus 1\n")
        try await user.field("the other field") { $0?.surrounding?.text.count == 5 }
        #expect(user.field?.isSame(as: fields[0]) == false)
        try windows[0].process.write("focus 0\n")
        try await user.field("the field returns") { $0?.isSame(as: fields[0]) == true }

        // A terminal reports no text.
        let terminal = try await desk.terminal()
        try await user.field("a terminal") { $0?.purpose == .terminal }
        let line = user.field
        try await desk.focus("two")
        try await user.field("the second") { $0?.isSame(as: fields[1]) == true }
        try await desk.focus("foot")
        try await user.field("the terminal returns") { $0?.isSame(as: line) == true }
        #expect(terminal.lines == ["ready"])
        await user.route.close()
    }

    /// Keys would be commands there.
    @Test func typesNoKeysIntoWindowsWithTextFields() async throws {
        let desk = try await SwayDesk()
        let user = RouteUser(desk, means: .inputMethodAndKeys)
        try await user.open()
        let window = try await desk.window("gtk4-form", "one")
        try await user.field("a field") { $0?.abilities.contains(.liveText) == true }
        try window.process.write("focus none\n")
        try await user.field("no field") { $0 == nil }
        let other = try await desk.window("gtk3-entry", "other", hasTextInput: false)
        try await user.field("another window") { $0?.abilities == [.commitReports] }
        try await desk.focus("one")
        try await user.field("no field again") { $0 == nil }
        #expect(other.process.isRunning)
        user.route.perform([.commit("never", token: 1)])
        await user.route.close()
        #expect(!user.events.contains { if case .committed = $0 { true } else { false } })
    }

    /// They may be for passwords, or commands.
    @Test func windowsWithoutTextFieldsGetNoKeysUnlessAllowed() async throws {
        let desk = try await SwayDesk()
        let user = RouteUser(desk)
        try await user.open()
        let keys = RouteUser(desk, means: .keyboard)
        try await keys.open()
        let window = try await desk.window("gtk3-entry", "one", hasTextInput: false)
        // The other route has seen the window by now.
        try await keys.field("a window") { $0?.abilities == [.commitReports] }
        #expect(user.field == nil)
        user.route.perform([.commit("never", token: 1)])
        #expect(try await keys.type("keys", token: 2) == .unknown)
        try await window.text("keys")
        await user.route.close()
        await keys.route.close()
        #expect(user.field == nil && window.text() == "keys")
    }

    @Test func aSecondInputMethodIsRefused() async throws {
        let desk = try await SwayDesk()
        let (first, second) = (RouteUser(desk), RouteUser(desk))
        try await first.open()
        await #expect(throws: RouteError.self) { try await second.open() }
        #expect(second.events.isEmpty)
        // The keyboard is for any number of programs.
        let keyboard = RouteUser(desk, means: .keyboard)
        try await keyboard.open()
        let window = try await desk.window("gtk4-form", "one")
        try await keyboard.field("a window") { $0?.abilities == [.commitReports] }
        #expect(try await keyboard.type("keys", token: 1) == .unknown)
        try await window.text("keys")
        await keyboard.route.close()
        await first.route.close()
        try await second.open()
        await second.route.close()
        let nowhere = WaylandRoute(environment: [:])
        await #expect(throws: RouteError("There is no Wayland compositor.")) {
            try await nowhere.open { _ in }
        }
    }

    @Test func aCompositorThatDoesNotReadDoesNotBlockTyping() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let user = RouteUser(desk)
        try await user.open()
        try await user.field("a field") { $0 != nil }
        try desk.sway.stop()
        // More than its socket takes.
        let padding = String(repeating: "x", count: 900)
        for number in 0..<1000 { user.route.perform([.show("\(number)\(padding)")]) }
        #expect(!user.events.contains { if case .lost = $0 { true } else { false } })
        desk.sway.send(SIGCONT)
        try await window.preedit("999\(padding)")
        try desk.sway.stop()
        for number in 0..<1000 { user.route.perform([.commit(padding, token: UInt64(number))]) }
        try await eventually("it is given up") {
            if case .lost = user.events.last { true } else { false }
        }
        desk.sway.send(SIGCONT)
        await user.route.close()
    }

    @Test func reportsTheEndOfTheCompositor() async throws {
        let desk = try await SwayDesk()
        let user = RouteUser(desk)
        try await user.open()
        desk.sway.kill()
        try await eventually("it is told") { if case .lost = user.events.last { true } else { false } }
        user.route.perform([.commit("x", token: 1)])
        await user.route.close()
    }
}
