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
    private let makeDaemon: @Sendable () async throws -> ChildProcess
    private let state: TemporaryDirectory
    /// Of the service, where it asks for workers.
    private let runtime: TemporaryDirectory
    private let settings: TemporaryDirectory
    /// What every user's file has.
    fileprivate let configuration: String
    /// The folder of the users' programs, which must be readable, because a program is identified by its path.
    private let programs: TemporaryDirectory

    /// - Parameters:
    ///   - configuration: of every user, as YAML.
    ///   - allowsEveryone: all applications are granted without asking.
    public init(_ configuration: String = "", allowsEveryone: Bool = true) async throws {
        self.configuration = configuration
        bus = try await SystemBus()
        let connection = try await Connection(to: .custom(bus.address))
        logind = try await MockLogind(on: bus.address, by: connection)
        state = try TemporaryDirectory()
        try SystemBus.serviceUser.own(state)
        runtime = try TemporaryDirectory()
        try SystemBus.serviceUser.own(runtime)
        chmod(runtime.path, 0o755)
        settings = try TemporaryDirectory()
        programs = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: executable("dictation-cli"), toPath: programs.path(of: "dictation-cli"))
        chmod(programs.path, 0o755)
        let file = try settings.write(
            allowsEveryone ? "permissions:\n  allow: [\"*\"]\n" : "", to: "dictation.yaml")
        try SystemBus.serviceUser.own(settings)
        makeDaemon = { [bus, state, runtime] in
            let daemon = try ChildProcess(
                SystemBus.serviceUser.command([
                    executable("dictationd"), "--bus", bus.address, "--everyone", "--verbose", "--config",
                    file,
                ]),
                environment: [
                    "PATH": "/usr/bin:/bin", "STATE_DIRECTORY": state.path,
                    "RUNTIME_DIRECTORY": runtime.path, "LC_ALL": "C.UTF-8",
                ])
            _ = try await daemon.line(of: .errors) { $0.contains("listening on the bus") }
            return daemon
        }
        running = Lock(try await makeDaemon())
    }

    public var daemon: ChildProcess { running.withLock { $0 } }

    /// Ends the daemon and starts another.
    public func restartDaemon() async throws {
        try await endDaemon()
        try await startDaemon()
    }

    public func killDaemon() async throws {
        daemon.kill()
        _ = try await daemon.exitStatus()
    }

    public func startDaemon() async throws {
        let next = try await makeDaemon()
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
    /// Where the service asks for a user's worker.
    public func request(ofUser uid: UInt32) -> String { runtime.path(of: "wanted/\(uid)") }

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

/// A user at a desktop: a session, a sound server with a microphone, and a program that starts the user's worker when the
/// service asks for it, in place of systemd.
public final class DesktopUser: Sendable {
    public let user: TestUser
    public let session: String
    public let audio: PrivatePipeWire
    public let microphone: DriverMicrophone
    private let rig: SystemRig
    /// Where the user's configuration is.
    private let settings: TemporaryDirectory
    private let state: TemporaryDirectory
    private let running = Lock<ChildProcess?>(nil)
    private let monitors = Lock<[ChildProcess]>([])

    public init(_ uid: UInt32, on rig: SystemRig) async throws {
        self.rig = rig
        user = TestUser(uid)
        session = "c\(uid)"
        settings = try TemporaryDirectory()
        try settings.write(rig.configuration, to: "dictation/dictation.yaml")
        try user.own(settings)
        state = try TemporaryDirectory()
        try user.own(state)
        try await rig.logind.addSession(session, of: uid)
        audio = try await PrivatePipeWire(as: user)
        // Four times faster than real time, which a busy machine manages too.
        microphone = try DriverMicrophone(
            "microphone-of-\(uid)", of: audio, pace: .cycle(every: .milliseconds(5)))
        try startKeeper()
    }

    /// The output of the user's programs.
    public var logs: String {
        let processes = monitors.withLock { $0 } + [keeper].compactMap { $0 }
        return processes.map { "\($0.name) \($0.pid)\n\($0.text(of: .output))\n\($0.text(of: .errors))" }
            .joined(separator: "\n")
    }

    /// What starts the user's worker. The worker has the same log.
    public var keeper: ChildProcess? { running.withLock { $0 } }

    /// Throws if a worker's log contains dictated text.
    public func checkLog() throws {
        guard let keeper else { return }
        try LogCheck.check(keeper.text(of: .errors) + keeper.text(of: .output), of: "the worker")
    }

    /// - Parameters:
    ///   - sessionBus: the address of the bus of the user's session; nil where it has none.
    ///   - options: besides the usual.
    public func startKeeper(sessionBus: String? = nil, _ options: [String] = []) throws {
        let command =
            [
                executable("dictation-worker"), "--stay", "--request", rig.request(ofUser: user.uid),
                "--verbose",
            ] + options
        let keeper = try ChildProcess(
            user.command(command),
            environment: audio.environment.merging([
                "DBUS_SYSTEM_BUS_ADDRESS": rig.bus.address,
                "DBUS_SESSION_BUS_ADDRESS": sessionBus ?? "unix:path=/nonexistent",
                "XDG_CONFIG_HOME": settings.path, "XDG_STATE_HOME": state.path,
            ]) { $1 })
        running.withLock { $0 = keeper }
    }

    /// Writes the user's configuration, as YAML, beside that of all, unless it names an engine itself.
    public func configure(_ text: String) throws {
        let hasEngine = text.contains(/(^|\n)engine:/)
        try settings.write((hasEngine ? "" : rig.configuration) + text, to: "dictation/dictation.yaml")
    }

    /// Where the history is, if there is any.
    public var historyFolder: String { state.path(of: "dictation/history") }

    /// Ends the user's worker and what starts it.
    public func endKeeper() async throws {
        let keeper = running.withLock { $0.take() }
        keeper?.terminate()
        _ = try await keeper?.exitStatus()
    }

    /// The process of the worker; nil if it does not run.
    public func worker() throws -> Int32? {
        guard let keeper else { return nil }
        let path = "/proc/\(keeper.pid)/task/\(keeper.pid)/children"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        // The thread that has started it is its parent, for the kernel the process is.
        return try text.split(separator: " ").compactMap { Int32($0) }.first
            ?? Self.child(of: keeper.pid)
    }

    /// A child that another thread than the first has started.
    private static func child(of process: Int32) throws -> Int32? {
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task") {
            let text = try? String(
                contentsOfFile: "/proc/\(process)/task/\(thread)/children", encoding: .utf8)
            if let child = text?.split(separator: " ").first.flatMap({ Int32($0) }) { return child }
        }
        return nil
    }

    /// Kills the worker. Another one is started while the service asks for it.
    public func killWorker() async throws {
        guard let worker = try worker() else { throw TestFailure("the user \(user.uid) has no worker") }
        kill(worker, SIGKILL)
        try await eventually("the worker is gone") { try self.worker() != worker }
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

    /// Waits until a monitor shows the text of the user's session, which listens: it has subscribed then. Commits.
    public func isShown(by monitor: ChildProcess) async throws {
        try await eventually("the monitor has subscribed") {
            try await say(Speech.tones(400))
            _ = try await busctl("Commit")
            return monitor.text(of: .output).contains("t400")
        }
    }

    public func state() async throws -> String {
        try await busctl("GetSession").firstMatch(of: /"state" s "([a-z]+)"/).map { String($0.output.1) }
            ?? ""
    }

    public func state(_ wanted: String) async throws {
        try await eventually("the user \(user.uid) is \(wanted)") { try await state() == wanted }
    }

    public func say(_ samples: [Int16]) async throws {
        try await microphone.say(samples)
    }
}
