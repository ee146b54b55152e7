import DictationInterface
import DictationTestKit
import Foundation
import Glibc
import ScriptedService
import Testing
import WaylandInput

/// `dictation-cli type` in a headless sway.
@Suite(.serialized, .timeLimit(.minutes(1))) struct WaylandTypingTests {
    @Test func wordsAppearInTheFocusedFieldAndInNoOther() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let dictation = try await TypedDictation(desk)
        _ = try await dictation.program.line(of: .errors) {
            $0 == "Typing by the compositor's input method."
        }
        let empty = try await desk.takeScreenshot()
        try await dictation.partial("hello wor")
        try await window.preedit("hello wor")
        let live = try await desk.takeScreenshot("sway-live", unlike: empty)
        try await dictation.final("hello world")
        try await window.text("hello world")
        let committed = try await desk.takeScreenshot("sway-committed", unlike: live)
        #expect(committed != empty)
        let text = (1...900).map { "w\($0)" }.joined(separator: " ")
        try await dictation.final(text, block: 2)
        try await window.text("hello world " + text)

        // Another window gets the focus in mid-sentence.
        try await dictation.partial("one two", block: 3)
        try await window.preedit(" one two")
        let other = try await desk.window("gtk3-entry", "other")
        try await dictation.partial("one two three", block: 3)
        try await dictation.final("one two three", block: 3)
        _ = try await dictation.program.line(of: .errors) { $0.hasPrefix("Not typed: another field") }
        #expect(other.lines.allSatisfy { ($0.text ?? $0.preedit ?? "").isEmpty })
        try await desk.focus("one")
        try await window.text("hello world " + text + " one two three")
        #expect(try await dictation.end() == .exited(0))
    }

    @Test func passwordFieldsStayEmpty() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        try window.process.write("focus 2\n")
        let dictation = try await TypedDictation(desk)
        _ = try await dictation.program.line(of: .errors) { $0.hasPrefix("A password field") }
        try await dictation.partial("secret")
        try await dictation.final("secret words")
        _ = try await dictation.program.line(of: .errors) { $0.hasPrefix("Not typed") }
        #expect(try await dictation.end() == .exited(69))
        #expect(dictation.program.text(of: .output) == "secret words\n")
        #expect(window.lines.allSatisfy { ($0.text ?? $0.preedit ?? "").isEmpty })
    }

    @Test func textForAWindowWithoutFieldsIsPrintedAndTheReasonTold() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk3-entry", "one", hasTextInput: false)
        let dictation = try await TypedDictation(desk)
        _ = try await dictation.program.line(of: .errors) { $0.hasPrefix("No text field has the focus") }
        try await dictation.final("hello world")
        let reason = try await dictation.program.line(of: .errors) { $0.hasPrefix("Not typed") }
        #expect(reason.contains("--keyboard"), "\(reason)")
        // At once, not in the end.
        #expect(try await dictation.program.line(of: .output) == "hello world")
        #expect(try await dictation.end() == .exited(69))
        #expect(dictation.program.text(of: .output) == "hello world\n")
        #expect(window.lines.allSatisfy { ($0.text ?? "").isEmpty })
    }

    @Test func windowWithTheSameTextGetsNothingOfASentence() async throws {
        let desk = try await SwayDesk()
        let other = try await desk.window("gtk4-form", "other")
        try other.process.write("set 0 same\n")
        try await other.text("same")
        let window = try await desk.window("gtk4-form", "one")
        let dictation = try await TypedDictation(desk)
        try await dictation.final("same")
        try await window.text("same")
        try await dictation.partial("one two", block: 2)
        try await window.preedit(" one two")
        try await desk.focus("other")
        try await window.preedit("")
        try await dictation.partial("one two three", block: 2)
        try await dictation.final("one two three", block: 2)
        _ = try await dictation.program.line(of: .errors) { $0.hasPrefix("Not typed: another field") }
        #expect(other.lines.allSatisfy { ["", "same"].contains($0.text ?? $0.preedit ?? "") })
        try await desk.focus("one")
        try await window.text("same one two three")
        #expect(try await dictation.end() == .exited(0))
        #expect(other.lines.allSatisfy { ["", "same"].contains($0.text ?? $0.preedit ?? "") })
    }

    /// The compositor's input method is another program's, and there is no IBus. With `DICTATION_SOAK_WORDS` 5,000
    /// characters are typed.
    @Test func nextRouteIsUsedWhereTheFirstDoesNotWork() async throws {
        let desk = try await SwayDesk()
        let other = await RouteUser(desk)
        try await other.open()
        let terminal = try await desk.terminal()
        let dictation = try await TypedDictation(desk, "--keyboard")
        _ = try await dictation.program.line(of: .errors) { $0 == "Typing by a virtual keyboard." }
        let isSoak = ProcessInfo.processInfo.environment["DICTATION_SOAK_WORDS"] != nil
        let lines = (1...(isSoak ? 100 : 10)).map { "\($0) " + String(repeating: "x", count: 48) }
        try await dictation.final(lines.joined(separator: "\n") + "\n")
        try await eventually("the text", within: .seconds(50)) { terminal.lines.count == lines.count + 1 }
        #expect(terminal.lines == ["ready"] + lines)
        #expect(try await dictation.end() == .exited(0))
        await other.route.close()
    }

    @Test func clipboardIsUsedIfAllowedAndRestored() async throws {
        let desk = try await SwayDesk()
        let other = await RouteUser(desk)
        try await other.open()
        try await desk.copy("mine")
        let window = try await desk.window("gtk4-form", "one")
        let dictation = try await TypedDictation(desk, "--clipboard")
        _ = try await dictation.program.line(of: .errors) { $0 == "Typing by the clipboard." }
        try await dictation.final("hello world")
        try await window.text("hello world")
        #expect(try await dictation.end() == .exited(0))
        #expect(try await desk.clipboard() == "mine")
        await other.route.close()
    }

    /// From a Partial on the bus to the window's live text. `DICTATION_SOAK_WORDS` is the number of words, with strict
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
            try await dictation.partial(text)
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
        _ = try await dictation.end()
    }
}
