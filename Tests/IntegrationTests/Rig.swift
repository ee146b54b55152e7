import DBus
import DictationInterface
import DictationTestKit
import EventLoop
import Foundation
import Testing

/// A machine of its own: a bus, an audio server, a home, and the real daemon on them.
final class Rig: Sendable {
    let bus: PrivateBus
    let audio: PrivatePipeWire
    let home: TemporaryDirectory
    let daemon: ChildProcess
    /// What is plugged in stays so, whether or not the test still refers to it.
    private let microphones = Lock<[DriverMicrophone]>([])

    fileprivate init(_ configuration: String) async throws {
        bus = try await PrivateBus()
        audio = try await PrivatePipeWire()
        home = try TemporaryDirectory()
        let file = try home.write(configuration, to: "dictation.yaml")
        daemon = try ChildProcess(
            [executable("dictationd"), "--bus", bus.address, "--verbose", "--config", file],
            environment: audio.environment.merging(bus.environment) { $1 }.merging(["HOME": home.path]) { $1 }
        )
        _ = try await daemon.line(of: .errors) { $0.contains("listening on the bus") }
    }

    /// For programs of this machine.
    var environment: [String: String] {
        audio.environment.merging(bus.environment) { $1 }.merging(["HOME": home.path]) { $1 }
    }

    // MARK: Other people's programs

    /// Calls a method with gdbus; its answer as gdbus prints it.
    func gdbus(_ method: String, _ arguments: [String] = []) async throws -> String {
        try await output(
            of: [
                "gdbus", "call", "--address", bus.address, "--dest", "\(DictationInterface.busName)",
                "--object-path", "\(DictationInterface.path)", "--method",
                "\(DictationInterface.name).\(method)",
            ] + arguments)
    }

    /// Calls a method with busctl; its answer as busctl prints it.
    func busctl(_ method: String, _ arguments: [String] = []) async throws -> String {
        try await output(
            of: [
                "busctl", "--address=\(bus.address)", "call", "\(DictationInterface.busName)",
                "\(DictationInterface.path)", "\(DictationInterface.name)", method,
            ] + arguments)
    }

    func output(of command: [String]) async throws -> String {
        let result = try await ChildProcess.run(command, environment: environment)
        guard result.status == .exited(0) else {
            throw TestFailure("\(command.joined(separator: " ")): \(result.errors)")
        }
        return result.output.trimmingCharacters(in: .newlines)
    }

    func start(_ command: [String]) throws -> ChildProcess {
        try ChildProcess(command, environment: environment)
    }

    // MARK: Microphones

    /// Plugs in a microphone; where there is no other, it is the default. Returns when a session can have it.
    @discardableResult
    func plugIn(_ name: String = "microphone", pace: DriverMicrophone.Pace = .fast) async throws -> DriverMicrophone {
        let microphone = try DriverMicrophone(name, of: audio, pace: pace)
        microphones.withLock { $0.append(microphone) }
        try await eventually("\(name) is a route") { try await gdbus("ListRoutes").contains("'\(name)'") }
        try await eventually("there is a default") { try await gdbus("ListRoutes").contains("'default': <true>") }
        return microphone
    }

    // MARK: The daemon from outside

    struct Usage: Hashable {
        var descriptors: Int
        var threads: Int
        var kibibytes: Int
    }

    /// What the daemon holds, as the kernel says.
    func usage() throws -> Usage {
        let folder = "/proc/\(daemon.pid)"
        let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8).split(separator: "\n")
        func field(_ name: String) throws -> Int {
            let line = try #require(status.first { $0.hasPrefix("\(name):") })
            return try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
        }
        return Usage(
            descriptors: try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd").count,
            threads: try field("Threads"), kibibytes: try field("VmRSS"))
    }

    /// Whether the daemon has a capture stream in the audio server's graph.
    func isCapturing() async throws -> Bool {
        try await !audio.graph().nodes(named: "dictation.capture").isEmpty
    }

    fileprivate func end() async throws {
        daemon.terminate()
        let status = try await daemon.exitStatus()
        #expect(status == .exited(0), "The daemon ended badly:\n\(daemon.text(of: .errors))")
    }
}

/// Runs a test on a machine of its own, and asserts that the daemon then ends as it should.
/// - Parameter endsByItself: the test is about the daemon's end.
func withRig(
    _ configuration: String = "", endsByItself: Bool = false, _ body: (Rig) async throws -> Void
) async throws {
    let rig = try await Rig(configuration)
    do {
        try await body(rig)
    } catch {
        Issue.record("\(error)\nThe daemon's log:\n\(rig.daemon.text(of: .errors))")
    }
    if !endsByItself { try await rig.end() }
    try await rig.audio.kill()
}

/// A program of this package, beside the tests where the build puts them.
func executable(_ name: String) -> String {
    let bundle = Bundle.allBundles.map(\.bundlePath).first { $0.hasSuffix(".xctest") }
    let test = bundle ?? CommandLine.arguments[0]
    return URL(filePath: test).deletingLastPathComponent().appending(path: name).path
}

/// Configuration for the engine that understands tones, exactly and at once.
let tones = "engine: scripted\n"
