import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Testing
import Typing
import TypingRig

/// Typing with a real IBus daemon and real windows.
@Suite(.serialized) struct IBusTypingTests {
    @Test(arguments: ["gtk3", "qt", "browser"])
    func wordsAppearInTheFocusedField(kind: String) async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open(kind)
        let program = try await desk.type()
        #expect(await program.route == "IBus")
        if kind == "gtk3" { #expect(await program.field?.application == "window.py") }
        try await desk.partial("hello")
        try await window.preedit("hello")
        try await desk.partial("hello wor")
        try await window.preedit("hello wor")
        try await desk.final("hello world")
        try await window.text("hello world")
        try await window.wait("the end of live text") { _ in window.preedit() == "" }
        try await desk.final("and more", block: 2)
        try await window.text("hello world and more")
        #expect(try await desk.end(program) == [])
    }

    /// Qt does not tell IBus which fields are for passwords, but IBus gets no keys in them.
    @Test(arguments: ["gtk3", "qt", "browser"])
    func passwordFieldsStayEmpty(kind: String) async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open(kind)
        try await window.command("focus 2")
        let program = try await desk.type()
        try await desk.partial("secret")
        try await desk.final("secret words")
        try await program.keepsText()
        // Of the browser's it is known that it is for passwords. The others are no fields for IBus.
        #expect(try await desk.end(program) == [kind == "browser" ? "" : "secret words"])
        #expect((0..<3).allSatisfy { window.texts(in: $0).isEmpty })
    }

    /// ibus-wayland does not tell IBus which fields are for passwords, and IBus gets the keys of all fields.
    @Test func aFieldOfIBusWaylandGetsTextOnlyIfTheUserAllowsIt() async throws {
        let desk = try await IBusDesk()
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Resources/wayland-client.py")
        let client = try desk.start(["/usr/bin/python3", file.path])
        #expect(try await client.line(of: .output) == "ready")
        let careful = try await desk.type()
        try client.write("\n")
        try await eventually("a key was pressed") { client.lines(of: .output).last == "key" }
        try await desk.settle()
        try await desk.final("secret words")
        try await careful.keepsText()
        #expect(try await desk.end(careful) == ["secret words"])
        let allowed = try await desk.type(trustsEveryField: true)
        try await desk.final("hello")
        try await eventually("it is typed") { client.lines(of: .output).last == "hello" }
        #expect(try await desk.end(allowed) == [])
        #expect(client.lines(of: .output) == ["ready", "key", "hello"])
        client.terminate()
        _ = try await client.exitStatus()
    }

    /// Qt has one input context for all fields, and reports nothing when the focus moves to a password field. A browser has
    /// one for all fields of a window.
    @Test(arguments: [
        ("gtk3", 1), ("gtk3", 2), ("qt", 1), ("qt", 2), ("browser", 1), ("browser", 2),
    ])
    func otherFieldGetsNothingOfASentence(kind: String, other: Int) async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open(kind)
        let program = try await desk.type()
        try await desk.partial("one two")
        try await window.preedit("one two")
        try await window.command("focus \(other)")
        try await desk.settle()
        try await desk.partial("one two three")
        try await desk.final("one two three")
        try await program.keeps(.left)
        #expect(try await desk.end(program) == ["one two three"])
        #expect(window.texts(in: other) == [])
        #expect(!window.texts(in: 0).contains { $0.contains("three") })
    }

    /// Qt does not report whether the next field is a password field, until a key is pressed in it.
    @Test func nextFieldOfAQtWindowIsTypedIntoAfterAKey() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("qt")
        let program = try await desk.type()
        try await desk.final("one")
        try await window.text("one")
        try await window.command("focus 1")
        _ = try await desk.output(of: "xdotool", "key", "x")
        try await window.text("x", of: 1)
        try await eventually("the block of the field before ends") {
            await program.commits > 0
        }
        try await desk.partial("two", block: 3)
        try await window.preedit(" two", of: 1)
        try await desk.final("two", block: 3)
        try await window.text("x two", of: 1)
        #expect(try await desk.end(program) == [])
        #expect(window.text(of: 0) == "one")
    }

    @Test func otherWindowGetsNothingAndTheSentenceIsTypedOnReturn() async throws {
        let desk = try await IBusDesk()
        let first = try await desk.open("gtk3", "First")
        let program = try await desk.type()
        try await desk.partial("one")
        try await first.preedit("one")
        let second = try await desk.open("gtk3", "Second")
        try await desk.settle()
        try await desk.final("one two")
        try await program.keeps(.left)
        #expect((0..<3).allSatisfy { second.texts(in: $0).isEmpty })
        try await desk.focus("First")
        try await first.text("one two")
        #expect(try await desk.end(program) == [])
        #expect((0..<3).allSatisfy { second.texts(in: $0).isEmpty })
    }

    /// Both fields have one input context.
    @Test func sentenceIsTypedOnReturnToItsFieldOfABrowser() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("browser")
        let program = try await desk.type()
        try await desk.partial("one")
        try await window.preedit("one")
        try await window.command("focus 1")
        try await desk.settle()
        try await desk.final("one two")
        try await program.keeps(.left)
        try await window.command("focus 0")
        try await window.text("one two")
        #expect(try await desk.end(program) == [])
        #expect(window.texts(in: 1) == [])
    }

    @Test func engineAndKeyboardLayoutAreAsBefore() async throws {
        let desk = try await IBusDesk(hasPanel: true)
        let window = try await desk.open("gtk3")
        try await desk.waitForThePanel()
        _ = try await desk.output(of: "setxkbmap", "de")
        #expect(try await desk.output(of: "setxkbmap", "-query").contains(/layout: +de/))
        let program = try await desk.type()
        #expect(try await desk.output(of: "ibus", "engine") == "dictation")
        try await desk.final("hello")
        try await window.text("hello")
        #expect(try await desk.end(program) == [])
        #expect(try await desk.output(of: "ibus", "engine") == "xkb:us::eng")
        #expect(try await desk.output(of: "setxkbmap", "-query").contains(/layout: +de/))
    }

    @Test func engineAndLayoutReturnWhenTheWorkerIsKilled() async throws {
        let desk = try await IBusDesk(hasPanel: true)
        let window = try await desk.open("gtk3")
        try await desk.waitForThePanel()
        _ = try await desk.output(of: "setxkbmap", "de")
        let dictation = try await DeskDictation(desk.environment)
        let program = try await dictation.type()
        try await dictation.say(500)
        try await window.preedit("t500")
        #expect(try await desk.output(of: "ibus", "engine") == "dictation")
        program.kill()
        kill(try dictation.rig.workerPid(), SIGKILL)
        try await window.preedit("")
        try await eventually("the engine is the user's") {
            try await desk.output(of: "ibus", "engine") == "xkb:us::eng"
        }
        _ = try await desk.output(of: "xdotool", "key", "z")
        try await window.text("z")
        #expect(try await desk.output(of: "setxkbmap", "-query").contains(/layout: +de/))
    }

    @Test func engineThatTheUserChoseMeanwhileStays() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        _ = try await desk.output(of: "ibus", "engine", "xkb:fr::fra")
        let program = try await desk.type()
        _ = try await desk.output(of: "ibus", "engine", "xkb:jp::jpn")
        try await eventually("dictation goes on") {
            try await desk.output(of: "ibus", "engine") == "dictation"
        }
        try await desk.final("hello")
        try await window.text("hello")
        #expect(try await desk.end(program) == [])
        #expect(try await desk.output(of: "ibus", "engine") == "xkb:jp::jpn")
    }

    @Test func fiveThousandCharactersArrive() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        let program = try await desk.type()
        let text = (1...900).map { "w\($0)" }.joined(separator: " ")
        try await desk.partial(text)
        try await window.wait("live text") { _ in window.preedit().hasPrefix("…") }
        try await desk.final(text)
        try await window.text(text)
        #expect(try await desk.end(program) == [])
    }

    @Test func endOfIBusIsTold() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        let dictation = try await DeskDictation(desk.environment)
        let program = try await dictation.type()
        try await dictation.say(500)
        try await window.preedit("t500")
        try await desk.endIBus()
        #expect(try await program.exitStatus() == .exited(69))
        #expect(program.text(of: .errors).contains("Run: ibus restart"))
        #expect(program.text(of: .output) == "t500\n")
        try await dictation.end()
    }

    @Test func withoutIBusItSaysWhatToDo() async throws {
        let desk = try await IBusDesk()
        try await desk.endIBus()
        let dictation = try await DeskDictation(desk.environment)
        let run = try await dictation.run("type")
        #expect(run.status == .exited(69), "\(run.errors)")
        #expect(run.errors.contains("IBus: IBus is not running. Install the package ibus"))
        #expect(run.errors.contains("dictation-cli doctor"))
        try await dictation.state("idle")
        try await dictation.end()
    }

    @Test func doctorTellsWhetherIBusRuns() async throws {
        let desk = try await IBusDesk()
        #expect(try await desk.output(of: try IBusDesk.program(), "doctor").contains("✓ IBus runs"))
        try await desk.endIBus()
        let without = try await desk.output(of: try IBusDesk.program(), "doctor")
        #expect(without.contains("✗ “dictation-cli type” cannot type: IBus is not running."))
        #expect(without.contains("→ Install the package ibus"))
    }

    /// From a session's text to the window's live text. `DICTATION_SOAK_WORDS` is the number of words, with strict
    /// limits.
    @Test func partialsReachTheWidgetInTime() async throws {
        let words = ProcessInfo.processInfo.environment["DICTATION_SOAK_WORDS"].flatMap { Int($0) }
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        let program = try await desk.type()
        var (text, delays): (String, [Double]) = ("", [])
        for word in 1...(words ?? 10) {
            text += text.isEmpty ? "w1" : " w\(word)"
            let (start, shown) = (Delays.now, text)
            try await desk.partial(text)
            try await eventually("the live text", within: .seconds(10)) {
                window.lines.contains { $0.preedit == shown }
            }
            delays += window.lines.filter { $0.preedit == shown }.prefix(1)
                .map { Double($0.t - start) / 1000 }
        }
        let figures = Delays(milliseconds: delays)
        print("live text by IBus: \(figures)")
        if words != nil {
            print("bar|live text by IBus, median|\(figures.median)|5|ms")
            print("bar|live text by IBus, 95 of 100|\(figures.late)|60|ms")
        }
        #expect(figures.median <= (words == nil ? 1000 : 5))
        #expect(figures.late <= (words == nil ? 5000 : 60))
        _ = try await desk.end(program)
    }
}
