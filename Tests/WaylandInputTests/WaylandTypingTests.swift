import DictationInterface
import DictationTestKit
import Foundation
import Glibc
import ScriptedService
import Testing

/// `dictation-cli type` in a headless sway.
@Suite(.serialized, .timeLimit(.minutes(1))) struct WaylandTypingTests {
    /// A service that says what the test tells it to, and the program that types it.
    private final class Dictation: Sendable {
        let bus: PrivateBus
        let service: ScriptedService
        let program: ChildProcess

        init(_ desk: SwayDesk, _ options: String...) async throws {
            bus = try await PrivateBus()
            service = try await ScriptedService(at: bus.address)
            await service.offer([])
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let path = URL(filePath: tests).deletingLastPathComponent().appending(path: "dictation-cli").path
            program = try ChildProcess(
                [path, "type"] + options, environment: desk.environment.merging(bus.environment) { $1 })
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
    }

    @Test func wordsAppearInTheFocusedFieldAndInNoOther() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        let dictation = try await Dictation(desk)
        _ = try await dictation.program.line(of: .errors) {
            $0 == "Typing by the compositor's input method."
        }
        try await dictation.partial("hello wor")
        try await window.preedit("hello wor")
        try await dictation.final("hello world")
        try await window.text("hello world")
        let text = (1...900).map { "w\($0)" }.joined(separator: " ")
        try await dictation.final(text, block: 2)
        try await window.text("hello world " + text)

        // Another window gets the focus in mid-sentence.
        try await dictation.partial("one two", block: 3)
        try await window.preedit(" one two")
        let other = try await desk.window("gtk3-entry", "other")
        try await dictation.partial("one two three", block: 3)
        try await dictation.final("one two three", block: 3)
        _ = try await dictation.program.line(of: .errors) { $0.hasPrefix("Not typed: another field") }
        #expect(other.lines.allSatisfy { ($0.text ?? $0.preedit ?? "").isEmpty })
        try await desk.focus("one")
        try await window.text("hello world " + text + " one two three")
        #expect(try await dictation.end() == .exited(0))
    }

    @Test func passwordFieldsStayEmpty() async throws {
        let desk = try await SwayDesk()
        let window = try await desk.window("gtk4-form", "one")
        try window.process.write("focus 2\n")
        let dictation = try await Dictation(desk)
        _ = try await dictation.program.line(of: .errors) { $0.hasPrefix("A password field") }
        try await dictation.partial("secret")
        try await dictation.final("secret words")
        _ = try await dictation.program.line(of: .errors) { $0.hasPrefix("Not typed") }
        #expect(try await dictation.end() == .exited(69))
        #expect(dictation.program.text(of: .output) == "secret words\n")
        #expect(window.lines.allSatisfy { ($0.text ?? $0.preedit ?? "").isEmpty })
    }
}
