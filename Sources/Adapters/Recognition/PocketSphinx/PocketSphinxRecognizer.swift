import CPocketSphinx
import DictationCore

/// Decodes a segment while it is spoken. The cepstral mean starts with what earlier segments from the same microphone
/// have shown and adapts to the segment.
///
/// If no mean is known, decoding restarts a few times early in the segment, each time with the mean so far. If none was
/// known, or the voice differs much from the known mean, the segment is decoded once more with its own mean after a
/// pause has ended it. So the first words are recognised as well as later ones. A commit does not wait for the second
/// decoding, and ends one in progress.
final class PocketSphinxRecognizer: Recognizer {
    /// Frames that the known mean counts as, against the segment's own; see packaging/bench-results.md.
    private static let worthOfMemory: Float = 100
    /// Squared distance from the known mean that means another voice or setting; see packaging/bench-results.md.
    private static let strange: Float = 2
    /// Squared distance from which decoding a segment again improves it.
    private static let otherVoiceDistance: Float = 6
    /// Frames. Longer segments were mostly decoded with their own mean.
    private static let longestHeardAgain = 600
    /// Frames after which decoding restarts for an unknown voice.
    private static let beginnings = [50, 100, 200]

    private let decoder: SphinxDecoder
    private let frontEnd: FrontEnd
    private let memory: CepstralMemory
    private let feed = CepstraFeed()

    private var acoustics = AcousticKey.once(0)
    /// The mean of earlier segments; nil for the first.
    private var known: CepstralMean?
    private var heard = CepstralStatistics()
    /// The segment's cepstra, before subtracting the mean.
    private var cepstra: [Float] = []
    private var fedFrames = 0
    /// How many of ``beginnings`` were used.
    private var beginningsPassed = 0
    private var isOpen = false

    init(_ decoder: SphinxDecoder, _ memory: CepstralMemory) throws(RecognitionError) {
        self.decoder = decoder
        self.memory = memory
        frontEnd = try FrontEnd(for: decoder.pointer)
    }

    func adapt(to acoustics: AcousticKey) {
        self.acoustics = acoustics
    }

    func use(_ vocabulary: [TranscriptionRequest.VocabularyEntry]) throws(RecognitionError) {
        abandonSegment()
        try decoder.use(vocabulary)
    }

    func beginSegment() throws(RecognitionError) {
        known = memory.mean(for: acoustics)
        heard = CepstralStatistics()
        cepstra.removeAll(keepingCapacity: true)
        beginningsPassed = 0
        frontEnd.begin()
        try beginUtterance()
    }

    func append(_ samples: ArraySlice<Int16>) throws(RecognitionError) {
        let before = cepstra.count
        frontEnd.process(samples, into: &cepstra)
        heard.add(cepstra[before...])
        if known == nil { try beginAnew() }
        try decode(less: mean)
    }

    private func beginAnew() throws(RecognitionError) {
        let passed = Self.beginnings.prefix { $0 <= frames }.count
        guard passed > beginningsPassed else { return }
        beginningsPassed = passed
        try beginUtterance()
    }

    func hypothesis() -> String {
        SphinxResult(decoder).heldBack()
    }

    func finishSegment(isAwaited: () -> Bool) throws(RecognitionError) -> Segment {
        let before = cepstra.count
        frontEnd.end(into: &cepstra)
        heard.add(cepstra[before...])
        try decode(less: mean)
        let distance = known.map { heard.distance(to: $0) } ?? .infinity
        memory.learn(heard, of: acoustics, startsOver: distance > Self.strange)
        let first = try endUtterance()
        guard distance > Self.otherVoiceDistance, frames <= Self.longestHeardAgain,
            let own = heard.mean, !isAwaited()
        else { return first }
        try beginUtterance()
        try decode(less: own) { !isAwaited() }
        let second = try endUtterance()
        return fedFrames < frames ? first : second
    }

    func abandonSegment() {
        if isOpen { ps_end_utt(decoder.pointer) }
        isOpen = false
    }

    /// Uses the segment's own mean from the first word on, and neither reads nor updates the known means, so that the
    /// text does not depend on what is recognised at the same time.
    func recognize(_ samples: [Int16], while isWanted: () -> Bool) throws(RecognitionError) -> Segment {
        heard = CepstralStatistics()
        cepstra.removeAll(keepingCapacity: true)
        frontEnd.begin()
        frontEnd.process(samples[...], into: &cepstra)
        frontEnd.end(into: &cepstra)
        heard.add(cepstra[...])
        try beginUtterance()
        try decode(less: heard.mean ?? decoder.modelMean, while: isWanted)
        return try endUtterance()
    }

    private func endUtterance() throws(RecognitionError) -> Segment {
        isOpen = false
        guard ps_end_utt(decoder.pointer) >= 0 else { throw failure("ending a segment") }
        return SphinxResult(decoder).segment()
    }

    private var frames: Int { cepstra.count / CepstralMean.size }

    private var mean: CepstralMean {
        // The model's own mean fits no real microphone.
        heard.mean(with: known ?? decoder.modelMean, worth: known == nil ? 1 : Self.worthOfMemory)
    }

    private func beginUtterance() throws(RecognitionError) {
        abandonSegment()
        dictation_sphinx_forget_error()
        guard ps_start_utt(decoder.pointer) >= 0 else { throw failure("beginning a segment") }
        isOpen = true
        fedFrames = 0
    }

    private func decode(
        less mean: CepstralMean, while isWanted: () -> Bool = { true }
    ) throws(RecognitionError) {
        while fedFrames < frames && isWanted() {
            let fed = feed.decode(cepstra, from: fedFrames, less: mean, to: decoder.pointer)
            guard fed > 0 else { throw failure("decoding") }
            fedFrames += fed
        }
    }

    private func failure(_ doing: String) -> RecognitionError {
        RecognitionError(.engineFailed, "PocketSphinx failed at \(doing)\(SphinxDecoder.reason()).")
    }
}

/// Cepstra in the format of `ps_process_cep`.
private final class CepstraFeed {
    /// Frames at a time. The decoder's queue has room for its look-ahead (`-pl_window`, 5) and one more; if given more
    /// at once, it drops those that it has to score and only logs it.
    private static let capacity = 4
    private let values: UnsafeMutableBufferPointer<Float>
    private let rows: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>

    init() {
        values = .allocate(capacity: Self.capacity * CepstralMean.size)
        values.initialize(repeating: 0)
        rows = .allocate(capacity: Self.capacity)
        for index in rows.indices {
            rows.initializeElement(
                at: index, to: values.baseAddress.map { $0 + index * CepstralMean.size })
        }
    }

    deinit {
        values.deallocate()
        rows.deallocate()
    }

    /// - Returns: the number of frames taken; 0 after a failure.
    func decode(_ cepstra: [Float], from frame: Int, less mean: CepstralMean, to decoder: OpaquePointer)
        -> Int
    {
        let frames = min(cepstra.count / CepstralMean.size - frame, Self.capacity)
        for row in 0..<frames {
            let start = (frame + row) * CepstralMean.size
            // As in SphinxBase, the mean is not subtracted from frames without energy: they would become quieter than
            // anything in the training data.
            let isHeard = cepstra[start] >= 0
            for index in 0..<CepstralMean.size {
                values[row * CepstralMean.size + index] =
                    cepstra[start + index] - (isHeard ? mean.values[index] : 0)
            }
        }
        return ps_process_cep(decoder, rows.baseAddress, Int32(frames), 0, 0) >= 0 ? frames : 0
    }
}
