import DBus
import DictationRig
import DictationTestKit
import Glibc
import Testing

/// A dictation survives the lock screen and the end of the service.
extension DesktopShellTests {
    /// The lock screen is a mode of the shell's session. The shell disables extensions that do not run in it, and with each also
    /// those that were enabled later, and enables these again.
    @Test(arguments: [false, true])
    func aDictationContinuesAfterTheLockScreen(anotherIsDisabled: Bool) async throws {
        try await withDesk { desk in
            let saver = try await MockScreenSaver(
                "org.freedesktop.ScreenSaver", at: "/org/freedesktop/ScreenSaver",
                interface: "org.freedesktop.ScreenSaver", on: desk.address, by: desk.connection, as: desk.user
            )
            let window = try await desk.open("gtk4-entry")
            try await desk.startDictating()
            try await desk.say(500)
            try await window.preedit("T500")
            let session = try await desk.dictation("_session")

            try await desk.run("Main.sessionMode.pushMode('unlock-dialog')")
            try await saver.setActive(true)
            if anotherIsDisabled {
                try await desk.run("(each => { each.disable(); each.enable(); })(global.extension())")
            }
            try await eventually("the microphone is closed") { try await !desk.isCapturing() }
            #expect(try await desk.evaluate("global.extension()._indicator.visible") == "false")
            #expect(try await desk.dictation("_session") == session)

            try await saver.setActive(false)
            try await desk.run("Main.sessionMode.popMode('unlock-dialog')")
            try await eventually("it listens", equals: "\"listening\"") { try await desk.dictation("state") }
            #expect(try await desk.evaluate("global.extension()._indicator.visible") == "true")
            try await desk.focus(window)
            try await window.preedit("T500")
            try await desk.say(600)
            try await desk.stopDictating()
            try await window.text("T500 t600")
            try await window.close()
        }
    }

