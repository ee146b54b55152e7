import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Testing

/// Engines in other processes with the service of the machine: each user's worker connects to them.
@Suite struct UserEngineTests {
    private static let answer = "Hello there."

    /// A folder of a user's, where an engine can listen.
    private static func folder(of user: TestUser) throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        try user.own(folder)
        return folder
    }

    private static func server(
        of user: TestUser, in folder: TemporaryDirectory, mode: String = "answer"
    ) async throws -> ScriptedEngineServer {
        try await ScriptedEngineServer(
            at: "unix:\(folder.path)/engine.sock", mode: mode, text: answer, uid: user.uid)
    }

    private static func preference(at folder: TemporaryDirectory, fallback: String = "preview") -> String {
        secondPass(at: "unix:\(folder.path)/engine.sock", preview: "scripted", fallback: fallback)
    }

    @Test func aUserHasAnEngineOfTheirOwn() async throws {
        try await withUsers { rig, one, other in
            let folder = try Self.folder(of: one.user)
            let server = try await Self.server(of: one.user, in: folder)
            #expect(try await one.engines().contains("whisper") == false)
            try one.configure(Self.preference(at: folder))
            try await eventually("the engine is there") {
                try await one.hasEngine("whisper", available: true)
            }
            // Only that user gets it.
            #expect(try await other.engines().contains("whisper") == false)
            #expect(try await other.languages().contains("\"de\"") == false)
            #expect(try await one.languages().contains("\"de\""))

            let program = try one.program(on: rig)
            try await program.run("start")
            try await one.state("listening")
            try await one.say(Speech.tones(500))
            let first = try await program.run("commit")
            #expect(first.contains(Self.answer) && first.contains("engine=whisper"), "\(first)")
            #expect(first.contains("fallback") == false)

            // Without it the preview's text is kept.
            let sent = try await server.count(of: "audio")
            one.microphone.rest()
            try await one.say(Speech.tones(600))
            try await eventually("it was heard") { try await program.run("text").contains("t600") }
            try one.configure("")
            try await eventually("it is gone") { try await !program.run("engines").contains("whisper") }
            // The session keeps the engine that it began with.
            let second = try await program.run("commit")
            #expect(second.contains("engine=whisper"), "\(second)")
            #expect(try await server.count(of: "audio") > sent)
            try await program.run("stop")
            try await program.run("start")
            try await one.state("listening")
            try await one.say(Speech.tones(700))
            #expect(try await program.run("commit").contains("t700"))
        }
    }

    /// The real engine, and PocketSphinx for text during speech.
    @Test func whisperIsUsedWithTheServiceOfTheMachine() async throws {
        let whisper = try WhisperServer()
        try await whisper.listens()
        try await withUsers("") { rig, one, _ in
            try whisper.admit(one.user)
            try one.configure(secondPass(at: "unix:\(whisper.socket)", fallback: "wait"))
            try await eventually("the engine is there") {
                try await one.hasEngine("whisper", available: true)
            }
            let program = try one.program(on: rig)
            try await program.run("start")
            try await one.state("listening")
            try await one.say(Speech.john() + Speech.silence(0.5))
            let answer = try await program.run("commit")
            #expect(
                answer.contains("Dashwood had then leisure") && answer.contains("engine=whisper"), "\(answer)"
            )
        }
    }

    /// All users can use the administrator's engine, which runs as root, if its socket is open to them.
    @Test func anEngineOfTheMachineServesAllUsers() async throws {
        let folder = try TemporaryDirectory()
        chmod(folder.path, 0o755)
        let server = try await ScriptedEngineServer(
            at: "unix:\(folder.path)/engine.sock", text: Self.answer)
        chmod("\(folder.path)/engine.sock", 0o666)
        try await withUsers(Self.preference(at: folder)) { rig, one, other in
            for user in [one, other] {
                let program = try user.program(on: rig)
                try await program.run("start")
                try await user.state("listening")
                try await user.say(Speech.tones(500))
                let answer = try await program.run("commit")
                #expect(answer.contains(Self.answer) && answer.contains("engine=whisper"), "\(answer)")
            }
            #expect(try await server.count(of: "audio") == 2)
        }
    }
}

/// A user's program that stays connected.
private final class DictatingProgram: Sendable {
    private let process: ChildProcess

    init(_ user: DesktopUser, on rig: SystemRig) throws {
        process = try user.start(["/usr/bin/python3", "-uc", Self.text, rig.bus.address])
    }

    /// Runs one command and returns its output.
    @discardableResult
    func run(_ command: String) async throws -> String {
        let count = answers.count
        try process.write(command + "\n")
        try await eventually("the program answers \(command)", within: .seconds(60)) { answers.count > count }
        let answer = answers[count]
        if answer.hasPrefix("error") { throw TestFailure("\(command): \(answer)") }
        return answer
    }

    private var answers: [String] { process.lines(of: .output) }

    private static let text = """
        import dbus, dbus.bus, sys
        bus = dbus.bus.BusConnection(sys.argv[1])
        def call(member, signature="", *arguments, interface="org.example.Dictation"):
            return bus.call_blocking("org.example.Dictation", "/org/example/Dictation", interface, member, signature,
                                     arguments, timeout=60)
        for line in sys.stdin:
            try:
                command = line.strip()
                if command == "start": print("session", call("Start", "a{sv}", {"linger": dbus.Boolean(True)}))
                elif command == "stop":
                    call("Stop")
                    print("stopped")
                elif command == "commit":
                    block, text, details = call("Commit")
                    print("final", text, *(f"{k}={details[k]}" for k in ("engine", "fallback") if k in details))
                elif command == "text": print("text", call("GetSession")["text"])
                elif command == "engines":
                    print("engines", *(f"{name} {details.get('message', '')}" for name, details in
                          call("Get", "ss", "org.example.Dictation", "Engines", interface="org.freedesktop.DBus.Properties")))
            except dbus.DBusException as error: print("error", error)
        """
}

extension DesktopUser {
    fileprivate func program(on rig: SystemRig) throws -> DictatingProgram {
        try DictatingProgram(self, on: rig)
    }

    fileprivate func engines() async throws -> String { try await property("Engines") }

    fileprivate func languages() async throws -> String { try await property("Languages") }

    fileprivate func hasEngine(_ name: String, available: Bool) async throws -> Bool {
        let engines = try await engines()
        guard let start = engines.range(of: "\"\(name)\"") else { return false }
        return engines[start.upperBound...].prefix(300).contains("\"available\" b \(available)")
    }

    private func property(_ name: String) async throws -> String {
        try await busctl("Get", ["ss", "org.example.Dictation", name], of: "org.freedesktop.DBus.Properties")
    }
}
