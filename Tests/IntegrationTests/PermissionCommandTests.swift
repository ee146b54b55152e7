import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// Permission commands at a terminal.
@Suite(.serialized) struct PermissionCommandTests {
    private let cli = executable("dictation-cli")

    private func permissions(_ words: String..., on rig: Rig) async throws -> (Int32, String, String) {
        let result = try await ChildProcess.run(
            [cli, "permissions"] + words + ["--address", rig.bus.address], environment: rig.environment)
        guard case .exited(let code) = result.status else { throw TestFailure("\(result)") }
        return (code, result.output, result.errors)
    }

    private func json(_ text: String) throws -> [[String: String]] {
        let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        return try #require(list).map { $0.compactMapValues { $0 as? String } }
    }

    @Test func applicationsAreNamedByPathIdOrKind() async throws {
        try await withRig(allowsEveryone: false) { rig in
            #expect(try await permissions("list", on: rig) == (0, "", "There are no decisions.\n"))
            let link = rig.home.path(of: "busctl")
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: "/usr/bin/busctl")
            #expect(try await permissions("grant", link, on: rig).0 == 0)
            for kind in ["app", "flatpak"] {
                #expect(
                    try await permissions("deny", "\(kind):org.example.Editor", "speech", on: rig)
                        == (0, "", "\(kind):org.example.Editor: speech denied.\n"))
            }
            #expect(try await permissions("grant", "snap:editor", "microphone", on: rig).0 == 0)
            #expect(
                try await permissions(on: rig).1 == """
                    app:org.example.Editor  microphone not-determined, speech denied
                    /usr/bin/busctl  granted
                    flatpak:org.example.Editor  microphone not-determined, speech denied
                    snap:editor  microphone granted, speech not-determined

                    """)
            let (code, _, errors) = try await permissions("grant", "org.example.Editor", on: rig)
            #expect(code == 64)
            #expect(
                errors.contains("can be app:org.example.Editor, flatpak:org.example.Editor"), "\(errors)")
            // Only the known application is meant.
            #expect(try await permissions("forget", "app:org.example.Editor", on: rig).0 == 0)
            #expect(try await permissions("grant", "org.example.Editor", on: rig).0 == 0)
            let list = try json(try await permissions("list", "--json", on: rig).1)
            #expect(list.map { $0["kind"] } == ["executable", "flatpak", "snap"])
            #expect(list[1]["speech"] == "granted" && list[1]["microphone"] == "granted")

            let log = try json(try await permissions("log", "--json", "--limit", "3", on: rig).1)
            try await SchemaCheck.check(
                try await permissions("list", "--json", on: rig).1, against: "permissions")
            try await SchemaCheck.check(
                try await permissions("log", "--json", on: rig).1, against: "decisions")
            #expect(log.count == 3 && log.allSatisfy { $0["prompter"] == "settings \(cli)" })
            #expect(log.first?["id"] == "org.example.Editor" && log.first?["status"] == "granted")
            #expect(log.last?["status"] == "not-determined" && log.last?["kind"] == "app")
        }
    }

    @Test func aNameMeansWhatIsInstalledAndNothingElse() async throws {
        try await withRig(allowsEveryone: false) { rig in
            #expect(
                try await permissions("grant", "gdbus", on: rig)
                    == (0, "", "/usr/bin/gdbus: microphone and speech granted.\n"))
            let (code, _, errors) = try await permissions("grant", "no-such-program", on: rig)
            #expect(code == 64 && errors.contains("Name it by the path"), "\(errors)")
            #expect(try await permissions(on: rig).1 == "/usr/bin/gdbus  granted\n")
            #expect(try await permissions("forget", "gdbus", on: rig).0 == 0)
            #expect(try await permissions(on: rig).1 == "")
        }
    }

    /// Its process is that of the interpreter, so that a decision about it would never count.
    @Test(arguments: ["#!/usr/bin/perl -w", "#! /usr/bin/env perl", "#!/usr/bin/env -S A=b perl -w"])
    func aScriptIsRefusedWithItsInterpreter(line: String) async throws {
        try await withRig(allowsEveryone: false) { rig in
            let path = try rig.home.write("\(line)\nexit;\n", to: "script")
            for name in [path, "executable:\(path)"] {
                let (code, _, errors) = try await permissions("grant", name, on: rig)
                #expect(code == 64 && errors.contains("/usr/bin/perl"), "\(errors)")
                #expect(errors.contains("every Perl program"), "\(errors)")
            }
            #expect(try await permissions("list", on: rig).1 == "")
        }
    }

    @Test func aRemovedProgramCanBeForgotten() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let path = try rig.home.write("", to: "program")
            #expect(try await permissions("deny", path, on: rig).0 == 0)
            try FileManager.default.removeItem(atPath: path)
            #expect(try await permissions("forget", path, on: rig).0 == 0)
            #expect(try await permissions("list", on: rig).1 == "")
            let (code, _, errors) = try await permissions("forget", path, on: rig)
            #expect(code == 64 && errors.contains("There is no program \(path)"), "\(errors)")
        }
    }

    @Test func anInvalidArgumentIsExplained() async throws {
        try await withRig(allowsEveryone: false) { rig in
            for (words, said) in [
                (["grant", "flatpack:org.example.Editor"], "is not flatpak:ID"),
                (["grant", "/usr/bin/busctl", "camera"], "Unknown resource “camera”"),
                (["log", "--limit", "0"], "--limit is from 1 to 1000"),
                (["grant", ""], "Name an application"),
            ] {
                let result = try await ChildProcess.run(
                    [cli, "permissions"] + words + ["--address", rig.bus.address],
                    environment: rig.environment)
                #expect(result.status == .exited(64) && result.errors.contains(said), "\(words): \(result)")
            }
        }
    }

    @Test func administratorsRulesCannotBeChanged() async throws {
        try await withRig { rig in
            let (code, _, errors) = try await permissions("deny", "/usr/bin/busctl", on: rig)
            #expect(code == 77 && errors.contains("The administrator has decided"), "\(errors)")
        }
    }

    private func startAgent(_ rig: Rig) async throws -> ChildProcess {
        let agent = try rig.start([cli, "agent", "--address", rig.bus.address])
        _ = try await agent.line(of: .errors) { $0.contains("Waiting") }
        return agent
    }

    /// Asks without waiting. Returns when the terminal shows the question.
    private func ask(_ program: OtherProgram, _ agent: ChildProcess, _ name: String) async throws {
        let request = try CallMatrixTests.method("RequestPermission")
        try await program.call(request, #"[["speech"], {}]"#, waits: false)
        _ = try await agent.line(of: .errors) { $0.contains("/\(name) wants to have speech recognised") }
    }

    @Test func asksOneQuestionAtATimeOnTheTerminal() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await startAgent(rig)
            let names = ["one", "two", "three"]
            var programs: [OtherProgram] = []
            for name in names { programs.append(try await OtherProgram(.program(name), on: rig)) }
            let request = try CallMatrixTests.method("RequestPermission")
            try await ask(programs[0], agent, "one")
            for program in programs.dropFirst() {
                try await program.call(request, #"[["speech"], {}]"#, waits: false)
            }
            // In one piece, and only a part of it an answer.
            try agent.write("what?\nY\nno\n")
            _ = try await agent.line(of: .errors) { $0.contains("/three wants") || $0.contains("/two wants") }
            try agent.write("o\n")
            let panel = try await TestClient(on: rig)
            let list = Decisions(panel.connection)
            try await eventually("two decisions are stored, and one is not") {
                try await list.permissions.list().count == 2
            }
            let stored = try await permissions("list", on: rig).1
            #expect(stored.contains("/one  microphone not-determined, speech granted"), "\(stored)")
            #expect(stored.contains("speech denied"), "\(stored)")
            try await eventually("it has asked four times") {
                agent.text(of: .errors).components(separatedBy: "[y]es, [n]o, or [o]nce?").count - 1 == 4
            }
        }
    }

    @Test func aWithdrawnQuestionIsNotAnswered() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await startAgent(rig)
            let (hasty, patient) = (
                try await OtherProgram(.program("hasty"), on: rig),
                try await OtherProgram(.program("patient"), on: rig)
            )
            try await ask(hasty, agent, "hasty")
            try await hasty.close("first")
            _ = try await agent.line(of: .errors) { $0.contains("The question is withdrawn.") }
            try await ask(patient, agent, "patient")
            try agent.write("y\n")
            try await eventually("it is stored") {
                try await permissions("list", on: rig).1.contains("/patient")
            }
            #expect(try await !permissions("list", on: rig).1.contains("/hasty"))
        }
    }

    @Test func asksTheNextAgentWhenTheTerminalCloses() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let next = try await TestAgent(on: rig)
            let agent = try await startAgent(rig)
            let program = try await OtherProgram(.program("asking"), on: rig)
            try await ask(program, agent, "asking")
            agent.closeInput()
            #expect(try await agent.exitStatus() == .exited(0))
            try await next.answer("deny")
            try await eventually("it is stored") {
                try await permissions("list", on: rig).1.contains(
                    "/asking  microphone not-determined, speech denied")
            }
        }
    }

    @Test func listenAsksForPermission() async throws {
        try await withRig(tones, allowsEveryone: false) { rig in
            try await rig.plugIn()
            let terminal = try PseudoTerminal([cli, "listen"], environment: rig.environment, columns: 100)
            try await terminal.shows("[y]es, [n]o, or [o]nce?")
            terminal.press("y\n")
            try await terminal.shows("Listening")
            // The session has the keyboard again.
            terminal.press("q")
            #expect(try await terminal.exitCode() == 0)
            #expect(try await permissions("list", on: rig).1.contains("\(cli)  granted"))
        }
    }

    @Test func aDeniedListenHearsNothing() async throws {
        try await withRig(tones, allowsEveryone: false) { rig in
            try await rig.plugIn()
            let terminal = try PseudoTerminal([cli, "listen"], environment: rig.environment, columns: 100)
            try await terminal.shows("[y]es, [n]o, or [o]nce?")
            terminal.press("n\n")
            #expect(try await terminal.exitCode() == 77)
            try await terminal.shows("The user does not allow this application to dictate")
            #expect(try await !rig.isCapturing())
        }
    }

    @Test func listenWithoutAnAgentSaysWhatToDo() async throws {
        try await withRig(tones, allowsEveryone: false) { rig in
            let result = try await ChildProcess.run([cli, "listen"], environment: rig.environment)
            #expect(result.status == .exited(77))
            #expect(result.errors.contains("dictation-cli permissions grant"), "\(result.errors)")
        }
    }
}
