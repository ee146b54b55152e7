public import DBus
public import DictationInterface
public import DictationTestKit
import EventLoop
import Foundation
import Glibc

/// A machine with several users: a system bus with the shipped policy, a logind, and the real daemon as an unprivileged
/// user.
public final class SystemRig: Sendable {
    public let bus: SystemBus
    public let logind: MockLogind
    private let running: Lock<ChildProcess>
    private let startDaemon: @Sendable () async throws -> ChildProcess
    private let state: TemporaryDirectory
    private let settings: TemporaryDirectory
    /// The folder of the users' programs, which must be readable, because a program is identified by its path.
    private let programs: TemporaryDirectory

    /// - Parameter allowsEveryone: all applications are granted without asking.
    public init(_ configuration: String = "", allowsEveryone: Bool = true) async throws {
        bus = try await SystemBus()
        let connection = try await Connection(to: .custom(bus.address))
        logind = try await MockLogind(on: bus.address, by: connection)
        state = try TemporaryDirectory()
        try SystemBus.serviceUser.own(state)
        settings = try TemporaryDirectory()
        programs = try TemporaryDirectory()
        for program in ["dictation-cli", "dictation-agent"] {
            try FileManager.default.copyItem(
                atPath: executable(program), toPath: programs.path(of: program))
        }
        chmod(programs.path, 0o755)
        let file = try settings.write(
            configuration + (allowsEveryone ? "permissions:\n  allow: [\"*\"]\n" : ""), to: "dictation.yaml")
        try SystemBus.serviceUser.own(settings)
        startDaemon = { [bus, state] in
            let daemon = try ChildProcess(
                SystemBus.serviceUser.command([
                    executable("dictationd"), "--bus", bus.address, "--everyone", "--verbose", "--config",
                    file,
                ]),
                environment: ["PATH": "/usr/bin:/bin", "STATE_DIRECTORY": state.path, "LC_ALL": "C.UTF-8"])
            _ = try await daemon.line(of: .errors) { $0.contains("listening on the bus") }
            return daemon
        }
        running = Lock(try await startDaemon())
    }

    public var daemon: ChildProcess { running.withLock { $0 } }

    /// Ends the daemon and starts another.
    public func restartDaemon() async throws {
        try await endDaemon()
        let next = try await startDaemon()
        running.withLock { $0 = next }
    }

    /// A polkit that authorises nothing yet.
    public func startPolkit() async throws -> DBusMock {
        try await DBusMock(
            "org.freedesktop.PolicyKit1", ["--template", "polkitd"], on: bus.address,
            by: logind.mock.connection)
    }

    /// The path of dictation-cli.
    public var commandLine: String { programs.path(of: "dictation-cli") }
    /// That of dictation-agent.
    fileprivate var agent: String { programs.path(of: "dictation-agent") }

    /// Throws if the daemon's exit status is not 0 or its log contains dictated text.
    public func end() async throws {
        try await endDaemon()
        await logind.mock.connection.close()
    }

    private func endDaemon() async throws {
        daemon.terminate()
        let status = try await daemon.exitStatus()
        guard status == .exited(0) else {
            throw TestFailure("The daemon's exit status is \(status):\n\(daemon.text(of: .errors))")
        }
        try LogCheck.check(daemon.text(of: .errors) + daemon.text(of: .output), of: "the daemon")
    }
}

/// A user at a desktop: a session, a sound server with a microphone, and an agent.
public final class DesktopUser: Sendable {
    public let user: TestUser
    public let session: String
    public let audio: PrivatePipeWire
    public let microphone: DriverMicrophone
    private let rig: SystemRig
    /// Where the user's configuration is.
    private let settings: TemporaryDirectory
    private let running = Lock<ChildProcess?>(nil)
    private let monitors = Lock<[ChildProcess]>([])

    public init(_ uid: UInt32, on rig: SystemRig) async throws {
        self.rig = rig
        user = TestUser(uid)
        session = "c\(uid)"
        settings = try TemporaryDirectory()
        try settings.write("", to: "dictation/dictation.yaml")
        try user.own(settings)
        try await rig.logind.addSession(session, of: uid)
        audio = try await PrivatePipeWire(as: user)
        // Four times faster than real time, which a busy machine manages too.
        microphone = try DriverMicrophone(
            "microphone-of-\(uid)", of: audio, pace: .cycle(every: .milliseconds(5)))
        try startAgent()
    }

    /// The output of the user's programs.
    public var logs: String {
        let processes = monitors.withLock { $0 } + [agent].compactMap { $0 }
        return processes.map { "\($0.name) \($0.pid)\n\($0.text(of: .output))\n\($0.text(of: .errors))" }
            .joined(separator: "\n")
    }

    public var agent: ChildProcess? { running.withLock { $0 } }

    /// Throws if an agent's log contains dictated text.
    public func checkLog() throws {
        guard let agent else { return }
        try LogCheck.check(agent.text(of: .errors) + agent.text(of: .output), of: "the agent")
    }

    /// - Parameters:
    ///   - sessionBus: the address of the bus of the user's session; nil where it has none.
    ///   - options: of the agent, besides the usual.
    public func startAgent(sessionBus: String? = nil, _ options: [String] = []) throws {
        let command = [rig.agent, "--bus", rig.bus.address, "--verbose"] + options
        let agent = try ChildProcess(
            user.command(command),
            environment: audio.environment.merging(
                sessionBus.map { ["DBUS_SESSION_BUS_ADDRESS": $0] } ?? [:]
            ) { $1 }.merging(["XDG_CONFIG_HOME": settings.path]) { $1 })
        running.withLock { $0 = agent }
    }

    /// Writes the user's configuration, as YAML.
    public func configure(_ text: String) throws {
        try settings.write(text, to: "dictation/dictation.yaml")
    }

    /// Kills the agent.
    public func killAgent() async throws {
        let agent = running.withLock { $0.take() }
        agent?.kill()
        _ = try await agent?.exitStatus()
    }

    public func start(_ command: [String]) throws -> ChildProcess {
        try ChildProcess(user.command(command), environment: audio.environment)
    }

    /// Calls a method with busctl and returns its output.
    public func busctl(
        _ method: String, _ arguments: [String] = [], of interface: InterfaceName = DictationInterface.name
    ) async throws -> String {
        let command = [
            "busctl", "--address=\(rig.bus.address)", "call", "\(DictationInterface.busName)",
            "\(DictationInterface.path)", "\(interface)", method,
        ]
        let result = try await ChildProcess.run(
            user.command(command + arguments), environment: audio.environment)
        guard result.status == .exited(0) else { throw TestFailure("\(method): \(result.errors)") }
        return result.output.trimmingCharacters(in: .newlines)
    }

    /// Subscribes to the events and texts of the user's sessions.
    public func monitor() throws -> ChildProcess {
        let monitor = try start([
            rig.commandLine, "monitor", "--text", "--json", "--address", rig.bus.address,
        ])
        monitors.withLock { $0.append(monitor) }
        return monitor
    }

    public func state() async throws -> String {
        try await busctl("GetSession").firstMatch(of: /"state" s "([a-z]+)"/).map { String($0.output.1) }
            ?? ""
    }

    public func state(_ wanted: String) async throws {
        try await eventually("the user \(user.uid) is \(wanted)") { try await state() == wanted }
    }

    public func say(_ samples: [Int16]) async throws {
        let end = microphone.played + samples.count
        microphone.play(samples)
        try await eventually("all has been said") { microphone.played >= end }
    }
}
