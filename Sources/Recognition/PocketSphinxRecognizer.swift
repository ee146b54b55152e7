import CPocketSphinx
import DictationCore

/// Decodes a segment while it is heard, with a cepstral mean that follows the segment's own: it begins with
/// what is known of the microphone and moves to what is heard. Where that turns out to be another voice or
/// microphone, what was decoded so far is decoded anew from its cepstra.
final class PocketSphinxRecognizer: Recognizer {
    /// Frames that what is known of the microphone counts as, against the segment's own.
    private static let worthOfMemory: Float = 100
    /// The model's own mean is a guess: any microphone is far from it.
    private static let worthOfModel: Float = 1
    /// Frames after which the mean is looked at: too few say little, too many cost as much again.
    private static let checks = [60, 150]
    private static let strange: Float = 2

    private let decoder: SphinxDecoder
    private let frontEnd: FrontEnd
    private let memory: CepstralMemory
    private let feed = CepstraFeed()

    private var acoustics = AcousticKey()
    /// The mean to begin with, and how many frames it counts as.
    private var prior: CepstralMean
    private var worth: Float = 0
    private var heard = CepstralStatistics()
    private var isStrange = false
    private var nextCheck = 0
    /// The segment's cepstra, without the mean taken off.
    private var cepstra: [Float] = []
    private var fedFrames = 0
    private var isOpen = false

    init(_ decoder: SphinxDecoder, _ memory: CepstralMemory) throws(RecognitionError) {
        self.decoder = decoder
        self.memory = memory
        frontEnd = try FrontEnd(for: decoder.pointer)
        prior = decoder.modelMean
    }

    func adapt(to acoustics: AcousticKey) {
        self.acoustics = acoustics
    }

    func beginSegment() throws(RecognitionError) {
        abandonSegment()
        let known = memory.mean(for: acoustics)
        prior = known ?? decoder.modelMean
        worth = known == nil ? Self.worthOfModel : Self.worthOfMemory
        heard = CepstralStatistics()
        isStrange = false
        nextCheck = 0
        cepstra.removeAll(keepingCapacity: true)
        fedFrames = 0
        frontEnd.begin()
        try beginUtterance()
    }

    func append(_ samples: ArraySlice<Int16>) throws(RecognitionError) {
        let before = cepstra.count
        frontEnd.process(samples, into: &cepstra)
        heard.hear(cepstra[before...])
        try decodeAgainIfStrange()
        try decodeRest()
    }

    func hypothesis() -> String {
        SphinxResult.heldBack(decoder.pointer)
    }

    func finishSegment() throws(RecognitionError) -> Segment {
        let before = cepstra.count
        frontEnd.end(into: &cepstra)
        heard.hear(cepstra[before...])
        try decodeRest()
        isOpen = false
        guard ps_end_utt(decoder.pointer) >= 0 else { throw failure("ending a segment") }
        memory.learn(heard, of: acoustics, startsOver: isStrange)
        return SphinxResult.segment(decoder.pointer)
    }

    func abandonSegment() {
        if isOpen { ps_end_utt(decoder.pointer) }
        isOpen = false
    }

    private func decodeAgainIfStrange() throws(RecognitionError) {
        guard nextCheck < Self.checks.count, heard.frames >= Self.checks[nextCheck] else { return }
        nextCheck += 1
        guard heard.strangeness(to: prior) > Self.strange, let own = heard.mean else { return }
        isStrange = true
        prior = own
        worth = 0
        abandonSegment()
        try beginUtterance()
        fedFrames = 0
    }

    private func beginUtterance() throws(RecognitionError) {
        dictation_sphinx_forget_error()
        guard ps_start_utt(decoder.pointer) >= 0 else { throw failure("beginning a segment") }
        isOpen = true
    }

    private func decodeRest() throws(RecognitionError) {
        let frames = cepstra.count / CepstralMean.size
        guard fedFrames < frames else { return }
        let mean = heard.mean(with: prior, worth: worth)
        while fedFrames < frames {
            let fed = feed.give(cepstra, from: fedFrames, less: mean, to: decoder.pointer)
            guard fed > 0 else { throw failure("decoding") }
            fedFrames += fed
        }
    }

    private func failure(_ doing: String) -> RecognitionError {
        RecognitionError(.engineFailed, "PocketSphinx failed at \(doing)\(SphinxDecoder.reason()).")
    }
}

/// Cepstra in the shape that `ps_process_cep` wants.
private final class CepstraFeed {
    /// Frames at a time. The decoder's queue has room for its look-ahead (`-pl_window`, 5) and one more; given
    /// more at once it loses those it has to score, and says so in its log alone.
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

    /// - Returns: the number of frames taken, 0 at a failure.
    func give(_ cepstra: [Float], from frame: Int, less mean: CepstralMean, to decoder: OpaquePointer) -> Int
    {
        let frames = min(cepstra.count / CepstralMean.size - frame, Self.capacity)
        let start = frame * CepstralMean.size
        for index in 0..<(frames * CepstralMean.size) {
            values[index] = cepstra[start + index] - mean.values[index % CepstralMean.size]
        }
        return ps_process_cep(decoder, rows.baseAddress, Int32(frames), 0, 0) >= 0 ? frames : 0
    }
}
