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

    fileprivate init(configuration: String, audio: PrivatePipeWire) async throws {
        bus = try await PrivateBus()
        self.audio = audio
        home = try TemporaryDirectory()
        try home.write(configuration, to: "dictation.yaml")
        daemon = try ChildProcess(
            [
                executable("dictationd"), "--bus", bus.address, "--verbose",
                "--config", home.path(of: "dictation.yaml"),
            ],
            environment: environment)
        _ = try await daemon.line(of: .errors) { $0.contains("listening on the bus") }
    }

    /// For programs of this machine.
    var environment: [String: String] {
        [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": home.path,
            "XDG_RUNTIME_DIR": audio.runtimeDirectory,
            "DBUS_SESSION_BUS_ADDRESS": bus.address,
        ]
    }

    // MARK: Other people's programs

    /// Calls a method with gdbus; its answer as gdbus prints it.
    func gdbus(_ method: String, arguments: [String] = []) async throws -> String {
        let result = try await ChildProcess.run(
            [
                "gdbus", "call", "--address", bus.address, "--dest", DictationInterface.name.rawValue,
                "--object-path", DictationInterface.path.rawValue,
                "--method", "\(DictationInterface.name).\(method)",
            ] + arguments, environment: environment)
        guard result.status == .exited(0) else { throw TestFailure("gdbus \(method): \(result.errors)") }
        return result.output.trimmingCharacters(in: .newlines)
    }

    /// Calls a method with busctl; its answer as busctl prints it.
    func busctl(_ method: String, arguments: [String] = []) async throws -> String {
        let result = try await ChildProcess.run(
            [
                "busctl", "--address=\(bus.address)", "call", DictationInterface.name.rawValue,
                DictationInterface.path.rawValue, DictationInterface.name.rawValue, method,
            ] + arguments, environment: environment)
        guard result.status == .exited(0) else { throw TestFailure("busctl \(method): \(result.errors)") }
        return result.output.trimmingCharacters(in: .newlines)
    }

    func cli(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            [executable("dictation-cli"), "--address", bus.address] + arguments, environment: environment)
    }

    // MARK: The daemon from outside

    /// Open descriptors, threads and resident memory, from /proc.
    func usage() throws -> (descriptors: Int, threads: Int, kibibytes: Int) {
        let folder = "/proc/\(daemon.pid)"
        let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
        func field(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { Int($0.split(whereSeparator: { !$0.isNumber }).first ?? "") } ?? 0
        }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd").count
        return (descriptors, field("Threads"), field("VmRSS"))
    }

    /// Whether the daemon has a capture stream in the graph.
    func captureNodeExists() async throws -> Bool {
        try await audio.nodeExists(named: "dictation.capture")
    }

    fileprivate func end() async throws {
        daemon.terminate()
        let status = try await daemon.exitStatus()
        #expect(status == .exited(0), "the daemon ended badly:\n\(daemon.text(of: .errors))")
    }
}

/// Runs a test on a machine of its own, and asserts that the daemon then ends as it should.
func withRig(
    configuration: String = "", dyingDaemon: Bool = false, _ body: (Rig) async throws -> Void
) async throws {
    let rig = try await Rig(configuration: configuration, audio: PrivatePipeWire())
    do {
        try await body(rig)
    } catch {
        Issue.record("\(error)\nThe daemon's log:\n\(rig.daemon.text(of: .errors))")
    }
    if !dyingDaemon { try await rig.end() }
    try await rig.audio.stop()
}

/// Beside the test bundle, where the build puts them.
func executable(_ name: String) -> String {
    let bundle = Bundle.allBundles.map(\.bundlePath).first { $0.hasSuffix(".xctest") }
    let folder =
        bundle.map { URL(filePath: $0).deletingLastPathComponent() }
        ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    return folder.appending(path: name).path
}

let recordings = "/usr/share/pocketsphinx/test/data"
let librivox = "\(recordings)/librivox/sense_and_sensibility_01_austen_64kb"

/// With this engine a test knows what will be understood, and when.
let scripted = "engine: scripted\n"
