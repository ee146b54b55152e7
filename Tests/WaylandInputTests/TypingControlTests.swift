import DictationRig
import DictationTestKit
import Glibc
import Testing
import TypingRig
import WaylandInput

/// Keys and commands control dictation into windows, in a headless sway.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TypingControlTests {
    /// A desktop whose window has the focus, and the service.
    private final class Desktop: Sendable {
        let desk: SwayDesk
        let window: TestWindow
        let dictation: DeskDictation

        /// - Parameter settings: of the service, as YAML.
        init(
            _ kind: String = "gtk4-form", hasTextInput: Bool = true, settings: String = "",
            allowsEveryone: Bool = true
        ) async throws {
            desk = try await SwayDesk()
            window = try await desk.window(kind, "one", hasTextInput: hasTextInput)
            dictation = try await DeskDictation(desk.environment, settings, allowsEveryone: allowsEveryone)
        }

        /// The key that begins and ends.
        func pressKey() async throws {
            let run = try await dictation.run("toggle", "--type")
            #expect(run.status == .exited(0), "\(run.errors)")
        }

        func begin() async throws { try await dictation.beginTyping { try await pressKey() } }

        func finish() async throws {
            try await pressKey()
            try await dictation.state("idle")
        }
    }

    @Test func aKeyBeginsAndEndsTyping() async throws {
        let desktop = try await Desktop()
        // The program does not stay.
        try await desktop.begin()
        try await desktop.dictation.say(500)
        try await desktop.window.preedit("t500")
        try await desktop.pressKey()
        try await desktop.window.text("t500")
        try await desktop.dictation.state("idle")

        try await desktop.begin()
        try await desktop.dictation.say(600)
        // Without the option it ends this one, too.
        #expect(try await desktop.dictation.run("toggle").status == .exited(0))
        try await desktop.window.text("t500 t600")
        try await desktop.dictation.state("idle")
        try await desktop.dictation.end()
    }

    /// The microphone is open while the compositor does not answer yet.
    @Test func wordsThatAreSaidBeforeTheWindowIsFoundAreTyped() async throws {
        let desktop = try await Desktop()
        let microphone = desktop.dictation.microphone
        let words = Speech.silence(0.3) + Speech.tones(500)
        var text = ""
        for endsAtOnce in [false, true] {
            try desktop.desk.sway.stop()
            let end = microphone.played + words.count
            microphone.play(words)
            try await desktop.pressKey()
            try await eventually("the words are said") { microphone.played >= end }
            if endsAtOnce { try await desktop.pressKey() }
            desktop.desk.sway.send(SIGCONT)
            text += text.isEmpty ? "t500" : " t500"
            if !endsAtOnce {
                try await desktop.window.wait("the words") { _ in
                    [desktop.window.preedit(), desktop.window.text()].contains(text)
                }
                try await desktop.pressKey()
            }
            try await desktop.window.text(text)
            try await desktop.dictation.state("idle")
        }
        try await desktop.dictation.end()
    }

    /// Not in a notification, on the clipboard, in the history or in the state of the session.
    @Test func nobodyGetsWhatIsSaidForAPasswordField() async throws {
        let desktop = try await Desktop(settings: "history: 7 days\n")
        let (dictation, window) = (desktop.dictation, desktop.window)
        let notifications = try await DesktopNotifications(at: dictation.rig.bus.address)
        try await desktop.begin()
        try await dictation.say(500)
        try await window.preedit("t500")
        // In the middle of a sentence.
        try await window.command("focus 2")
        try await notifications.shows("Not typed: another field has the focus.", "t500")
        try await dictation.say(600)
        #expect(try await !dictation.run("status").output.contains("t600"))
        try await dictation.pause()
        try await notifications.shows("Not typed: Dictation does not type into password fields.")
        try await window.command("focus 1")
        try await dictation.settle(window)
        try await dictation.say(700)
        try await window.preedit("t700", of: 1)
        try await desktop.pressKey()
        try await window.text("t700", of: 1)
        try await dictation.state("idle")
        #expect(await !notifications.visible.contains { $0.text.contains("t600") })
        let history = try await dictation.run("history").output
        #expect(history.contains("t500") && history.contains("t700") && !history.contains("t600"))
        #expect(try await !desktop.desk.clipboard().contains("t600"))
        await notifications.close()
        try await dictation.end()
    }

    /// Another window may have the focus by then. The microphone stays closed.
    @Test func aKeysTextIsShownAfterTheWorkerHasFailed() async throws {
        let desktop = try await Desktop()
        let notifications = try await DesktopNotifications(at: desktop.dictation.rig.bus.address)
        try await desktop.begin()
        try await desktop.dictation.say(500, 600)
        try await desktop.window.preedit("t500 t600")
        try await desktop.dictation.rig.killWorker()
        try await notifications.shows("Press the key to go on.")
        try await notifications.shows("Not typed:", "t500 t600")
        try await desktop.dictation.state("idle")
        #expect(!desktop.window.lines.contains { $0.text?.contains("t500") == true })

        // The next key begins anew. The worker fails while nothing is said.
        for isCrash in [false, true] {
            try await desktop.begin()
            if isCrash {
                await notifications.forget()
                try await desktop.dictation.rig.killWorker()
                try await notifications.shows("Press the key to go on.")
                try await desktop.dictation.state("idle")
            } else {
                try await desktop.dictation.say(700)
                try await desktop.window.preedit("t700")
                try await desktop.pressKey()
                try await desktop.window.text("t700")
                try await desktop.dictation.state("idle")
            }
        }
        await notifications.close()
        try await desktop.dictation.end()
    }

    @Test func aKeysTextIsShownAfterTheWholeServiceHasFailed() async throws {
        let desktop = try await Desktop()
        let notifications = try await DesktopNotifications(at: desktop.dictation.rig.bus.address)
        try await desktop.begin()
        try await desktop.dictation.say(500)
        try await desktop.window.preedit("t500")
        desktop.dictation.rig.daemon.kill()
        _ = try await desktop.dictation.rig.daemon.exitStatus()
        try await desktop.dictation.rig.replaceDaemon()
        try await notifications.shows("Not typed:", "t500")
        try await desktop.dictation.state("idle")
        await notifications.close()
        try await desktop.dictation.end()
    }

    /// Each in its own notification: a program that a key has begun has no other place for them.
    @Test func everyTextWithoutAFieldIsShown() async throws {
        let desk = try await SwayDesk()
        let dictation = try await DeskDictation(desk.environment)
        let notifications = try await DesktopNotifications(at: dictation.rig.bus.address)
        #expect(try await dictation.run("toggle", "--type").status == .exited(0))
        try await dictation.state("listening")
        for tone in [500, 600, 700] {
            try await dictation.say(tone)
            try await dictation.pause()
            try await notifications.shows("Not typed", "t\(tone)")
        }
        #expect(
            await notifications.visible.filter { !$0.text.isEmpty }.map(\.text) == ["t500", "t600", "t700"])
        await notifications.close()
        try await dictation.end()
    }

    @Test func theFailureOfTheEngineIsShown() async throws {
        let desktop = try await Desktop()
        let notifications = try await DesktopNotifications(at: desktop.dictation.rig.bus.address)
        try await desktop.begin()
        // `ScriptedEngine.fatalTone`
        try await desktop.dictation.say(3500)
        try await desktop.dictation.pause()
        try await notifications.shows("The scripted engine was told to fail.")
        await notifications.close()
        try await desktop.dictation.end()
    }

    @Test func undoWorksAfterTheEnd() async throws {
        let desktop = try await Desktop()
        try await desktop.begin()
        try await desktop.dictation.say(500)
        try await desktop.window.preedit("t500")
        try await desktop.pressKey()
        try await desktop.window.text("t500")
        try await desktop.dictation.state("idle")
        // Perhaps before the route is closed.
        let undo = try await desktop.dictation.run("undo")
        #expect(undo.status == .exited(0), "\(undo.errors)")
        try await desktop.window.text("")
        #expect(try await desktop.dictation.run("undo").status == .exited(1))
        try await desktop.dictation.end()
    }

    /// The rules for an application count for dictation into its windows.
    @Test func theSettingsOfTheWindowsApplicationCount() async throws {
        let rules = ["other.py", "window.py"].map {
            "  - {application: \"app:\($0)\", formatting: \($0 == "window.py" ? "dictation" : "plain")}\n"
        }
        let desktop = try await Desktop("gtk3-entry", settings: "applications:\n\(rules.joined())")
        try await desktop.begin()
        try await desktop.dictation.say(500)
        try await desktop.pressKey()
        // Formatted text begins with a capital.
        try await desktop.window.text("T500")
        try await desktop.dictation.end()
    }

    /// By the desktop's portal. A tap begins and ends, and a hold is push-to-talk.
    @Test func theGlobalShortcutTypes() async throws {
        let desktop = try await Desktop()
        let portal = try await ShortcutPortal(on: desktop.dictation.rig.bus)
        let keeper = try desktop.dictation.startProgram(
            executable("dictation-worker"), "--stay", "--verbose", "--shortcut", "LOGO+ALT+space")
        _ = try await keeper.line(of: .errors) { $0.contains("the shortcut is bound") }

        try await desktop.dictation.beginTyping {
            try await portal.press()
            try await portal.release()
        }
        try await desktop.dictation.say(500)
        try await portal.press()
        try await portal.release()
        try await desktop.window.text("t500")
        try await desktop.dictation.state("idle")

        let held = ContinuousClock.now + .milliseconds(600)
        try await desktop.dictation.beginTyping { try await portal.press() }
        try await desktop.dictation.say(600)
        try await eventually("the key is held") { ContinuousClock.now >= held }
        try await portal.release()
        try await desktop.window.text("t500 t600")
        try await desktop.dictation.state("idle")
        keeper.terminate()
        #expect(try await keeper.exitStatus() == .exited(0))
        await portal.close()
        try await desktop.dictation.end()
    }

    /// Two quick presses.
    @Test func aKeyDuringTheStartEndsTypingAfterIt() async throws {
        // Without a text field, the start takes a while.
        let desktop = try await Desktop("gtk3-entry", hasTextInput: false)
        async let first = desktop.dictation.run("toggle", "--type")
        async let second = desktop.dictation.run("toggle", "--type")
        let runs = try await [first, second]
        #expect(runs.allSatisfy { $0.status == .exited(0) }, "\(runs.map(\.errors))")
        try await desktop.dictation.state("idle")
        // Until the window is found it is not known whether something was said for it.
        try await eventually("the typing has ended") {
            let next = try await desktop.dictation.run("undo")
            return next.status == .exited(1) && next.errors.contains("Nothing types")
        }
        try await desktop.dictation.end()
    }

    @Test func aSecondKeyWhileTheUserIsAskedForPermissionEndsTyping() async throws {
        let desktop = try await Desktop(allowsEveryone: false)
        let agent = try await TestAgent(on: desktop.dictation.rig)
        async let first = desktop.dictation.run("toggle", "--type")
        _ = try await agent.question()
        async let second = desktop.dictation.run("toggle", "--type")
        try await agent.answer("allow")
        let runs = try await [first, second]
        #expect(runs.allSatisfy { $0.status == .exited(0) }, "\(runs.map(\.errors))")
        // About dictation, and not about typing.
        #expect(agent.asked == 1)
        try await desktop.dictation.state("idle")
        try await desktop.dictation.end()
    }

    @Test func otherCommandsControlTheRunningProgram() async throws {
        let desktop = try await Desktop()
        let program = try await desktop.dictation.type()
        #expect(try await desktop.dictation.run("pause").status == .exited(0))
        try await desktop.dictation.state("paused")
        #expect(try await desktop.dictation.run("resume").status == .exited(0))
        try await desktop.dictation.state("listening")
        try await desktop.dictation.say(500)
        try await desktop.window.preedit("t500")
        #expect(try await desktop.dictation.run("commit").output == "")
        try await desktop.window.text("t500")
        try await desktop.dictation.say(600)
        try await desktop.window.preedit(" t600")
        #expect(try await desktop.dictation.run("stop").status == .exited(0))
        try await desktop.window.text("t500 t600")
        #expect(try await program.exitStatus() == .exited(0))
        #expect(program.text(of: .output) == "")
        try await desktop.dictation.end()
    }

    /// The user's own input method types meanwhile, and a text that is finished then is typed.
    @Test func duringAPauseTheUserHasTheInputMethod() async throws {
        let desktop = try await Desktop()
        let program = try await desktop.dictation.type()
        try await desktop.dictation.say(500)
        try await desktop.window.preedit("t500")
        #expect(try await desktop.dictation.run("pause").status == .exited(0))
        #expect(try await desktop.dictation.run("commit").status == .exited(0))
        try await desktop.window.text("t500")
        let own = await RouteUser(desktop.desk)
        try await eventually("the input method is free") { (try? await own.open()) != nil }
        await own.route.close()
        #expect(try await desktop.dictation.run("resume").status == .exited(0))
        try await desktop.dictation.say(600)
        // It is typed when the route is open again.
        try await desktop.window.text("t500 t600")
        #expect(try await desktop.dictation.end(program) == .exited(0))
        try await desktop.dictation.end()
    }

    @Test func undoDiscardsLiveTextAndThenDeletesTheLastText() async throws {
        let desktop = try await Desktop()
        let program = try await desktop.dictation.type("--auto-commit", "0")
        var text = ""
        for tone in [500, 600] {
            try await desktop.dictation.say(tone)
            try await desktop.window.preedit(text.isEmpty ? "t\(tone)" : " t\(tone)")
            _ = try await desktop.dictation.run("commit")
            text += text.isEmpty ? "t\(tone)" : " t\(tone)"
            try await desktop.window.text(text)
        }
        try await desktop.dictation.say(700)
        try await desktop.window.preedit(" t700")
        #expect(try await desktop.dictation.run("undo").status == .exited(0))
        try await desktop.window.preedit("")
        #expect(try await desktop.dictation.run("undo").status == .exited(0))
        try await desktop.window.text("t500")
        #expect(try await desktop.dictation.run("undo").status == .exited(0))
        try await desktop.window.text("")
        let nothing = try await desktop.dictation.run("undo")
        #expect(nothing.status == .exited(1))
        #expect(nothing.errors.contains("Delete it by hand"), "\(nothing.errors)")
        #expect(try await desktop.dictation.end(program) == .exited(0))
        #expect(program.text(of: .output) == "")
        let nobody = try await desktop.dictation.run("undo")
        #expect(nobody.status == .exited(1))
        #expect(nobody.errors.contains("Nothing types"), "\(nobody.errors)")
        try await desktop.dictation.end()
    }

    /// A program that a compositor starts has no terminal.
    @Test func textThatIsNotTypedIsShownOnTheDesktop() async throws {
        let desktop = try await Desktop(
            "gtk3-entry", hasTextInput: false, settings: "filter: echo 'hello <world>'\n")
        let notifier = try desktop.dictation.startProgram("/usr/bin/mako")
        var list = ""
        try await eventually("the desktop shows notifications") {
            try await desktop.dictation.output(of: "/usr/bin/makoctl", "list").contains("data")
        }
        try await desktop.begin()
        try await desktop.dictation.say(500)
        try await desktop.dictation.pause()
        do {
            try await eventually("a notification") {
                list = try await desktop.dictation.output(of: "/usr/bin/makoctl", "list")
                return list.contains("Not typed") && list.contains("It is on the clipboard")
                    && list.contains("hello &lt;world&gt;")
            }
        } catch {
            let errors = desktop.dictation.rig.daemon.text(of: .errors) + notifier.text(of: .errors)
            throw TestFailure("\(error); there was: \(list)\n\(errors)")
        }
        #expect(try await desktop.desk.clipboard() == "hello <world>")
        try await desktop.finish()
        notifier.terminate()
        _ = try await notifier.exitStatus()
        try await desktop.dictation.end()
    }

    @Test func theClipboardStaysWhereTheUserWantsThat() async throws {
        let desktop = try await Desktop("gtk3-entry", hasTextInput: false, settings: "copy-untyped: false\n")
        let notifications = try await DesktopNotifications(at: desktop.dictation.rig.bus.address)
        try await desktop.desk.copy("mine")
        try await desktop.begin()
        try await desktop.dictation.say(500)
        try await desktop.dictation.pause()
        try await notifications.shows("Not typed", "t500")
        #expect(await !notifications.visible.contains { $0.title.contains("clipboard") })
        #expect(try await desktop.desk.clipboard() == "mine")
        try await desktop.finish()
        await notifications.close()
        try await desktop.dictation.end()
    }
}
