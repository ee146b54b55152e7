import DBus
import DictationInterface
public import DictationTestKit
import EventLoop
import Foundation
import Glibc

/// A private machine: a bus, an audio server, a home folder, and the real daemon.
public final class Rig: Sendable {
    public let bus: PrivateBus
    public let audio: PrivatePipeWire
    public let home: TemporaryDirectory
    private let running: Lock<ChildProcess>
    private let configuration: String
    private let user: TestUser?
    private let descriptorLimit: Int?
    private let hasOrdinaryRights: Bool
    private let daemonEnvironment: [String: String]
    /// A copy of `/etc` with the administrator's configuration, mounted for the daemon.
    private let settings: TemporaryDirectory?
    /// Keeps microphones plugged in, even if the test no longer refers to them.
    private let microphones = Lock<[DriverMicrophone]>([])

    /// - Parameters:
    ///   - configuration: the daemon's, as YAML.
    ///   - allowsEveryone: all applications are granted without asking.
    ///   - user: the user of the daemon, the audio server and the callers ``gdbus(_:_:)`` and ``busctl(_:_:)``, without
    ///     real-time priority; nil for the user of the tests.
    ///   - descriptorLimit: of the daemon; nil for that of the tests.
    ///   - administrator: the administrator's configuration, as YAML.
    ///   - hasOrdinaryRights: the daemon has no right to real-time priority: see ``OrdinaryRights``.
    ///   - daemonEnvironment: added to the daemon's environment.
    ///   - prepare: called with the bus before the daemon is started.
    public init(
        _ configuration: String = "", allowsEveryone: Bool = true, as user: TestUser? = nil,
        descriptorLimit: Int? = nil, administrator: String? = nil, hasOrdinaryRights: Bool = false,
        daemonEnvironment: [String: String] = [:],
        prepare: (PrivateBus) async throws -> Void = { _ in }
    ) async throws {
        self.descriptorLimit = descriptorLimit
        self.hasOrdinaryRights = hasOrdinaryRights
        self.daemonEnvironment = daemonEnvironment
        settings = if let administrator { try await Self.copyOfSettings(with: administrator) } else { nil }
        let rules = allowsEveryone ? "permissions:\n  allow: [\"*\"]\n" : ""
        bus = try await PrivateBus()
        audio = try await PrivatePipeWire(as: user)
        home = try TemporaryDirectory()
        self.user = user
        self.configuration = try home.write(configuration + rules, to: "dictation.yaml")
        let environment = audio.environment.merging(bus.environment) { $1 }
            .merging(["HOME": home.path]) { $1 }.merging(daemonEnvironment) { $1 }
        if let user {
            chmod(bus.directory.path, 0o711)
            try user.own(home)
        }
        try await prepare(bus)
        running = Lock(
            try await Self.startDaemon(
                on: bus, configuration: self.configuration, descriptorLimit: descriptorLimit, environment,
                as: user, settings: settings, hasOrdinaryRights: hasOrdinaryRights))
    }

