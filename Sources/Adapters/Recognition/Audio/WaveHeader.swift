/// The layout of samples in a stream of bytes.
struct SampleLayout: Hashable, Sendable {
    enum Encoding: Hashable, Sendable {
        case unsigned8, signed16, signed24, signed32, float32

        var bytes: Int {
            switch self {
            case .unsigned8: 1
            case .signed16: 2
            case .signed24: 3
            case .signed32, .float32: 4
            }
        }
    }

    var encoding: Encoding
    var channels: Int
    /// Frames a second.
    var rate: Int

    var bytesPerFrame: Int { encoding.bytes * channels }

    /// The layout of a stream without a header.
    static let raw = SampleLayout(encoding: .signed16, channels: 1, rate: 16000)
}

/// Reads the header of a RIFF/WAVE stream, up to the samples. See ``AudioDecoder`` for why it is not libsndfile.
struct WaveHeader {
    enum Progress: Hashable {
        case needsMore
        /// Samples begin at this offset. `dataBytes` is nil if the header does not give the length.
        case samples(at: Int, SampleLayout, dataBytes: Int?)
    }

    static func isWave(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 12 && bytes.starts(with: Array("RIFF".utf8))
            && bytes[8..<12].elementsEqual("WAVE".utf8)
    }

    /// - Parameter bytes: the stream from its beginning.
    static func read(_ bytes: [UInt8]) throws(RecognitionError) -> Progress {
        var layout: SampleLayout?
        var offset = 12
        while bytes.count >= offset + 8 {
            let name = bytes[offset..<(offset + 4)]
            let size = Int(bytes.littleEndian(at: offset + 4, bytes: 4))
            let body = offset + 8
            if name.elementsEqual("data".utf8) {
                guard let layout else {
                    throw RecognitionError(.unsupportedFormat, "The WAV file has samples before its format.")
                }
                // A program that writes to a pipe does not know the size.
                let isUnknown = size == 0 || size >= 0x7fff_f000
                return .samples(at: body, layout, dataBytes: isUnknown ? nil : size)
            }
            if name.elementsEqual("fmt ".utf8) {
                guard size >= 16, size <= 4096 else {
                    throw RecognitionError(.unsupportedFormat, "The WAV file's format is damaged.")
                }
                guard bytes.count >= body + size else { return .needsMore }
                layout = try format(bytes, at: body, size: size)
            }
            offset = body + size + size % 2
            guard offset <= 1 << 20 else {
                throw RecognitionError(.unsupportedFormat, "The WAV file holds no samples in its first MiB.")
            }
        }
        return .needsMore
    }

    private static func format(_ bytes: [UInt8], at start: Int, size: Int) throws(RecognitionError)
        -> SampleLayout
    {
        var tag = bytes.littleEndian(at: start, bytes: 2)
        let channels = Int(bytes.littleEndian(at: start + 2, bytes: 2))
        let rate = Int(bytes.littleEndian(at: start + 4, bytes: 4))
        let bits = bytes.littleEndian(at: start + 14, bytes: 2)
        // WAVE_FORMAT_EXTENSIBLE: the tag is the beginning of the sub-format's GUID.
        if tag == 0xfffe, size >= 26 { tag = bytes.littleEndian(at: start + 24, bytes: 2) }
        let encoding: SampleLayout.Encoding
        switch (tag, bits) {
        case (1, 8): encoding = .unsigned8
        case (1, 16): encoding = .signed16
        case (1, 24): encoding = .signed24
        case (1, 32): encoding = .signed32
        case (3, 32): encoding = .float32
        default:
            throw RecognitionError(
                .unsupportedFormat,
                "The WAV file's encoding (\(tag), \(bits) bits) cannot be read; convert it to PCM of 16 bits."
            )
        }
        guard (1...2).contains(channels), (8000...48000).contains(rate) else {
            throw RecognitionError(
                .unsupportedFormat,
                "The WAV file has \(channels) channels at \(rate) Hz; it must have 1 or 2 at 8000 to 48000 Hz."
            )
        }
        return SampleLayout(encoding: encoding, channels: channels, rate: rate)
    }
}

extension [UInt8] {
    func littleEndian(at offset: Int, bytes: Int) -> UInt32 {
        (0..<bytes).reduce(0) { $0 | UInt32(self[offset + $1]) << (8 * UInt32($1)) }
    }
}
