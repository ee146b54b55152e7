import DictationInterface
import DictationTestKit
import Foundation
import Glibc
import ScriptedService

/// A service whose texts the test sets, and the program that types them.
final class TypedDictation: Sendable {
    let bus: PrivateBus
    let service: ScriptedService
    let program: ChildProcess
    private let environment: [String: String]

    convenience init(_ desk: SwayDesk, _ options: String...) async throws {
        try await self.init(desk, command: ["type"] + options)
    }

    /// - Parameter command: of `dictation-cli`, which starts a session.
    init(_ desk: SwayDesk, command: [String]) async throws {
        bus = try await PrivateBus()
        service = try await ScriptedService(at: bus.address)
        await service.offer([])
        environment = desk.environment.merging(bus.environment) { $1 }
        program = try ChildProcess([try Self.program("dictation-cli")] + command, environment: environment)
        let (service, program) = (service, program)
        try await eventually("it dictates") {
            guard program.isRunning else { throw TestFailure(program.text(of: .errors)) }
            return await service.session != nil
        }
    }

    private var session: UInt64 {
        get async throws {
            guard let session = await service.session else { throw TestFailure("nobody dictates") }
            return session.id
        }
    }

    func partial(_ text: String, block: UInt64 = 1) async throws {
        try await service.emit(
            .partial(
                session: session, block: block, offset: 0, stable: "", volatile: text, details: [:]))
    }

    func final(_ text: String, block: UInt64 = 1) async throws {
        try await service.emit(.final(session: session, block: block, text: text, details: [:]))
    }

    func end() async throws -> ChildProcess.ExitStatus {
        program.send(SIGINT)
        return try await program.exitStatus()
    }

    /// Runs another command of `dictation-cli` in the same desktop session.
    func run(_ command: String...) async throws -> (
        status: ChildProcess.ExitStatus, output: String, errors: String
    ) {
        try await ChildProcess.run([try Self.program("dictation-cli")] + command, environment: environment)
    }

    func output(of command: String...) async throws -> String {
        try await ChildProcess.run(command, environment: environment).output
    }

    /// Starts another program in the same desktop session.
    func start(_ command: String...) throws -> ChildProcess {
        try ChildProcess(command, environment: environment)
    }

    /// The path of a built program.
    static func program(_ name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: tests).deletingLastPathComponent().appending(path: name).path
    }
}
