import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// The service of the machine has no network and may not see a user's sockets: the agent in the user's desktop session
/// lends it connections to the user's own engine.
@Suite struct LentEngineTests {
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

    @Test func theAgentLendsTheUsersEngine() async throws {
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

            // Without an agent the preview's text is kept.
            let sent = try await server.count(of: "audio")
            try await one.say(Speech.tones(600))
            try await eventually("it was heard") { try await program.run("text").contains("t600") }
            try await one.killAgent()
            let second = try await program.run("commit")
            #expect(second.contains("t600") && second.contains("fallback=1"), "\(second)")
            #expect(try await server.count(of: "audio") == sent)
            try await eventually("it is gone") { try await !program.run("engines").contains("whisper") }
        }
    }

    /// The real engine, and PocketSphinx for text during speech.
    @Test func whisperIsUsedThroughTheAgent() async throws {
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

    /// An agent lends a descriptor that is not a connection to an engine.
    @Test func aDescriptorThatIsNotAConnectionIsRefused() async throws {
        let nothing = "is not a connected stream socket"
        try await withUsers { rig, one, _ in
            let program = try one.program(on: rig)
            for (lent, why) in [
                ("pipe", nothing), ("file", nothing), ("listener", nothing), ("datagram", nothing),
                ("error", "that is how it is"), ("silence", "did not open a connection"),
            ] {
                let liar = try one.start(["/usr/bin/python3", "-uc", Self.agent, rig.bus.address, lent])
                _ = try await liar.line(of: .output) { $0 == "ready" }
                #expect(liar.text(of: .output).contains("accepted") == false)
                // Changes are half a second apart.
                try await eventually("the engine is lent") {
                    try await program.run("engines").contains("whisper")
                }
                try await program.run("start")
                try await one.state("listening")
                try await one.say(Speech.tones(500))
                let answer = try await program.run("commit")
                #expect(answer.contains("t500") && answer.contains("fallback=1"), "\(lent): \(answer)")
                var told = ""
                do {
                    try await eventually("it is told why: \(lent)") {
                        told = try await program.run("engines")
                        return told.contains(why)
                    }
                } catch {
                    throw TestFailure("\(error); told: \(told)")
                }
                try await program.run("stop")
                liar.kill()
                _ = try await liar.exitStatus()
                try await eventually("the engine is gone") {
                    try await !program.run("engines").contains("whisper")
                }
            }
        }
    }

    /// A user whose agent makes calls on a lent socket block, or does not answer, does not affect another user's engine.
    @Test func anAgentThatBlocksItsSocketsDelaysNoOtherUser() async throws {
        try await withUsers { rig, one, other in
            let folder = try Self.folder(of: other.user)
            let server = try await Self.server(of: other.user, in: folder)
            try other.configure(Self.preference(at: folder))
            try await eventually("the engine is there") {
                try await other.hasEngine("whisper", available: true)
            }
            let liar = try one.start(["/usr/bin/python3", "-uc", Self.agent, rig.bus.address, "blocking"])
            _ = try await liar.line(of: .output) { $0 == "ready" }
            let programs = [try one.program(on: rig), try other.program(on: rig)]
            for program in programs { try await program.run("start") }
            try await one.state("listening")
            try await other.state("listening")
            // More than a socket holds.
            try await one.say(Speech.tones(500) + Speech.tones(600, 700, 800, 900, 1000, 1100, 1200))
            async let blocked = programs[0].run("commit")
            try await eventually("it was lent") { liar.text(of: .output).contains("lent") }
            try await other.say(Speech.tones(500))
            let answer = try await programs[1].run("commit")
            #expect(answer.contains(Self.answer) && answer.contains("engine=whisper"), "\(answer)")
            #expect(try await blocked.contains("fallback=1"))
            #expect(try await server.count(of: "audio") == 1)
            liar.kill()
        }
    }

    /// All users can use the administrator's engine, whose socket the service can open.
    @Test func anEngineOfTheMachineServesAllUsers() async throws {
        let folder = try Self.folder(of: SystemBus.serviceUser)
        let server = try await Self.server(of: SystemBus.serviceUser, in: folder)
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

    /// Registers for "engine" and lends the kind of descriptor that its argument names.
    private static let agent = #"""
        import dbus, dbus.bus, dbus.service, os, socket, sys, tempfile, time
        from dbus.mainloop.glib import DBusGMainLoop
        from gi.repository import GLib
        bus = dbus.bus.BusConnection(sys.argv[1], mainloop=DBusGMainLoop())
        what = sys.argv[2]
        kept = []
        def lend():
            if what == "pipe":
                return os.pipe()[0]
            if what == "file":
                return os.open("/etc/passwd", os.O_RDONLY)
            if what == "listener":
                listener = socket.socket(socket.AF_UNIX)
                # Called again for each attempt.
                listener.bind("\0lent%d-%d" % (os.getpid(), len(kept)))
                listener.listen()
                kept.append(listener)
                return listener.fileno()
            if what == "datagram":
                pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
                kept.append(pair)
                return pair[0].fileno()
            pair = socket.socketpair()
            pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            kept.append(pair)
            def block():
                os.set_blocking(pair[0].fileno(), True)
                return True
            GLib.timeout_add(1, block)
            print("lent")
            return pair[0].fileno()
        class Agent(dbus.service.Object):
            @dbus.service.method("org.example.Dictation.Agent", in_signature="s", out_signature="h",
                                 async_callbacks=("done", "failed"))
            def OpenEngine(self, name, done, failed):
                if what == "error": failed(dbus.DBusException("that is how it is " * 1000))
                elif what != "silence": done(dbus.types.UnixFd(lend()))
        agent = Agent(bus, "/agent")
        def call(member, signature, *arguments):
            bus.call_blocking("org.example.Dictation", "/org/example/Dictation", "org.example.Dictation.AgentManager",
                              member, signature, arguments, timeout=20)
        call("Register", "oasa{sv}", "/agent", ["engine"], {})
        call("SetEngines", "oasa{sa{sv}}", "/agent", ["whisper", "scripted"], {"whisper": dbus.Dictionary({}, "sv")})
        for name in "pocketsphinx", "Whisper", "x" * 33:
            try:
                call("SetEngines", "oasa{sa{sv}}", "/agent", [], {name: dbus.Dictionary({}, "sv")})
                print("accepted", name)
            except dbus.DBusException: pass
        print("ready")
        GLib.MainLoop().run()
        """#
}

/// A user's program that stays connected: the service keeps its identity also when no agent is left.
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