    private static func copyOfSettings(with administrator: String) async throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        let copy = try await ChildProcess.run(["cp", "-a", "/etc/.", folder.path])
        guard copy.status == .exited(0) else { throw TestFailure(copy.errors) }
        try folder.write(administrator, to: "dictation/dictation.yaml")
        return folder
    }

    private static func startDaemon(
        on bus: PrivateBus, configuration: String, descriptorLimit: Int?, _ environment: [String: String],
        as user: TestUser?, settings: TemporaryDirectory?, hasOrdinaryRights: Bool
    ) async throws -> ChildProcess {
        let mount = settings.map { folder in
            ["unshare", "--mount", "sh", "-c", "mount --bind \"$0\" /etc && exec \"$@\"", folder.path]
        }
        let command =
            (mount ?? []) + [
                executable("dictationd"), "--bus", bus.address, "--verbose", "--config", configuration,
            ]
        let limits =
            (user == nil ? [] : ["--rtprio=0"]) + (descriptorLimit.map { ["--nofile=\($0):\($0)"] } ?? [])
        let limited =
            (limits.isEmpty ? [] : ["prlimit"] + limits + ["--"]) + (user?.command(command) ?? command)
        let daemon = try ChildProcess(
            hasOrdinaryRights ? OrdinaryRights.command(limited) : limited, environment: environment)
        _ = try await daemon.line(of: .errors) { $0.contains("listening on the bus") }
        // Its worker, which writes to the same log.
        _ = try await daemon.line(of: .errors) { $0.hasSuffix("] working") }
        return daemon
    }

    public var daemon: ChildProcess { running.withLock { $0 } }

    /// Ends the daemon and starts another one.
    public func restart() async throws {
        try await end()
        try await replaceDaemon()
    }

    /// Starts another daemon after one has ended.
    public func replaceDaemon() async throws {
        let daemon = try await Self.startDaemon(
            on: bus, configuration: configuration, descriptorLimit: descriptorLimit,
            environment.merging(daemonEnvironment) { $1 }, as: user, settings: settings,
            hasOrdinaryRights: hasOrdinaryRights)
        running.withLock { $0 = daemon }
    }

    /// The environment for programs of this machine.
    public var environment: [String: String] {
        audio.environment.merging(bus.environment) { $1 }.merging(["HOME": home.path]) { $1 }
    }

    // MARK: Other programs

    /// Calls a method with gdbus and returns its output.
    public func gdbus(_ method: String, _ arguments: [String] = []) async throws -> String {
        try await output(
            of: [
                "gdbus", "call", "--address", bus.address, "--dest", "\(DictationInterface.busName)",
                "--object-path", "\(DictationInterface.path)", "--method",
                "\(DictationInterface.name).\(method)",
            ] + arguments)
    }

    /// Calls a method with busctl and returns its output.
    public func busctl(_ method: String, _ arguments: [String] = []) async throws -> String {
        try await output(
            of: [
                "busctl", "--address=\(bus.address)", "call", "\(DictationInterface.busName)",
                "\(DictationInterface.path)", "\(DictationInterface.name)", method,
            ] + arguments)
    }

    public func output(of command: [String]) async throws -> String {
        let result = try await ChildProcess.run(user?.command(command) ?? command, environment: environment)
        guard result.status == .exited(0) else {
            throw TestFailure("\(command.joined(separator: " ")): \(result.errors)")
        }
        return result.output.trimmingCharacters(in: .newlines)
    }

    /// Sets the permission of the test's own program with `dictation-cli`: "grant", "deny" or "forget".
    public func setPermission(_ verb: String) async throws {
        _ = try await output(of: [
            executable("dictation-cli"), "permissions", verb, try executableOfThisProcess(), "--address",
            bus.address,
        ])
    }

    public func start(_ command: [String]) throws -> ChildProcess {
        try ChildProcess(command, environment: environment)
    }

    // MARK: Microphones

    /// Plugs in a microphone. If it is the only one, it is the default. Returns when a session can use it.
    @discardableResult
    public func plugIn(
        _ name: String = "microphone", pace: DriverMicrophone.Pace = .brisk,
        _ properties: [String: String] = [:]
    ) async throws -> DriverMicrophone {
        let microphone = try DriverMicrophone(name, of: audio, pace: pace, properties)
        microphones.withLock { $0.append(microphone) }
        try await hasRoute(name)
        return microphone
    }

    /// Waits until the service lists this microphone, and a default.
    private func hasRoute(_ name: String) async throws {
        if user != nil {
            return try await eventually("\(name) is a route, and there is a default") {
                let routes = try await gdbus("ListRoutes")
                return routes.contains("'\(name)'") && routes.contains("'default': <true>")
            }
        }
        let connection = try await Connection(to: .custom(bus.address))
        let dictation = DictationProxy(connection: connection, destination: DictationInterface.busName)
        let result: Result<Void, any Error>
        do {
            try await eventually("\(name) is a route, and there is a default") {
                let routes = try await dictation.listRoutes()
                return routes.contains { $0["name"] == .string(name) }
                    && routes.contains { $0["default"] == .bool(true) }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await connection.close()
        try result.get()
    }

    // MARK: The daemon from outside

    /// The process that dictates: a child of the daemon.
    public func workerPid() throws -> Int32 { try Self.workerPid(ofDaemon: daemon.pid) }

    public static func workerPid(ofDaemon daemon: Int32) throws -> Int32 {
        let tasks = "/proc/\(daemon)/task"
        for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
            let children = (try? String(contentsOfFile: "\(tasks)/\(task)/children", encoding: .utf8)) ?? ""
            for child in children.split(separator: " ").compactMap({ Int32($0) }) {
                let name = try? String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8)
                if name?.hasPrefix("dictation-worke") == true { return child }
            }
        }
        throw TestFailure("The daemon has no worker.")
    }

    /// Kills the worker and waits for its end.
    public func killWorker() async throws { try await endWorker(by: SIGKILL) }

    /// Sends the worker a signal and waits for its end.
    public func endWorker(by signal: Int32) async throws {
        let worker = try workerPid()
        kill(worker, signal)
        try await eventually("the worker has ended") { (try? workerPid()) != worker }
    }

    /// The processes of the service.
    public func processes() throws -> [Int32] { [daemon.pid, try workerPid()] }

    /// The resources of the daemon and its worker together.
    public func usage() throws -> Usage { try processes().map { try Usage(of: $0) }.reduce(.none, +) }

    /// Whether the daemon has a capture stream in the audio server's graph.
    public func isCapturing() async throws -> Bool {
        try await !audio.graph().nodes(named: "dictation.capture").isEmpty
    }

    /// Ends the daemon. Throws if its exit status is not 0 or its log contains dictated text.
    public func end() async throws {
        daemon.terminate()
        let status = try await daemon.exitStatus()
        guard status == .exited(0) else {
            throw TestFailure("The daemon's exit status is \(status):\n\(daemon.text(of: .errors))")
        }
        try checkLog()
    }

    /// Throws if the daemon's log contains dictated text.
    public func checkLog() throws {
        try LogCheck.check(daemon.text(of: .errors) + daemon.text(of: .output), of: "the daemon")
    }
}

/// A program of this package, in the folder of the tests.
public func executable(_ name: String) -> String {
    let bundle = Bundle.allBundles.map(\.bundlePath).first { $0.hasSuffix(".xctest") }
    let test = bundle ?? CommandLine.arguments[0]
    let folder = URL(filePath: test).resolvingSymlinksInPath().deletingLastPathComponent()
    return folder.appending(path: name).path
}

/// The path of this process's program, as the kernel reports it.
public func executableOfThisProcess() throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
}

/// Configuration for the scripted engine, which recognises tones exactly and at once.
public let tones = "engine: scripted\n"
