import DictationCore
import Microphone
import Recognition

/// The way of a session's sound: from the microphone or a file, past the meter, to the recogniser.
final class SessionSound {
    var transcriber: (any Transcribing)? {
        didSet { if let transcriber { input?.feed(transcriber) } }
    }
    private let input: AudioInput?
    private var meter = LevelMeter()

    init(input: AudioInput? = nil) {
        self.input = input
    }

    func measure(_ samples: [Int16], tell: (_ rms: Double, _ peak: Double) -> Void) {
        meter.take(samples, tell: tell)
    }

    func runInput(_ runs: Bool) {
        runs ? input?.resume() : input?.pause()
    }

    func close() {
        input?.cancel()
        transcriber?.close()
    }
}

extension TranscriberCommand {
    /// What the captures hold already was said before the command was given, and goes first.
    func apply(to sound: SessionSound?, draining captures: some Sequence<Capture>) {
        for capture in captures { capture.drain() }
        switch self {
        case .cut: sound?.transcriber?.cut()
        case .endBlock(let block): sound?.transcriber?.endBlock(block)
        case .discardBlock(let block): sound?.transcriber?.discardBlock(block)
        }
    }
}
