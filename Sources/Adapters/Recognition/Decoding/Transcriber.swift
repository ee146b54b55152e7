public import DictationCore
import Synchronization

/// The recogniser of one session: audio and marks go in without waiting, events come out, texts in the order of the
/// audio. Speech is found where the audio comes in; decoding happens on a decoder's own thread.
///
/// After ``RecognitionEvent/engineLost(_:message:)`` nothing more is told; another transcriber takes over.
public final class Transcriber: Transcribing {
    /// Nil where none could be begun.
    private let transcription: Transcription?

    /// Of all that ever were.
    private static let count = Atomic<UInt64>(0)

    /// A decoder is found or loaded, while audio is kept already.
    init(
        _ request: TranscriptionRequest, from block: BlockNumber, keptAudio: Duration,
        on decoders: DecoderSource, finalEngine: FinalEngine? = nil,
        events: @escaping @Sendable (RecognitionEvent) -> Void
    ) {
        let transcription = Transcription(
            request, block: block, bound: Int(keptAudio / .milliseconds(1)) * 16,
            // Until it is told whom it hears.
            acoustics: .once(Self.count.add(1, ordering: .relaxed).newValue), decoders: decoders,
            finalEngine: finalEngine, sink: events
        )
        self.transcription = transcription
        transcription.leaseWhereNeeded()
    }

    /// One that takes nothing, and has told why.
    init(lost error: RecognitionError, events: (RecognitionEvent) -> Void) {
        transcription = nil
        events(.engineLost(error.loss, message: error.message))
    }

    deinit { close() }

    /// Frames of speech that wait to be decoded.
    public var framesWaiting: Int { transcription?.waitingFrames ?? 0 }

    /// Frames ever given.
    public var framesIn: Int { transcription?.framesIn ?? 0 }

    @discardableResult public func append(_ samples: [Int16]) -> Bool {
        transcription?.append(samples) ?? false
    }

    public func cut() { transcription?.cut() }

    public func acousticsChanged(to key: AcousticKey) { transcription?.acousticsChanged(to: key) }

    public func endBlock(_ block: BlockNumber) { transcription?.endBlock(block) }

    public func discardBlock(_ block: BlockNumber) { transcription?.discardBlock(block) }

    public func waitForRoom() { transcription?.waitForRoom() }

    public func close() { transcription?.close() }
}