    /// Texts that were not typed stay in the menu, too.
    @Test func theTextsInTheMenuAreThereAfterTheLockScreen() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-form")
            try await desk.startDictating()
            try await desk.say(500)
            try await window.preedit("T500")
            try await window.leave(for: 1, on: desk)
            try await desk.stopDictating()
            let texts = try await desk.dictation("texts")
            #expect(texts.contains("T500"))
            try await desk.run("Main.sessionMode.pushMode('unlock-dialog')")
            try await desk.run("(each => { each.disable(); each.enable(); })(global.extension())")
            try await desk.run("Main.sessionMode.popMode('unlock-dialog')")
            #expect(try await desk.dictation("texts") == texts)
            try await window.close()
        }
    }

    /// Nobody enables it again.
    @Test func aDictationThatIsDisabledOnTheLockScreenEnds() async throws {
        try await withDesk { desk in
            try await desk.startDictating()
            try await eventually("it captures") { try await desk.isCapturing() }
            try await desk.run("Main.sessionMode.pushMode('unlock-dialog')")
            try await desk.run("global.extension().disable()")
            try await eventually("the microphone is closed") { try await !desk.isCapturing() }
            try await desk.run("Main.sessionMode.popMode('unlock-dialog')")
            try await desk.run("global.extension().enable()")
            try await eventually("the new one is connected", equals: "true") {
                try await desk.evaluate("!!global.extension()._dictation._agent._owner")
            }
        }
    }

    /// Of the whole service, or of the process with the sessions alone.
    @Test(arguments: [false, true])
    func aBlockContinuesAfterACrashOfTheService(ofTheWorker: Bool) async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-entry")
            try await desk.startDictating()
            try await desk.say(500)
            try await window.preedit("T500")
            if ofTheWorker {
                kill(try Rig.workerPid(ofDaemon: desk.daemon.pid), SIGKILL)
            } else {
                try await desk.restartDaemon(after: SIGKILL)
            }
            try await desk.listensAgain()
            try await window.preedit("T500")
            try await desk.say(600)
            try await desk.stopDictating()
            try await window.text("T500 t600")
            try await window.close()
        }
    }

    /// Whether or not something was said, and of the whole service or of the process with the sessions alone.
    @Test(arguments: [false, true], [false, true])
    func dictationContinuesAfterARestart(hasText: Bool, ofTheWorker: Bool) async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-entry")
            try await desk.startDictating()
            if hasText {
                try await desk.say(500)
                try await window.preedit("T500")
            }
            if ofTheWorker {
                kill(try Rig.workerPid(ofDaemon: desk.daemon.pid), SIGTERM)
            } else {
                try await desk.restartDaemon(after: SIGTERM)
            }
            try await desk.listensAgain()
            try await desk.say(600)
            try await desk.stopDictating()
            try await window.wait("the words that were said") { _ in
                window.text().lowercased().hasSuffix("t600")
            }
            try await window.close()
        }
    }

    @Test func aServiceThatDoesNotComeBackEndsDictation() async throws {
        try await withDesk { desk in
            try await desk.startDictating()
            let service = "global.extension()._dictation._service"
            try await desk.run("\(service).session = () => Promise.reject(new Error('No service.'))")
            try await desk.run("\(service)._vanished()")
            try await eventually("the user is told") {
                try await desk.notifications().contains("Dictation has ended. No service.")
            }
            #expect(try await desk.dictation("isWanted") == "false")
            try await desk.run("delete \(service).session")
            try await desk.run("\(service).stop()")
            try await eventually("the microphone is closed") { try await !desk.isCapturing() }
            let owner = try await desk.connection.owner(of: "org.example.Dictation")
            try await desk.run("\(service)._appeared('\(try #require(owner))')")
        }
    }

    /// Another program may broadcast its session on the bus.
    @Test func theSessionOfAnotherProgramIsNotAdopted() async throws {
        try await withDesk { desk in
            let adopted = try await desk.evaluate(
                """
                (dictation => {
                    dictation._wanted = dictation._isStarting = true;
                    dictation.serviceSignal('StateChanged', [4711, 'listening', 'started', {}]);
                    dictation.serviceSignal('Partial', [4711, 1, 0, 'secret', '']);
                    dictation._wanted = dictation._isStarting = false;
                    return [dictation._session, dictation.text];
                })(global.extension()._dictation)
                """)
            #expect(adopted == #"[null,""]"#)
        }
    }

    @Test func anInterruptionIsOneNotice() async throws {
        try await withDesk { desk in
            try await desk.startDictating()
            try await desk.dismissNotifications()
            let count = try await desk.evaluate(
                """
                ((dictation, notices) => {
                    let count = 0;
                    const show = notices.show;
                    notices.show = function (...parameters) {
                        count += 1;
                        show.apply(this, parameters);
                    };
                    const session = dictation._session;
                    dictation.serviceSignal('Interrupted', [session, 'call', {reasons: ['call']}]);
                    dictation.serviceSignal('StateChanged', [session, 'interrupted', 'call', {reasons: ['call']}]);
                    dictation.serviceSignal('StateChanged', [session, 'interrupted', 'suspend', {reasons: ['call', 'suspend']}]);
                    delete notices.show;
                    return count;
                })(global.extension()._dictation, global.extension()._notices)
                """)
            #expect(count == "1")
            #expect(
                try await desk.notifications().contains(
                    "A call uses the microphone. Dictation goes on when the call ends."))
            try await desk.run(
                "(each => each.serviceSignal('StateChanged', [each._session, 'listening', 'flowing', {}]))(global.extension()._dictation)"
            )
            #expect(try await !desk.notifications().contains("A call uses"))
            try await desk.stopDictating()
        }
    }

    @Test func theSessionDoesNotBecomeIdleWhileSomebodySpeaks() async throws {
        try await withDesk { desk in
            let manager = try await DBusMock(
                "org.gnome.SessionManager",
                [
                    "--session", "org.gnome.SessionManager", "/org/gnome/SessionManager",
                    "org.gnome.SessionManager",
                ],
                on: desk.address, by: desk.connection, as: desk.user)
            for (name, input, output, code) in [
                ("Inhibit", "susu", "u", "ret = 4711"), ("Uninhibit", "u", "", ""),
            ] {
                try await manager.steer(
                    "/org/gnome/SessionManager", "AddMethod",
                    [
                        .string("org.gnome.SessionManager"), .string(name), .string(input), .string(output),
                        .string(code),
                    ])
            }
            func calls(_ name: String) -> Int {
                manager.process.lines(of: .output).count { $0.contains(" \(name) ") }
            }
            try await desk.startDictating()
            try await eventually("idleness is inhibited") { calls("Inhibit") == 1 }
            // Nobody has spoken for long.
            try await desk.run(
                "(each => { each._heard -= 121e6; each.update(true); })(global.extension()._dictation._awake)"
            )
            try await eventually("the session may become idle") { calls("Uninhibit") == 1 }
            try await desk.say(500)
            try await eventually("idleness is inhibited again") { calls("Inhibit") == 2 }
            try await desk.set("set_boolean", "'keep-awake', false")
            try await eventually("the user does not want it") { calls("Uninhibit") == 2 }
            try await desk.set("reset", "'keep-awake'")
            try await eventually("the user wants it") { calls("Inhibit") == 3 }
            try await desk.stopDictating()
            try await eventually("the dictation is over") { calls("Uninhibit") == 3 }
        }
    }

    /// Nothing serves the engine "answering" of the configuration.
    @Test func anEngineThatDoesNotAnswerIsReplacedAndTheUserIsTold() async throws {
        try await withDesk { desk in
            try await desk.set("set_string", "'engine', 'answering'")
            let window = try await desk.open("gtk4-entry")
            try await desk.startDictating()
            try await eventually("the indicator warns") {
                try await desk.evaluate("global.extension()._indicator._warning.label.text").contains(
                    "answering does not answer")
            }
            #expect(try await desk.evaluate("global.extension()._indicator._warning.visible") == "true")
            try await desk.say(500)
            try await desk.stopDictating()
            try await window.text("T500")
            try await desk.set("reset", "'engine'")
            try await desk.startDictating()
            #expect(try await desk.dictation("_engines.warning") == "\"\"")
            try await desk.stopDictating()
            try await window.close()
        }
    }

    /// The shell writes to the journal whenever its key bindings change, and GNOME Shell 43 crashes if a key is pressed whose
    /// binding was just removed.
    @Test func aDictationChangesNoKeyBindings() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-entry")
            try await desk.run(
                """
                global.changes = 0;
                for (const name of ['addKeybinding', 'removeKeybinding']) {
                    const original = Main.wm[name];
                    Main.wm[name] = function (...parameters) {
                        global.changes += 1;
                        return original.apply(this, parameters);
                    };
                }
                """)
            try await desk.startDictating()
            // Without text the window gets the key.
            try await desk.press("Escape")
            try await window.wait("Escape") { $0.contains { $0.key == "Escape" } }
            for frequency in [500, 600, 700] {
                try await desk.say(frequency)
                try await eventually("it is heard") {
                    try await desk.dictation("text").contains("\(frequency)")
                }
                try await desk.run("global.extension()._dictation._service.commit()")
                try await window.wait("the text") { _ in window.text().hasSuffix("\(frequency)") }
            }
            try await desk.stopDictating()
            #expect(try await desk.evaluate("global.changes") == "0")
            try await desk.run("delete Main.wm.addKeybinding; delete Main.wm.removeKeybinding")
            #expect(window.lines.count { $0.key == "Escape" } == 1)
            try await window.close()
        }
    }
}

extension ShellDesk {
    /// Waits until the extension has continued with another service, and has told the user.
    fileprivate func listensAgain() async throws {
        try await eventually("the user is told that it goes on") {
            try await notifications().contains("The Dictation service was restarted")
        }
        try await eventually("it listens again", equals: "\"listening\"") {
            try await dictation("state")
        }
        try await eventually("the microphone is open") { try await isCapturing() }
        // The tests of one shell end the service more often than a broken service may end.
        try await run("global.extension()._dictation._recovery._attempts = []")
        try await dismissNotifications()
    }
}
