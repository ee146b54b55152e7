import DictationTestKit
import Testing

/// One desktop for a whole suite, because a shell takes seconds to start.
struct SharedDesk: SuiteTrait, TestScoping {
    @TaskLocal static var current: ShellDesk?

    /// In the format of the configuration.
    var engine = "scripted"
    var hasX11 = false

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let desk = try await ShellDesk(
            settings: "commit-after=uint32 0", engine: engine, hasX11: hasX11)
        do {
            try await Self.$current.withValue(desk, operation: function)
        } catch {
            try await desk.end()
            throw error
        }
        try await desk.end()
    }
}

extension Trait where Self == SharedDesk {
    static var sharedDesk: Self { Self() }
    static func sharedDesk(engine: String) -> Self { Self(engine: engine) }
    /// With X11 windows.
    static var sharedX11Desk: Self { Self(hasX11: true) }
}

/// Runs a test on the shared desktop and shows the logs if it fails. Before and afterwards neither the overview nor a modal
/// dialog is shown. Afterwards no session is left.
func withDesk(_ body: (ShellDesk) async throws -> Void) async throws {
    let desk = try #require(SharedDesk.current)
    if let obstacle = try await desk.obstacle() { throw TestFailure("No window can get keys: \(obstacle)") }
    do {
        try await body(desk)
        try await eventually("the test leaves no dialog and no overview", equals: nil) {
            try await desk.obstacle()
        }
    } catch {
        Issue.record(
            """
            \(error)
            Overview, modal dialogs, key focus, focused window: \(await desk.focusState())
            The shell's log:
            \(desk.shell.text(of: .errors).suffix(3000))
            The daemon's log:
            \(end(of: desk.daemon.text(of: .errors)))
            """)
        // So that the next tests do not fail too.
        try await desk.clear()
    }
    // Exceptions in the extension contain its file names.
    #expect(!desk.shell.text(of: .errors).contains("extensions/\(ShellDesk.uuid)"))
    if try await desk.dictation("isWanted") == "true" { try await desk.stopDictating() }
}

/// The last lines of a log; after a crash, those before the backtrace and the crashed thread's.
private func end(of log: String) -> String {
    guard let crash = log.firstRange(of: "*** Signal") else { return String(log.suffix(3000)) }
    return String(log[..<crash.lowerBound].suffix(1500) + log[crash.lowerBound...].prefix(3000))
}
