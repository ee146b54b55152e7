public import DictationTestKit
import Foundation

/// The engine of packaging/engine in its own process, which shows text while somebody speaks.
public final class EngineProcess: Sendable {
    public let process: ChildProcess
    private let folder: TemporaryDirectory
    public var socket: String { folder.path(of: "engine.sock") }

    /// Installs what is missing, and starts it.
    /// - Parameters:
    ///   - model: `base`, `tiny.en`, or the folder of a model.
    ///   - folder: for its socket; nil for one of its own.
    public init(model: String, in folder: TemporaryDirectory? = nil) async throws {
        let folder = try folder ?? TemporaryDirectory()
        self.folder = folder
        let run = repository.appending(path: "packaging/engine/run").path
        let socket = folder.path(of: "engine.sock")
        // Tests have a busy machine, where a lower priority would make it late.
        process = try ChildProcess([run, socket, model], adding: ["ENGINE_NICE": "0"])
        try await eventually("the engine listens", within: .seconds(300)) {
            FileManager.default.fileExists(atPath: socket)
        }
    }

    /// Its memory in use, in MiB.
    public func memory() throws -> Double { try memory("VmRSS:") }

    /// The most memory so far, in MiB.
    public func peakMemory() throws -> Double { try memory("VmHWM:") }

    private func memory(_ name: String) throws -> Double {
        let status = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        guard let kibibytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Double($0) })
        else { throw TestFailure("The kernel has no figure for the engine's memory.") }
        return kibibytes / 1024
    }
}
