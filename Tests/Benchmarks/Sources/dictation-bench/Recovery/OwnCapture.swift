import DictationCore
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Microphone

/// A capture with the daemon's code, whose samples can be inspected.
final class OwnCapture: Sendable {
    let chunks: Timeline<CountReader.Chunk>
    private let capture: Capture
    private let server: AudioServer

    init(_ name: String, of server: AudioServer, from target: NodeName?) async {
        let chunks = Timeline<CountReader.Chunk>(on: EventLoopActor.loop)
        let reader = Lock(CountReader())
        let request = CaptureRequest(target: target, name: name, description: "Benchmark")
        capture = await server.open(
            request, samples: { samples in chunks.note(reader.withLock { $0.read(samples) }) },
            events: { _ in })
        self.chunks = chunks
        self.server = server
    }

    func close() async { await server.close(capture, .discard) }
}
