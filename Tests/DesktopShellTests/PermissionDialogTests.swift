import DictationTestKit
import Testing

extension DesktopShellTests {
    /// Deny has the focus, so that an accidental Return denies.
    @Test(arguments: [
        (["Return"], "denied", "denied"), (["space"], "denied", "denied"),
        (["Tab", "Return"], "granted", "not-determined"),
        (["Tab", "Tab", "Return"], "granted", "granted"),
        (["Escape"], "not-determined", "not-determined"),
    ])
    func theDialogReportsTheDecision(keys: [String], reply: String, later: String) async throws {
        try await withDesk { desk in
            let asking = try await desk.ask()
            if keys == ["Return"] { try await desk.takeScreenshot("permission-dialog") }
            for key in keys { try await desk.press(key) }
            let answer = try await desk.output(of: asking)
            #expect(answer.contains("{'microphone': '\(reply)', 'speech': '\(reply)'}"), "\(answer)")
            try await eventually("the dialog is gone") { try await desk.evaluate("Main.modalCount") == "0" }
            let known = try await desk.output(of: desk.gdbus("CheckPermission"))
            #expect(known.contains("{'microphone': '\(later)', 'speech': '\(later)'}"), "\(known)")
            _ = try await desk.output(
                of: desk.gdbus(
                    "Permissions.Forget", ["{'kind': <'executable'>, 'id': <'/usr/bin/gdbus'>}"]))
        }
    }

    @Test func aQuestionClosesWithItsCaller() async throws {
        try await withDesk { desk in
            let asking = try await desk.ask()
            asking.kill()
            try await eventually("the dialog is gone") { try await desk.evaluate("Main.modalCount") == "0" }
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
    /// A program requests permission. Returns when the dialog is on the screen and has the focus.
    func ask() async throws -> ChildProcess {
        let asking = try gdbus("RequestPermission", ["['microphone', 'speech']", "{}"])
        try await eventually("the dialog is shown") {
            try await evaluate("Main.modalCount === 1 && global.stage.key_focus?.label === 'Deny'") == "true"
        }
        return asking
    }
}
