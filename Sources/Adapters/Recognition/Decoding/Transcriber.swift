public import DictationCore
import Synchronization

/// The recogniser of one session. Audio and commands take effect in the order of the calls, and texts are reported in
/// the order of the audio. The caller's thread looks for speech; a decoder's thread decodes it.
///
/// ``RecognitionEvent/engineLost(_:message:)`` is the last event. The session then opens another transcriber.
public final class Transcriber: Sendable {
    /// Nil if it failed to start.
    private let transcription: Transcription?

    /// The number of transcribers so far.
    private static let count = Atomic<UInt64>(0)

    /// Keeps audio at once, while a decoder is found or loaded.
    init(
        _ request: TranscriptionRequest, from block: BlockNumber, keptAudio: Duration,
        on decoders: DecoderSource, finalEngine: FinalEngine? = nil,
        isOrdinary: @escaping @Sendable (String) -> Bool = { _ in true },
        events: @escaping @Sendable (RecognitionEvent) -> Void
    ) {
        let transcription = Transcription(
            request, block: block, bound: Int(keptAudio / .milliseconds(1)) * 16,
            // Until ``acousticsChanged(to:)``.
            acoustics: .once(Self.count.add(1, ordering: .relaxed).newValue), decoders: decoders,
            finalEngine: finalEngine, isOrdinary: isOrdinary, sink: events
        )
        self.transcription = transcription
        transcription.leaseWhereNeeded()
    }

    /// A transcriber that takes no audio and has reported the error.
    init(lost error: RecognitionError, events: (RecognitionEvent) -> Void) {
        transcription = nil
        events(.engineLost(error.loss, message: error.message))
    }

    deinit { close() }

    /// Frames of speech that are queued for decoding.
    public var framesWaiting: Int { transcription?.waitingFrames ?? 0 }

    /// All frames that were appended.
    public var framesIn: Int { transcription?.framesIn ?? 0 }

    /// Takes signed 16 bit mono at 16 kHz, belonging to the current block.
    /// - Returns: false if the recogniser failed or is closed and the samples were not taken.
    @discardableResult public func append(_ samples: [Int16]) -> Bool {
        transcription?.append(samples) ?? false
    }

    /// Takes sound of a session that is restored, up to a break, as ``append(_:)`` and ``cut()``. None of it is dropped, also
    /// if it is longer than what may wait for decoding.
    public func restore(_ samples: [Int16]) { transcription?.restore(samples) }

    /// See ``TranscriberCommand/cut``.
    public func cut() { transcription?.cut() }

    /// See ``TranscriberCommand/acoustics(_:)``.
    public func acousticsChanged(to key: AcousticKey) { transcription?.acousticsChanged(to: key) }

    /// See ``TranscriberCommand/endBlock(_:)``.
    public func endBlock(_ block: BlockNumber) { transcription?.endBlock(block) }

    /// See ``TranscriberCommand/discardBlock(_:)``.
    public func discardBlock(_ block: BlockNumber) { transcription?.discardBlock(block) }

    /// Blocks until the audio queue has room or the recogniser is closed. For the thread that reads a file; the other
    /// calls return at once.
    public func waitForRoom() { transcription?.waitForRoom() }

    /// Discards everything and frees the decoder. No event follows.
    public func close() { transcription?.close() }
}
