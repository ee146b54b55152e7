import DictationRig
import DictationTestKit
import Foundation
import Testing
import Typing
import TypingRig
import WaylandInput

/// Typing in a headless sway.
@Suite(.serialized, .timeLimit(.minutes(1))) struct WaylandTypingTests {
    @Test func wordsAppearInTheFocusedFieldAndInNoOther() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let dictation = try await TypedDictation(desk)
        let empty = try await desk.takeScreenshot()
        await dictation.partial("hello wor")
        try await window.preedit("hello wor")
        let live = try await desk.takeScreenshot("sway-live", unlike: empty)
        await dictation.final("hello world")
        try await window.text("hello world")
        let committed = try await desk.takeScreenshot("sway-committed", unlike: live)
        #expect(committed != empty)
        let text = (1...900).map { "w\($0)" }.joined(separator: " ")
        await dictation.final(text, block: 2)
        try await window.text("hello world " + text)

        // Another window gets the focus in mid-sentence.
        await dictation.partial("one two", block: 3)
        try await window.preedit(" one two")
        let other = try await desk.window("gtk3-entry", "other")
        await dictation.partial("one two three", block: 3)
        await dictation.final("one two three", block: 3)
        try await dictation.keeps(.left)
        #expect(other.lines.allSatisfy { ($0.text ?? $0.preedit ?? "").isEmpty })
        try await desk.focus("one")
        try await window.text("hello world " + text + " one two three")
        #expect(await dictation.end() == [])
    }

    @Test func passwordFieldsStayEmpty() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        try window.process.write("focus 2\n")
        try await desk.copy("mine")
        let dictation = try await DeskDictation(desk.environment)
        let program = try await dictation.type()
        _ = try await program.line(of: .errors) { $0.hasPrefix("A password field") }
        try await dictation.say(500)
        try await dictation.pause()
        _ = try await program.line(of: .errors) { $0.hasPrefix("Not typed") }
        #expect(try await dictation.end(program) == .exited(69))
        #expect(program.text(of: .output) == "")
        #expect(try await desk.clipboard() == "mine")
        #expect(window.lines.allSatisfy { ($0.text ?? $0.preedit ?? "").isEmpty })
        try await dictation.end()
        let direct = try await TypedDictation(desk)
        #expect(await direct.typing.secrets == [true])
        _ = await direct.end()
    }

    @Test func textForAWindowWithoutFieldsIsPrintedAndCopiedAndTheReasonTold() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk3-entry", "one", hasTextInput: false)
        let dictation = try await DeskDictation(desk.environment)
        let program = try await dictation.type()
        _ = try await program.line(of: .errors) { $0.hasPrefix("No text field has the focus") }
        try await dictation.say(500)
        try await dictation.pause()
        let reason = try await program.line(of: .errors) { $0.hasPrefix("Not typed") }
        #expect(reason.contains("It is on the clipboard.") && reason.contains("--keyboard"), "\(reason)")
        // At once, not in the end.
        #expect(try await program.line(of: .output) == "t500")
        #expect(try await desk.clipboard() == "t500")
        try await dictation.say(600)
        try await dictation.pause()
        try await eventually("both texts are printed") { program.text(of: .output) == "t500\nt600\n" }
        #expect(try await dictation.end(program) == .exited(69))
        #expect(program.text(of: .output) == "t500\nt600\n")
        #expect(try await desk.clipboard() == "t500 t600")
        #expect(window.lines.allSatisfy { ($0.text ?? "").isEmpty })
        try await dictation.end()
    }

    @Test func windowWithTheSameTextGetsNothingOfASentence() async throws {
        let desk = try await SwayDesk()
        let other = try await desk.window("gtk4-form", "other")
        try other.process.write("set 0 same\n")
        try await other.text("same")
        let window = try await desk.window("gtk4-form", "one")
        let dictation = try await TypedDictation(desk)
        await dictation.final("same")
        try await window.text("same")
        await dictation.partial("one two", block: 2)
        try await window.preedit(" one two")
        try await desk.focus("other")
        try await window.preedit("")
        await dictation.partial("one two three", block: 2)
        await dictation.final("one two three", block: 2)
        try await dictation.keeps(.left)
        #expect(other.lines.allSatisfy { ["", "same"].contains($0.text ?? $0.preedit ?? "") })
        try await desk.focus("one")
        try await window.text("same one two three")
        #expect(await dictation.end() == [])
        #expect(other.lines.allSatisfy { ["", "same"].contains($0.text ?? $0.preedit ?? "") })
    }

    /// The compositor's input method is another program's, and there is no IBus. With `DICTATION_SOAK_WORDS` 5,000
    /// characters are typed.
    @Test func nextRouteIsUsedWhereTheFirstDoesNotWork() async throws {
        let desk = try await SwayDesk()
        let other = await RouteUser(desk)
        try await other.open()
        let terminal = try await desk.terminal()
        let dictation = try await TypedDictation(desk, .inputMethodAndKeys, .keyboard)
        #expect(await dictation.typing.route == "a virtual keyboard")
        let isSoak = ProcessInfo.processInfo.environment["DICTATION_SOAK_WORDS"] != nil
        let lines = (1...(isSoak ? 100 : 10)).map { "\($0) " + String(repeating: "x", count: 48) }
        await dictation.final(lines.joined(separator: "\n") + "\n")
        try await eventually("the text", within: .seconds(50)) { terminal.lines.count == lines.count + 1 }
        #expect(terminal.lines == ["ready"] + lines)
        #expect(await dictation.end() == [])
        await other.route.close()
    }

    @Test func clipboardIsUsedIfAllowedAndRestored() async throws {
        let desk = try await SwayDesk()
        let other = await RouteUser(desk)
        try await other.open()
        try await desk.copy("mine")
        let window = try await desk.window("gtk4-form", "one")
        let dictation = try await DeskDictation(desk.environment)
        let program = try await dictation.type("--clipboard")
        _ = try await program.line(of: .errors) { $0 == "Typing by the clipboard." }
        try await dictation.say(500)
        try await dictation.pause()
        try await window.text("t500")
        #expect(try await dictation.end(program) == .exited(0))
        #expect(try await desk.clipboard() == "mine")
        await other.route.close()
        try await dictation.end()
    }

    /// From a session's text to the window's live text. `DICTATION_SOAK_WORDS` is the number of words, with strict
    /// limits.
    @Test func partialsReachTheWidgetInTime() async throws {
        let words = ProcessInfo.processInfo.environment["DICTATION_SOAK_WORDS"].flatMap { Int($0) }
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let dictation = try await TypedDictation(desk)
        var (text, delays): (String, [Double]) = ("", [])
        for word in 1...(words ?? 10) {
            text += text.isEmpty ? "w1" : " w\(word)"
            let (start, shown) = (Delays.now, text)
            await dictation.partial(text)
            try await eventually("the live text", within: .seconds(10)) {
                window.lines.contains { $0.preedit == shown }
            }
            delays += window.lines.filter { $0.preedit == shown }.prefix(1)
                .map { Double($0.t - start) / 1000 }
        }
        let figures = Delays(milliseconds: delays)
        print("live text by input-method-v2: \(figures)")
        if words != nil {
            print("bar|live text by input-method-v2, median|\(figures.median)|5|ms")
            print("bar|live text by input-method-v2, 95 of 100|\(figures.late)|60|ms")
        }
        #expect(figures.median <= (words == nil ? 1000 : 5))
        #expect(figures.late <= (words == nil ? 5000 : 60))
        _ = await dictation.end()
    }
}
