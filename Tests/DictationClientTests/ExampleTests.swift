import DictationInterface
import DictationTestKit
import Foundation
import ScriptedService
import Testing

@Suite struct ExampleTests {
    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test func theExamplePackageBuildsAndDictates() async throws {
        let program = try await build().appendingPathComponent("Example").path

        let bus = try await PrivateBus()
        let service = try await ScriptedService(at: bus.address)
        let example = try ChildProcess([program], adding: bus.environment)
        try await eventually("it listens") { await service.session != nil }
        try await service.emit(
            .partial(session: 1, block: 1, offset: 0, stable: "hello ", volatile: "word", details: [:]))
        try await service.emit(
            .interrupted(session: 1, reason: "call", details: [:]))
        try await service.emit(.final(session: 1, block: 1, text: "hello world", details: [:]))
        #expect(try await example.exitStatus() == .exited(0))
        #expect(example.text(of: .output) == "… hello word\nWaiting: call\nhello world\n")
        #expect(await service.session == nil)
        await service.vanish()

        let libraries = try await ChildProcess.run(["ldd", program]).output
        #expect(libraries.contains("libdbus-1"))
        for other in ["sqlite", "pipewire", "sphinx", "Foundation"] { #expect(!libraries.contains(other)) }
    }

    /// The example's build folder: with a separate scratch path, because the build that runs this test locks the
    /// default one; kept, so that the next build is short.
    private func build() async throws -> URL {
        let package = Self.repository.appendingPathComponent("packaging/example").path
        let scratch = Self.repository.appendingPathComponent(".build/example").path
        let arguments = ["swift", "build", "--package-path", package, "--scratch-path", scratch]
        let build = try await ChildProcess.run(arguments, within: .seconds(900))
        try #require(build.status == .exited(0), "\(build.output)\(build.errors)")
        let path = try await ChildProcess.run(arguments + ["--show-bin-path"], within: .seconds(900))
        return URL(fileURLWithPath: path.output.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
