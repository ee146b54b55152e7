import DictationTestKit
import Testing

extension DesktopShellTests {
    /// An accidental Return decides nothing.
    @Test(arguments: [
        (["Return"], "not-determined", "not-determined"), (["space"], "not-determined", "not-determined"),
        (["Tab", "Return"], "denied", "denied"),
        (["Tab", "Tab", "Return"], "granted", "not-determined"),
        (["Tab", "Tab", "Tab", "Return"], "granted", "granted"),
        (["Escape"], "not-determined", "not-determined"),
    ])
    func theDialogReportsTheDecision(keys: [String], reply: String, later: String) async throws {
        try await withDesk { desk in
            let asking = try await desk.ask()
            if keys == ["Return"] { try await desk.takeScreenshot("permission-dialog") }
            for key in keys { try await desk.press(key) }
            let answer = try await desk.output(of: asking)
            #expect(answer.contains("{'microphone': '\(reply)', 'speech': '\(reply)'}"), "\(answer)")
            try await eventually("the dialog is gone", equals: "0") {
                try await desk.evaluate("Main.modalCount")
            }
            let known = try await desk.output(of: desk.gdbus("CheckPermission"))
            #expect(known.contains("{'microphone': '\(later)', 'speech': '\(later)',"), "\(known)")
        }
    }

    @Test func aDenialIsUndoneWithOneClick() async throws {
        try await withDesk { desk in
            let asking = try await desk.ask()
            for key in ["Tab", "Return"] { try await desk.press(key) }
            #expect(try await desk.output(of: asking).contains("denied"))
            try await desk.click("Undo", on: "may not dictate")
            try await eventually("the denial is forgotten") {
                try await desk.output(of: desk.gdbus("CheckPermission"))
                    .contains("{'microphone': 'not-determined', 'speech': 'not-determined',")
            }
        }
    }

    /// By the name of the application where a desktop file has this program, which is so for gdbus here.
    @Test func theDialogNamesTheApplicationThatAsks() async throws {
        try await withDesk { desk in
            let asking = try await desk.ask()
            #expect(try await desk.question() == "Allow Bus Editor to listen?")
            try await desk.press("Return")
            _ = try await desk.output(of: asking)

            // An interpreter runs many programs.
            let script = desk.files.path(of: "ask.py")
            try desk.files.write(Self.script, to: "ask.py")
            let program = try await desk.ask(by: desk.start(["/usr/bin/python3", script]))
            #expect(try await desk.question() == "Allow dictation?")
            #expect(
                try await desk.evaluate("\(ShellDesk.content).description").contains("Any Python program"))
            try await desk.press("Return")
            _ = try await program.exitStatus()
        }
    }

    private static let script = """
        from gi.repository import Gio, GLib
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        bus.call_sync("org.example.Dictation", "/org/example/Dictation", "org.example.Dictation", "RequestPermission",
            GLib.Variant("(asa{sv})", (["microphone", "speech"], {})), None, 0, 80000)
        """

    /// The administrator of the test's machine has allowed the shell, so the question does not come from the service.
    @Test func theShellAsksAsDictation() async throws {
        try await withDesk { desk in
            try await desk.run(
                """
                (agent => {
                    agent._questions.push({cookie: '1', client: {kind: 'executable', id: '/usr/bin/gnome-shell'},
                        resources: ['microphone', 'speech'], details: {}, invocation: {return_value() {}}});
                    agent._ask();
                })(global.extension()._dictation._agent)
                """)
            try await eventually("the dialog is shown", equals: "1") {
                try await desk.evaluate("Main.modalCount")
            }
            #expect(try await desk.question() == "Allow Dictation to listen?")
            try await desk.takeScreenshot("permission-dialog-own")
            try await desk.press("Escape")
        }
    }

    /// JavaScript rounds numbers of 64 bits, and writes that to the journal.
    @Test func cookiesOfQuestionsAreNotRounded() async throws {
        try await withDesk { desk in
            let asking = try await desk.ask()
            #expect(
                try await desk.evaluate("global.extension()._dictation._agent._questions[0].cookie").contains(
                    /^"\d+"$/))
            try await desk.press("Return")
            _ = try await desk.output(of: asking)
            #expect(!desk.shell.text(of: .errors).contains("safely stored"))
        }
    }

    @Test func aQuestionClosesWithItsCaller() async throws {
        try await withDesk { desk in
            let asking = try await desk.ask()
            asking.kill()
            try await eventually("the dialog is gone", equals: "0") {
                try await desk.evaluate("Main.modalCount")
            }
        }
    }

    @Test func onlyTheServiceMayAsk() async throws {
        try await withDesk { desk in
            let name = try await desk.evaluate(
                "global.extension()._dictation._service._connection.get_unique_name()")
            let call = try desk.start([
                "gdbus", "call", "--session", "--dest", name.replacing("\"", with: ""), "--object-path",
                "/org/example/Dictation/ShellAgent", "--method",
                "org.example.Dictation.Agent.RequestPermission",
                "1", "{}", "['microphone']", "{}",
            ])
            call.closeInput()
            #expect(try await call.exitStatus() == .exited(1))
            #expect(call.text(of: .errors).contains("AccessDenied"))
            #expect(try await desk.evaluate("Main.modalCount") == "0")
        }
    }
}

extension ShellDesk {
    /// A program about which nothing is known requests permission. Returns when the dialog is on the screen and has the focus.
    func ask() async throws -> ChildProcess {
        // The service does not ask again soon after a question was dismissed.
        _ = try await output(
            of: gdbus("Permissions.Forget", ["{'kind': <'executable'>, 'id': <'/usr/bin/gdbus'>}"]))
        return try await ask(by: gdbus("RequestPermission", ["['microphone', 'speech']", "{}"]))
    }

    fileprivate func ask(by asking: ChildProcess) async throws -> ChildProcess {
        try await eventually("the dialog is shown") {
            try await evaluate("Main.modalCount === 1 && global.stage.key_focus?.label === 'Not Now'")
                == "true"
        }
        return asking
    }

    static let content =
        "global.extension()._dictation._agent._dialog.contentLayout.get_children().find(each => each.title)"

    /// The title of the dialog.
    fileprivate func question() async throws -> String {
        try await evaluate("\(Self.content).title").replacing("\"", with: "")
    }
}
