import DictationCore
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Microphone

/// The graph as another client of the audio server sees it.
final class GraphWatch: Sendable {
    let server: AudioServer
    let facts: Timeline<AudioFacts>

    /// Returns when the graph is known.
    init(of audio: PrivatePipeWire) async throws {
        let facts = Timeline<AudioFacts>(on: EventLoopActor.loop)
        var timing = AudioServer.Timing()
        // A server that returns is noticed at once.
        timing.retry = .milliseconds(2)...(.milliseconds(2))
        server = AudioServer(
            timing: timing, connect: { try audio.connect() }, publish: { facts.note($0) },
            report: { _ in })
        self.facts = facts
        let start = Instant.now
        await server.start()
        _ = try await facts.time(of: "the graph", since: start, where: \.isServerAvailable)
    }

    func stop() async {
        await server.stop()
    }

    /// Waits until the condition holds.
    func settle(_ what: String, where holds: @escaping @Sendable (AudioFacts) -> Bool) async throws {
        let now = Instant.now
        if let last = facts.last, holds(last) { return }
        _ = try await facts.time(of: what, since: now, where: holds)
    }

    /// When the daemon's capture disappeared from the graph.
    func gone(since start: Instant) async throws -> Instant {
        try await facts.time(of: "the capture is gone", since: start) { !$0.dictationCaptures }
    }

    /// Captures with the same code as the daemon.
    func capture(_ target: NodeName? = nil, name: String) async -> OwnCapture {
        await OwnCapture(name, of: server, from: target)
    }
}

extension AudioFacts {
    /// Whether the daemon has a capture stream in the graph.
    var dictationCaptures: Bool { otherCaptures.contains { $0.application == "Dictation" } }
}
