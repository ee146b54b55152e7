import CPocketSphinx
import DictationCore

/// Decodes a segment while it is heard, with a cepstral mean that is estimated from the segment itself: as
/// soon as the segment shows that its mean is not the one used, it is decoded anew from its cepstra.
final class PocketSphinxRecognizer: Recognizer {
    private let decoder: SphinxDecoder
    private let frontEnd: FrontEnd
    private let memory: CepstralMemory
    private let feed = CepstraFeed()

    private var acoustics = AcousticKey()
    private var mean: CepstralMean
    private var estimate = CepstralEstimate()
    /// The segment's cepstra, without the mean taken off.
    private var cepstra: [Float] = []
    private var fedFrames = 0
    private var isOpen = false

    init(_ decoder: SphinxDecoder, _ memory: CepstralMemory) throws(RecognitionError) {
        self.decoder = decoder
        self.memory = memory
        frontEnd = try FrontEnd(for: decoder.pointer)
        mean = decoder.modelMean
    }

    func adapt(to acoustics: AcousticKey) {
        self.acoustics = acoustics
    }

    func beginSegment() throws(RecognitionError) {
        abandonSegment()
        mean = memory.mean(for: acoustics) ?? decoder.modelMean
        estimate = CepstralEstimate()
        cepstra.removeAll(keepingCapacity: true)
        fedFrames = 0
        frontEnd.begin()
        try beginUtterance()
    }

    func append(_ samples: ArraySlice<Int16>) throws(RecognitionError) {
        let heard = cepstra.count
        frontEnd.process(samples, into: &cepstra)
        estimate.hear(cepstra[heard...])
        try decodeRest()
    }

    func hypothesis() -> String {
        SphinxResult.heldBack(decoder.pointer)
    }

    func finishSegment() throws(RecognitionError) -> Segment {
        let heard = cepstra.count
        frontEnd.end(into: &cepstra)
        estimate.hear(cepstra[heard...])
        try decodeAgainIfMeanIsOff(by: Self.tolerance)
        try decodeRest()
        isOpen = false
        guard ps_end_utt(decoder.pointer) >= 0 else { throw failure("ending a segment") }
        if let mean = estimate.mean { memory.remember(mean, for: acoustics) }
        return SphinxResult.segment(decoder.pointer)
    }

    func abandonSegment() {
        if isOpen { ps_end_utt(decoder.pointer) }
        isOpen = false
    }

    /// How far the mean in use may be from the segment's own, in cepstral distance, before it is decoded anew.
    private static let tolerance: Float = 4

    private func decodeAgainIfMeanIsOff(by tolerance: Float) throws(RecognitionError) {
        guard let own = estimate.mean, own.distance(to: mean) > tolerance else { return }
        mean = own
        guard fedFrames > 0 else { return }
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

/// The mean of the segment's frames so far. Frames without energy are not counted, as in SphinxBase's own
/// estimate (`cmn.c`).
struct CepstralEstimate {
    private var sums = [Float](repeating: 0, count: CepstralMean.size)
    private(set) var frames = 0

    var mean: CepstralMean? {
        frames == 0 ? nil : CepstralMean(values: sums.map { $0 / Float(frames) })
    }

    mutating func hear(_ cepstra: ArraySlice<Float>) {
        var start = cepstra.startIndex
        while start < cepstra.endIndex {
            if cepstra[start] >= 0 {
                frames += 1
                for index in 0..<CepstralMean.size { sums[index] += cepstra[start + index] }
            }
            start += CepstralMean.size
        }
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
