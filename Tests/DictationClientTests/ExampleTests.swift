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

    /// Without the bus's name of the error, which the user does not know.
    @Test func theGTKExampleShowsErrorsAsTheServiceWroteThem() async throws {
        let bus = try await PrivateBus()
        let service = try await ScriptedService(at: bus.address)
        await service.refuse(.start, .limitExceeded, "There are too many sessions.")
        let example = Self.repository.appendingPathComponent("packaging/example-gtk/dictation-example").path
        let run = try await ChildProcess.run(
            ["/usr/bin/python3", "-c", Self.startOfTheGTKExample, example], adding: bus.environment)
        #expect(run.output == "There are too many sessions.\n", "\(run.errors)")
        await service.vanish()
    }

    /// The example's session, without its window, until there is a message.
    private static let startOfTheGTKExample = """
        import sys
        from gi.repository import Gio, GLib
        names = {}
        exec(open(sys.argv[1]).read().rpartition("sys.exit(")[0], names)
        loop = GLib.MainLoop()
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        dictation = names["Dictation"](bus, lambda: dictation.message and loop.quit(), print, print)
        dictation.start()
        loop.run()
        print(dictation.message)
        """

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
