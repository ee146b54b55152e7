public import DictationRig
public import DictationTestKit
import Glibc

/// A real service whose sessions type into the windows of a desktop session. Its engine recognises tones.
public final class DeskDictation: Sendable {
    public let rig: Rig
    public let microphone: DriverMicrophone
    private let environment: [String: String]

    /// - Parameters:
    ///   - environment: of the desktop session.
    ///   - settings: further ones, as YAML.
    ///   - display: the part of the environment that the service has itself.
    public init(
        _ environment: [String: String], _ settings: String = "", display: [String: String] = [:],
        allowsEveryone: Bool = true
    ) async throws {
        rig = try await Rig(tones + settings, allowsEveryone: allowsEveryone, daemonEnvironment: display)
        microphone = try await rig.plugIn()
        self.environment = environment.merging(rig.bus.environment) { $1 }
    }

    /// Starts `dictation-cli` with this command.
    public func start(_ command: String...) throws -> ChildProcess {
        try ChildProcess([executable("dictation-cli")] + command, environment: environment)
    }

    /// Runs `dictation-cli` with this command.
    public func run(_ command: String...) async throws -> (
        status: ChildProcess.ExitStatus, output: String, errors: String
    ) {
        try await ChildProcess.run([executable("dictation-cli")] + command, environment: environment)
    }

    /// Starts another program of the desktop session.
    public func startProgram(_ command: String...) throws -> ChildProcess {
        try ChildProcess(command, environment: environment)
    }

    public func output(of command: String...) async throws -> String {
        try await ChildProcess.run(command, environment: environment).output
    }

    /// How often a session has found its window.
    private var foundWindows: Int { rig.daemon.lines(of: .errors).count { $0.contains("a session types") } }

    /// Begins dictation into windows, and waits until the window is found. From then on words are typed while they are spoken.
    public func beginTyping(_ begin: () async throws -> Void) async throws {
        let before = foundWindows
        try await begin()
        try await state("listening")
        try await eventually("the window is found") { foundWindows > before }
    }

    /// Runs `dictation-cli type`, and waits until it dictates into the window.
    public func type(_ options: String...) async throws -> ChildProcess {
        let before = foundWindows
        let program = try ChildProcess(
            [executable("dictation-cli"), "type"] + options, environment: environment)
        do {
            try await eventually("it dictates") {
                guard program.isRunning else { throw TestFailure("it ended") }
                return try await stateNow() == "listening" && foundWindows > before
            }
        } catch {
            throw TestFailure("\(error): \(program.text(of: .errors))\n\(rig.daemon.text(of: .errors))")
        }
        return program
    }

    /// Ends `type` as Ctrl-C does.
    public func end(_ program: ChildProcess) async throws -> ChildProcess.ExitStatus {
        program.send(SIGINT)
        return try await program.exitStatus()
    }

    /// Says tones, which are recognised as `t500 t600`….
    public func say(_ frequencies: Int...) async throws {
        try await rig.say(frequencies.flatMap { Speech.tones($0) }, into: microphone)
    }

    /// Longer than the silence that ends a block.
    public func pause() async throws { try await rig.say(Speech.silence(1.5), into: microphone) }

    /// The user's session's.
    public func stateNow() async throws -> String {
        let words = try await rig.output(of: [
            "busctl", "--address=\(rig.bus.address)", "get-property", "org.example.Dictation",
            "/org/example/Dictation", "org.example.Dictation", "State",
        ]).split(separator: "\"")
        return words.count > 1 ? String(words[1]) : ""
    }

    /// Waits until the service knows which field of a window has the focus.
    public func settle(_ window: TestWindow) async throws {
        try await window.command("settle")
        // The worker handles what the desktop has told before this call.
        _ = try await rig.output(of: [
            "busctl", "--address=\(rig.bus.address)", "call", "org.example.Dictation",
            "/org/example/Dictation", "org.example.Dictation", "GetSession",
        ])
    }

    public func state(_ wanted: String) async throws {
        do {
            try await eventually("the state \(wanted)") { try await stateNow() == wanted }
        } catch {
            throw TestFailure("\(error)\n\(rig.daemon.text(of: .errors))")
        }
    }

    /// Ends the service.
    public func end() async throws { try await rig.end() }
}
