import DictationInterface
import DictationTestKit
import ScriptedService
import Testing

/// Commands for keyboard shortcuts control `dictation-cli type`, in a headless sway.
@Suite(.serialized, .timeLimit(.minutes(1))) struct TypingControlTests {
    @Test func aKeyBeginsAndEndsTyping() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let dictation = try await TypedDictation(desk, command: ["toggle", "--type"])
        try await dictation.partial("hello wor")
        try await window.preedit("hello wor")
        await dictation.service.hear("hello world")
        #expect(try await dictation.run("toggle", "--type").status == .exited(0))
        try await window.text("hello world")
        try await eventually("it has ended") { await dictation.service.session == nil }
        #expect(await dictation.service.requests.count { $0.method == .start } == 1)

        // The next one takes over from the one that waits for undo.
        let next = try dictation.start(TypedDictation.program("dictation-cli"), "toggle", "--type")
        #expect(try await dictation.program.exitStatus() == .exited(0))
        try await eventually("it dictates") { await dictation.service.session != nil }
        #expect(try await dictation.run("toggle", "--type").status == .exited(0))
        #expect(try await next.exitStatus() == .exited(0))
    }

    @Test func undoWorksAfterTheEnd() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let dictation = try await TypedDictation(desk, command: ["toggle", "--type"])
        try await dictation.partial("wrong")
        try await window.preedit("wrong")
        await dictation.service.hear("wrong words")
        _ = try await dictation.run("toggle", "--type")
        try await window.text("wrong words")
        try await eventually("it has ended") { await dictation.service.session == nil }
        let undo = try await dictation.run("undo")
        #expect(undo.status == .exited(0), "\(undo.errors)")
        try await window.text("")
        #expect(try await dictation.run("undo").status == .exited(1))
        #expect(try await dictation.end() == .exited(0))
    }

    /// By the desktop's portal. A tap begins and ends, and a hold is push-to-talk.
    @Test func theGlobalShortcutTypes() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let bus = try await PrivateBus()
        let service = try await ScriptedService(at: bus.address)
        let portal = try await ShortcutPortal(on: bus)
        let agent = try ChildProcess(
            [
                try TypedDictation.program("dictation-worker"), "--stay", "--verbose",
                "--shortcut",
                "LOGO+ALT+space",
            ], environment: desk.environment.merging(bus.environment) { $1 })
        _ = try await agent.line(of: .errors) { $0.contains("the shortcut is bound") }
        await service.hear("hello", "world")

        try await portal.press()
        try await portal.release()
        try await eventually("it dictates") { await service.session != nil }
        try await portal.press()
        try await portal.release()
        try await window.text("hello")
        try await eventually("it has ended") { await service.session == nil }

        let held = ContinuousClock.now + .milliseconds(600)
        try await portal.press()
        try await eventually("it dictates while the key is held") {
            await service.session != nil && ContinuousClock.now >= held
        }
        try await portal.release()
        try await window.text("hello world")
        try await eventually("it has ended") { await service.session == nil }
        agent.terminate()
        #expect(try await agent.exitStatus() == .exited(0))
        await portal.close()
    }

    /// Two quick presses.
    @Test func aKeyDuringTheStartEndsTypingAfterIt() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let bus = try await PrivateBus()
        let service = try await ScriptedService(at: bus.address)
        await service.offer([])
        await service.hear("hello")
        await service.leaveUnanswered(.start)
        let environment = desk.environment.merging(bus.environment) { $1 }
        let command = [try TypedDictation.program("dictation-cli"), "toggle", "--type"]
        let typing = try ChildProcess(command, environment: environment)
        try await eventually("it starts a session") { await service.unansweredCount == 1 }
        #expect(try await ChildProcess.run(command, environment: environment).status == .exited(0))
        await service.answerAll()
        try await window.text("hello")
        try await eventually("it has ended") { await service.session == nil }
        // It waits for undo.
        typing.kill()
        _ = try await typing.exitStatus()
    }

    @Test func otherCommandsControlTheRunningProgram() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let dictation = try await TypedDictation(desk)
        #expect(try await dictation.run("pause").status == .exited(0))
        #expect(await dictation.service.session?.state == "paused")
        #expect(try await dictation.run("resume").status == .exited(0))
        #expect(await dictation.service.session?.state == "listening")
        await dictation.service.hear("one", "two")
        #expect(try await dictation.run("commit").output == "")
        try await window.text("one")
        #expect(try await dictation.run("stop").status == .exited(0))
        try await window.text("one two")
        #expect(try await dictation.program.exitStatus() == .exited(0))
    }

    @Test func undoDiscardsLiveTextAndThenDeletesTheLastText() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let dictation = try await TypedDictation(desk)
        await dictation.service.hear("first", "second")
        _ = try await dictation.run("commit")
        try await window.text("first")
        _ = try await dictation.run("commit")
        try await window.text("first second")
        try await dictation.partial("wrong", block: 3)
        try await window.preedit(" wrong")
        #expect(try await dictation.run("undo").status == .exited(0))
        try await window.preedit("")
        #expect(await dictation.service.requests.last?.method == .cancel)
        #expect(try await dictation.run("undo").status == .exited(0))
        try await window.text("first")
        #expect(try await dictation.run("undo").status == .exited(0))
        try await window.text("")
        let nothing = try await dictation.run("undo")
        #expect(nothing.status == .exited(1))
        #expect(nothing.errors.contains("Delete it by hand"), "\(nothing.errors)")
        #expect(try await dictation.end() == .exited(0))
        #expect(dictation.program.text(of: .output) == "")
        let nobody = try await dictation.run("undo")
        #expect(nobody.status == .exited(1))
        #expect(nobody.errors.contains("Nothing types"), "\(nobody.errors)")
    }

    /// A program that a compositor starts has no terminal.
    @Test func textThatIsNotTypedIsShownOnTheDesktop() async throws {
        let desk = try await SwayDesk()
        _ = try await desk.window("gtk3-entry", "one", hasTextInput: false)
        let dictation = try await TypedDictation(desk, command: ["toggle", "--type"])
        let desktop = try dictation.start("/usr/bin/mako")
        var list = ""
        try await eventually("the desktop shows notifications") {
            try await dictation.output(of: "/usr/bin/makoctl", "list").contains("data")
        }
        try await dictation.final("hello <world>")
        do {
            try await eventually("a notification") {
                list = try await dictation.output(of: "/usr/bin/makoctl", "list")
                return list.contains("Not typed") && list.contains("hello &lt;world&gt;")
            }
        } catch {
            let errors = dictation.program.text(of: .errors) + desktop.text(of: .errors)
            throw TestFailure("\(error); there was: \(list)\n\(errors)")
        }
        #expect(try await dictation.run("toggle", "--type").status == .exited(0))
        #expect(try await dictation.program.exitStatus() == .exited(69))
        #expect(dictation.program.text(of: .output) == "hello <world>\n")
        desktop.terminate()
        _ = try await desktop.exitStatus()
    }
}
