import Desktop
import DictationCore
import EventLoop
import Prompts

/// The desktop session of a user who is present and has no players and nobody to ask.
@EventLoopActor
final class BareDesktop: DesktopSession {
    private let connect: @Sendable () async throws -> Descriptor

    /// - Parameter connect: connects to the audio server.
    init(connect: @escaping @Sendable () async throws -> Descriptor) {
        self.connect = connect
    }

    func begin(_ report: @escaping @EventLoopActor (DesktopEvent) -> Void) { report(.seat(.present)) }
    func end() async {}
    nonisolated func openPipeWireRemote() async throws -> Descriptor { try await connect() }
    func prioritize(thread: Int32) {}
    func userActed() {}
    func delaySleep(_ delays: Bool) {}
    func follow(_ activity: DictationActivity) {}
    nonisolated func ask(_ prompt: Prompt) async throws(DesktopError) -> Decision? { nil }
}
