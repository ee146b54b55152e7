import Foundation
import Synchronization

/// A Wyoming server in its own process, which the test controls. See Tests/Support/ScriptedEngine.
public final class ScriptedEngineServer: Sendable {
    public let process: ChildProcess
    /// The address for the configuration.
    public let address: String
    private let lastMark = Mutex(0)

    /// - Parameters:
    ///   - place: `unix:PATH`, or `tcp:0` for a free port.
    ///   - mode: how it answers.
    ///   - uid: the user it runs as; nil for this user.
    ///   - detectsSpeech: whether it says so. Then the service keeps its text of sounds without a voice, such as tones.
    ///   - namesLanguages: whether it says which languages it knows.
    public init(
        at place: String, mode: String = "answer", text: String? = nil, uid: UInt32? = nil,
        detectsSpeech: Bool = true, namesLanguages: Bool = true
    ) async throws {
        let script = repository.appending(path: "Tests/Support/ScriptedEngine/scripted-engine.py").path
        var arguments = ["/usr/bin/python3", script, place, mode] + (text.map { [$0] } ?? [])
        if !detectsSpeech { arguments.append("--no-detector") }
        if !namesLanguages { arguments.append("--no-languages") }
        if let uid { arguments = ["setpriv", "--reuid", "\(uid)", "--clear-groups"] + arguments }
        process = try ChildProcess(arguments)
        let ready = try await process.line(of: .output) { $0.hasPrefix("ready") }
        address =
            place.hasPrefix("unix:")
            ? place : "tcp://127.0.0.1:\(ready.split(separator: " ").last ?? "")"
    }

    /// Changes how it answers.
    public func become(_ mode: String, text: String? = nil) async throws {
        try process.write(mode + (text.map { " " + $0 } ?? "") + "\n")
        try await synchronise()
    }

    /// The number of lines that it has written until now and that begin with this.
    public func count(of prefix: String) async throws -> Int {
        try await synchronise()
        return process.lines(of: .output).count { $0.hasPrefix(prefix) }
    }

    /// Waits until everything that it has written is here.
    private func synchronise() async throws {
        let number = lastMark.withLock { last in
            last += 1
            return last
        }
        try process.write("mark \(number)\n")
        _ = try await process.line(of: .output) { $0 == "mark \(number)" }
    }

    public func waitFor(_ prefix: String) async throws {
        _ = try await process.line(of: .output) { $0.hasPrefix(prefix) }
    }
}
