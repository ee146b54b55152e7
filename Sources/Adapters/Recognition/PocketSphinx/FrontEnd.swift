import CPocketSphinx

/// Converts samples to cepstra, 100 frames a second, with SphinxBase's front end and the model's settings.
final class FrontEnd {
    private let pointer: OpaquePointer
    private let buffer: UnsafeMutableBufferPointer<Float>
    private let rows: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>
    /// Maximum number of frames of one call.
    private static let capacity = 64

    init(for decoder: OpaquePointer) throws(RecognitionError) {
        guard let frontEnd = dictation_sphinx_front_end(decoder) else {
            throw RecognitionError(
                .engineUnavailable, "SphinxBase's front end cannot be created\(SphinxDecoder.reason()).")
        }
        pointer = frontEnd
        buffer = .allocate(capacity: Self.capacity * CepstralMean.size)
        buffer.initialize(repeating: 0)
        rows = .allocate(capacity: Self.capacity)
        for index in rows.indices {
            rows.initializeElement(
                at: index, to: buffer.baseAddress.map { $0 + index * CepstralMean.size })
        }
    }

    deinit {
        dictation_sphinx_front_end_free(pointer)
        buffer.deallocate()
        rows.deallocate()
    }

    func begin() {
        dictation_sphinx_front_end_begin(pointer)
    }

    /// Appends the frames that these samples complete.
    func process(_ samples: ArraySlice<Int16>, into cepstra: inout [Float]) {
        samples.withUnsafeBufferPointer { samples in
            var next = samples.baseAddress
            var left = samples.count
            while left > 0 {
                guard let rows = rows.baseAddress else { return }
                let before = left
                let frames = dictation_sphinx_front_end_process(
                    pointer, &next, &left, rows, Int32(Self.capacity))
                append(Int(frames), into: &cepstra)
                if left == before && frames == 0 { return }
            }
        }
    }

    /// Appends the last frame, padded.
    func end(into cepstra: inout [Float]) {
        guard let row = buffer.baseAddress else { return }
        append(Int(dictation_sphinx_front_end_end(pointer, row)), into: &cepstra)
    }

    private func append(_ frames: Int, into cepstra: inout [Float]) {
        cepstra.append(contentsOf: buffer[..<(frames * CepstralMean.size)])
    }
}
