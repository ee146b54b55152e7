import DBus
import DictationBus
import DictationInterface
import EventLoop
import Foundation
import Logging

/// The program that types dictated text into the windows of this desktop session: `dictation-cli`, which has the bus name
/// `org.example.Dictation.Typing` while it runs.
@EventLoopActor
final class TypingProgram {
    private let session: Connection
    private let environment: [String: String]
    private let logger: Logger
    /// The last program that ``toggle()`` started.
    private var started: Subprocess?

    private static let busName: BusName = "org.example.Dictation.Typing"
    /// How long a program that was started may need until it can be controlled.
    private static let startTimeout = Duration.seconds(3)

    /// Nil if the session has no windows.
    init?(session: Connection, environment: [String: String], logger: Logger) {
        let displays = ["WAYLAND_DISPLAY", "DISPLAY", "IBUS_ADDRESS"]
        guard displays.contains(where: { environment[$0]?.isEmpty == false }) else { return nil }
        self.session = session
        self.environment = environment
        self.logger = logger
    }

    /// Ends dictation into the focused window, or begins it.
    /// - Returns: whether it begins.
    func toggle() async throws -> Bool {
        if try await finishNow() { return false }
        let program = try Subprocess(
            [Self.path, "toggle", "--type"], environment: environment,
            files: [0: .path("/dev/null", flags: O_RDONLY), 1: .path("/dev/null", flags: O_WRONLY)],
            isSessionLeader: true)
        started = program
        Thread.detachNewThread { [logger] in
            do {
                let status = try program.wait()
                logger.debug("dictation into windows has ended", metadata: ["status": "\(status)"])
            } catch {
                logger.error("dictation-cli", metadata: ["why": "\(error)"])
            }
        }
        return true
    }

    /// Ends dictation that ``toggle()`` began. What was said until now is typed.
    func finish() async throws {
        let end = ContinuousClock.now + Self.startTimeout
        while try await !finishNow() {
            guard let started, !started.hasEnded else { return }
            // It must not listen when the key is up.
            guard ContinuousClock.now < end else { return started.send(SIGTERM) }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// - Returns: false if nobody dictates. A program whose dictation has ended keeps the name for a while.
    private func finishNow() async throws -> Bool {
        guard try await session.owner(of: Self.busName) != nil else { return false }
        do {
            try await control.finish()
            return true
        } catch let error as DBusError where error.name == DictationInterface.errorName(.notRunning) {
            return false
        }
    }

    private var control: DictationTypingControlProxy {
        DictationTypingControlProxy(connection: session, destination: Self.busName)
    }

    /// In the folder of this program, where a build has it; else in `PATH`.
    private static var path: String {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let sibling = own.map {
            URL(filePath: $0).deletingLastPathComponent().appending(path: "dictation-cli").path
        }
        return sibling.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
            ?? "dictation-cli"
    }
}
