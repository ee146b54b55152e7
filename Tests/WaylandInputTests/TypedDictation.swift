import DictationTestKit
import EventLoop
import Typing
import TypingRig
import TypingRoutes
import WaylandInput

/// Texts that a test sets, typed by a route into the windows of a desk.
final class TypedDictation: Sendable {
    let typing: DirectTyping

    /// - Parameter means: the routes to try, the best first.
    init(_ desk: SwayDesk, _ means: WaylandRoute.Means...) async throws {
        let means = means.isEmpty ? [.inputMethod] : means
        typing = try await DirectTyping.begin(
            means.map { WaylandRoute(environment: desk.environment, means: $0) })
    }

    func partial(_ text: String, block: UInt64 = 1) async { await typing.partial(text, block: block) }

    func final(_ text: String, block: UInt64 = 1) async { await typing.final(text, block: block) }

    /// Waits until a text is not typed, for this reason.
    func keeps(_ reason: TypingOutcome.Reason) async throws { try await typing.keeps(reason) }

    /// Ends it, and returns the texts that were not typed.
    func end() async -> [String] { await typing.end() }
}
