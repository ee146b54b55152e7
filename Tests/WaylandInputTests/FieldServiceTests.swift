import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Testing

/// A program that is not ours types through org.example.Dictation.Typing into the windows of a headless sway.
@Suite(.serialized, .timeLimit(.minutes(2))) struct FieldServiceTests {
    /// A desktop session with its service.
    private final class Session: Sendable {
        let desk: SwayDesk
        let rig: Rig

        init() async throws {
            desk = try await SwayDesk()
            rig = try await Rig(tones, allowsEveryone: false, daemonEnvironment: desk.display)
        }

        var environment: [String: String] { desk.environment.merging(rig.bus.environment) { $1 } }

        func allow(_ status: String = "grant") async throws {
            // Debian's /usr/bin/python3 is a link.
            let program = URL(filePath: "/usr/bin/python3").resolvingSymlinksInPath().path
            let run = try await ChildProcess.run([
                executable("dictation-cli"), "permissions", status, program, "typing",
                "--address", rig.bus.address,
            ])
            #expect(run.status == .exited(0), "\(run.errors)")
        }

        func client() async throws -> Client { try await Client(self) }

        func end() async throws {
            try await rig.end()
        }
    }

    /// `typing-client.py`.
    private final class Client: Sendable {
        let process: ChildProcess
        private let read = Lock(0)

        init(_ session: Session) async throws {
            let file = repository.appending(path: "Tests/WaylandInputTests/Resources/typing-client.py").path
            process = try ChildProcess(
                ["/usr/bin/python3", file], environment: session.environment)
            #expect(try await next() == ["ready"])
        }

        /// The next line that it writes, as texts.
        func next() async throws -> [String] {
            let index = read.withLock { index in
                index += 1
                return index - 1
            }
            do {
                try await eventually("line \(index)") { process.lines(of: .output).count > index }
            } catch {
                throw TestFailure(
                    "\(error): \(process.text(of: .output))\(process.text(of: .errors))")
            }
            let line = process.lines(of: .output)[index]
            let values = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any] ?? []
            return values.map { value in
                guard let values = value as? [String: Any] else { return "\(value)" }
                return values.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
            }
        }

        func send(_ call: Any...) throws {
            let line = try JSONSerialization.data(withJSONObject: call, options: .withoutEscapingSlashes)
            try process.write(String(decoding: line, as: UTF8.self) + "\n")
        }

        /// Begins with the present field.
        func begin(_ options: [String: Any] = [:]) async throws -> Int {
            try send("BeginField", options)
            let reply = try await next()
            guard reply.first == "BeginField", let field = Int(reply[1]) else {
                throw TestFailure("\(reply)")
            }
            return field
        }

        func insert(_ text: String, _ field: Int) async throws -> [String] {
            try send("Insert", field, text)
            return try await next()
        }

        /// Waits until the service knows which field of a window has the focus.
        func settle(_ window: TestWindow, _ field: Int) async throws {
            try await window.command("settle")
            // It handles what the compositor has told before this call.
            try send("Show", field, "")
            #expect(try await next() == ["Show", "0"])
        }

        func error(_ call: Any...) async throws -> String {
            let line = try JSONSerialization.data(withJSONObject: call)
            try process.write(String(decoding: line, as: UTF8.self) + "\n")
            let reply = try await next()
            guard reply.first == "error" else { throw TestFailure("\(reply)") }
            return reply[1].split(separator: ".").last.map(String.init) ?? ""
        }
    }

    @Test func theExampleOfTheManualTypesIntoAnotherWindow() async throws {
        let session = try await Session()
        let window = try await session.desk.window("gtk4-form", "one")
        let agent = try await TestAgent(on: session.rig)
        let command = [repository.appending(path: "packaging/example-typing/typing-example").path]
        async let first = ChildProcess.run(command, environment: session.environment)
        try await agent.answer("allow")
        let run = try await first
        #expect(run.status == .exited(0) && run.output == "", "\(run.output)\(run.errors)")
        try await window.text("text from another program!")
        #expect(window.everything().contains("text from another"))
        #expect(window.everything().contains("text from another program."))
        // It is asked about once.
        let second = try await ChildProcess.run(command, environment: session.environment)
        #expect(second.status == .exited(0), "\(second.errors)")
        try await window.text("text from another program! text from another program!")
        #expect(agent.asked == 1)
        try await session.end()
    }

    @Test func withoutPermissionNothingIsTyped() async throws {
        let session = try await Session()
        let window = try await session.desk.window("gtk4-form", "one")
        let client = try await session.client()
        #expect(try await client.error("BeginField") == "PermissionRequired")
        // There is nobody to ask.
        try client.send("RequestPermission")
        #expect(try await client.next() == ["RequestPermission", "typing=not-determined"])
        try await session.allow("deny")
        #expect(try await client.error("BeginField") == "PermissionDenied")
        try await session.allow()
        let field = try await client.begin()
        #expect(try await client.insert("hello", field).prefix(2) == ["Insert", "typed"])
        try await session.allow("deny")
        #expect(try await client.next() == ["Released", "\(field)", "permission-lost"])
        #expect(try await client.error("Insert", field, "more") == "PermissionDenied")
        try await session.allow()
        #expect(try await client.error("Insert", field, "more") == "NotRunning")
        try await window.text("hello")
        try await session.end()
    }

    @Test func aTextOfTheHistoryIsTypedAgain() async throws {
        let session = try await Session()
        try session.rig.home.write(tones + "history: 1 day\n", to: "dictation.yaml")
        try await session.rig.setPermission("grant")
        let cli = executable("dictation-cli")
        for resources in [[], ["typing"]] {
            _ = try await session.rig.output(
                of: [cli, "permissions", "grant", cli] + resources + ["--address", session.rig.bus.address])
        }
        let client = try await TestClient(on: session.rig)
        let history = DictationHistoryProxy(
            connection: client.connection, destination: DictationInterface.busName)
        try await eventually("texts are kept") { try await history.list(options: [:]).lifetime > 0 }
        let microphone = try await session.rig.plugIn()
        _ = try await client.dictation.start(options: [:])
        try await client.state("listening")
        try await session.rig.say(Speech.tones(500, 600), into: microphone)
        _ = try await client.dictation.commit()
        try await client.dictation.stop()
        let window = try await session.desk.window("gtk4-form", "one")
        let typed = try await ChildProcess.run(
            [cli, "history", "type", "--address", session.rig.bus.address], environment: session.environment)
        #expect(typed.status == .exited(0), "\(typed.errors)")
        try await window.text("t500 t600")
        try window.process.write("focus 2\n")
        try await eventually("a password field gets nothing") {
            let refused = try await ChildProcess.run(
                [cli, "history", "type", "--address", session.rig.bus.address],
                environment: session.environment)
            return refused.status != .exited(0) && refused.errors.contains("password")
        }
        try await session.end()
    }

    @Test func passwordsAndOtherFieldsGetNothing() async throws {
        let session = try await Session()
        try await session.allow()
        let window = try await session.desk.window("gtk4-form", "one")
        let client = try await session.client()
        for secret in [2, 3] {
            try await window.command("focus \(secret)")
            try await window.command("settle")
            try await eventually("field \(secret) is refused") {
                try await client.error("BeginField") == "SecretField"
            }
        }
        try await window.command("focus none")
        try await window.command("settle")
        try await eventually("no field has the focus") { try await client.error("BeginField") == "NoField" }
        try await window.command("focus 0")
        try await window.command("settle")
        let field = try await client.begin()
        #expect(try await client.insert("hello", field) == ["Insert", "typed", "seen=1"])
        for other in 1...3 {
            try await window.command("focus \(other)")
            try await client.settle(window, field)
            #expect(try await client.insert("secret", field)[1] == "moved")
            try client.send("Show", field, "secret")
            #expect(try await client.next() == ["Show", "0"])
            try client.send("ReplaceLast", field, "secret")
            #expect(try await client.next()[1] == "moved")
        }
        // Live text would be shown when its field is back.
        try client.send("Show", field, "")
        #expect(try await client.next() == ["Show", "0"])
        try await window.command("focus 0")
        // A GTK 4 entry selects its text when it gets the focus.
        try await window.command("caret 0 5")
        try await client.settle(window, field)
        #expect(try await client.insert("again", field)[1] == "typed")
        try await window.text("hello again")
        for other in 1...3 { #expect(window.texts(in: other) == []) }
        try await session.end()
    }

    @Test func aProgramReplacesItsTextAndNoOther() async throws {
        let session = try await Session()
        try await session.allow()
        let window = try await session.desk.window("gtk4-form", "one")
        try await window.command("set 0 Mine.")
        try await window.command("caret 0 5")
        let client = try await session.client()
        let field = try await client.begin(["capitals": true, "language": "en-US"])
        try client.send("ReplaceLast", field, "nothing was inserted")
        #expect(try await client.next()[1] == "refused")
        try client.send("Show", field, "hello wor")
        #expect(try await client.next() == ["Show", "1"])
        try await window.preedit(" Hello wor")
        #expect(try await client.insert("hello world", field)[1] == "typed")
        try await window.text("Mine. Hello world")
        for text in ["goodbye", "", "end"] {
            try client.send("ReplaceLast", field, text)
            #expect(try await client.next()[1] == (text == "end" ? "refused" : "typed"))
        }
        try await window.text("Mine.")
        // The cursor is elsewhere.
        #expect(try await client.insert("one", field)[1] == "typed")
        try await window.command("caret 0 0")
        // GTK 4 does not tell that a program has moved the cursor: the first call may delete nothing without
        // learning of it.
        try await eventually("the text is not before the cursor") {
            try client.send("ReplaceLast", field, "two")
            return try await client.next()[1] == "refused"
        }
        try await window.text("Mine. One")
        try client.send("Release", field)
        #expect(try await client.next() == ["Release"])
        #expect(try await client.error("Show", field, "late") == "NotRunning")
        try await session.end()
    }

    @Test func longAndStrangeTextsArriveWhole() async throws {
        let session = try await Session()
        try await session.allow()
        let window = try await session.desk.window("gtk4-view", "one")
        let client = try await session.client()
        let field = try await client.begin(["fit": false])
        let text = String(repeating: "wörter 👩‍👩‍👧 e\u{301} שלום\n", count: 240)
        #expect(text.count > 3500)
        #expect(try await client.insert(text, field)[1] == "typed")
        try await window.text(text)
        #expect(
            try await client.error("Insert", field, String(repeating: "x", count: 20_001)) == "LimitsExceeded"
        )
        #expect(try await client.error("Insert", field, "") == "InvalidArgs")
        // Calls in a row are carried out in their order; too many are refused.
        for number in 0..<40 { try client.send("Insert", field, "\(number),") }
        var outcomes: [String] = []
        for _ in 0..<40 { outcomes.append(try await client.next()[1]) }
        let typed = outcomes.count { $0 == "typed" }
        #expect(typed >= 16 && outcomes.allSatisfy { $0 == "typed" || $0.hasSuffix("LimitExceeded") })
        try await window.wait("the last text") { _ in window.text().count { $0 == "," } == typed }
        let numbers = window.text().dropFirst(text.count).split(separator: ",").compactMap { Int($0) }
        #expect(numbers == numbers.sorted() && numbers.count == typed)

        let terminal = try await session.desk.terminal()
        try await eventually("the terminal's text") {
            let field = try await client.begin()
            return try await client.insert("rm -rf /\nls", field)[1] == "typed"
        }
        #expect(terminal.lines == ["ready"])
        try await session.end()
    }

    @Test func oneProgramTypesAtATimeAndTheUserComesFirst() async throws {
        let session = try await Session()
        try await session.allow()
        let window = try await session.desk.window("gtk4-form", "one")
        let (first, second) = (try await session.client(), try await session.client())
        let field = try await first.begin()
        #expect(try await second.error("BeginField") == "LimitExceeded")
        #expect(try await second.error("Insert", field, "mine") == "NotRunning")
        try await window.command("focus 1")
        var others = 0
        try await eventually("the other field is free") {
            try second.send("BeginField", [String: Any]())
            let reply = try await second.next()
            others = Int(reply[1]) ?? 0
            return reply.first == "BeginField"
        }
        #expect(try await first.next() == ["Released", "\(field)", "replaced"])
        #expect(try await second.insert("two", others)[1] == "typed")
        // It leaves the bus.
        second.process.kill()
        _ = try await second.process.exitStatus()
        var third = 0
        try await eventually("its field is free") {
            try first.send("BeginField", [String: Any]())
            let reply = try await first.next()
            third = Int(reply[1]) ?? 0
            return reply.first == "BeginField"
        }
        // The user presses the key.
        try await session.rig.plugIn()
        let cli = executable("dictation-cli")
        for resource in ["microphone", "speech"] {
            _ = try await ChildProcess.run([
                cli, "permissions", "grant", cli, resource, "--address", session.rig.bus.address,
            ])
        }
        let typing = try ChildProcess(
            [cli, "type", "--address", session.rig.bus.address], environment: session.environment)
        #expect(try await first.next() == ["Released", "\(third)", "user-dictates"])
        _ = try await typing.line(of: .errors) { $0.contains("Typing by") }
        #expect(try await first.error("BeginField") == "LimitExceeded")
        typing.send(SIGINT)
        #expect(try await typing.exitStatus() == .exited(0), "\(typing.text(of: .errors))")
        _ = try await first.begin()
        try await session.end()
    }
}
