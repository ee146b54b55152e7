/// The layout of samples in a stream of bytes.
struct SampleLayout: Hashable, Sendable {
    enum Encoding: Hashable, Sendable {
        case unsigned8, signed16, signed24, signed32, float32, float64
        /// ITU-T G.711.
        case aLaw, muLaw

        var bytes: Int {
            switch self {
            case .unsigned8, .aLaw, .muLaw: 1
            case .signed16: 2
            case .signed24: 3
            case .signed32, .float32: 4
            case .float64: 8
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

/// Reads the header of a RIFF/WAVE stream, or of the same with 64-bit sizes (RF64 and BW64: EBU Tech 3306, ITU-R BS.2088), up
/// to the samples. See ``AudioDecoder`` for why it is not libsndfile.
struct WaveHeader {
    enum Progress: Hashable {
        case needsMore
        /// Samples begin at this offset. `dataBytes` is nil if the header does not give the length.
        case samples(at: Int, SampleLayout, dataBytes: Int?)
    }

    private static let kinds = ["RIFF", "RF64", "BW64"]
    static let rates = 4000...192_000
    static let channels = 1...1024
    /// The size of samples that is in the chunk "ds64".
    private static let sizeElsewhere = 0xffff_ffff

    static func isWave(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 12 && bytes[8..<12].elementsEqual("WAVE".utf8)
            && kinds.contains { bytes.starts(with: $0.utf8) }
    }

    /// - Parameter bytes: the stream from its beginning.
    static func read(_ bytes: [UInt8]) throws(RecognitionError) -> Progress {
        var layout: SampleLayout?
        var longSize: Int?
        var offset = 12
        while bytes.count >= offset + 8 {
            let name = bytes[offset..<(offset + 4)]
            let size = Int(bytes.littleEndian(at: offset + 4, bytes: 4))
            let body = offset + 8
            if name.elementsEqual("data".utf8) {
                guard let layout else {
                    throw RecognitionError(.unsupportedFormat, "The WAV file has samples before its format.")
                }
                if size == sizeElsewhere, let longSize {
                    return .samples(at: body, layout, dataBytes: longSize)
                }
                // A program that writes to a pipe does not know the size.
                let isUnknown = size == 0 || size >= 0x7fff_f000
                return .samples(at: body, layout, dataBytes: isUnknown ? nil : size)
            }
            if name.elementsEqual("ds64".utf8), size >= 16 {
                guard bytes.count >= body + 16 else { return .needsMore }
                longSize = longDataSize(bytes, at: body + 8)
            }
            if name.elementsEqual("fmt ".utf8) {
                guard size >= 16, size <= 4096 else {
                    throw RecognitionError(.unsupportedFormat, "The WAV file's format is damaged.")
                }
                guard bytes.count >= body + size else { return .needsMore }
                layout = try format(bytes, at: body, size: size)
            }
            offset = body + size + size % 2
            // Broadcasters put megabytes of metadata before the samples.
            guard offset <= 4 << 20 else {
                throw RecognitionError(
                    .unsupportedFormat, "The WAV file holds no samples in its first 4 MiB.")
            }
        }
        return .needsMore
    }

    /// Nil if it is 0 or not a size, as in a file whose writer was killed.
    private static func longDataSize(_ bytes: [UInt8], at offset: Int) -> Int? {
        let size =
            UInt64(bytes.littleEndian(at: offset, bytes: 4))
            | UInt64(bytes.littleEndian(at: offset + 4, bytes: 4)) << 32
        return size > 0 ? Int(exactly: size) : nil
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
        case (3, 64): encoding = .float64
        case (6, 8): encoding = .aLaw
        case (7, 8): encoding = .muLaw
        default:
            throw RecognitionError(
                .unsupportedFormat,
                "The WAV file's encoding (\(tag), \(bits) bits) cannot be read; convert it to PCM of 16 bits."
            )
        }
        guard Self.channels.contains(channels), rates.contains(rate) else {
            throw RecognitionError(
                .unsupportedFormat,
                """
                The WAV file has \(channels) channels at \(rate) Hz; it must have \(Self.channels.lowerBound) to \
                \(Self.channels.upperBound) at \(rates.lowerBound) to \(rates.upperBound) Hz.
                """)
        }
        return SampleLayout(encoding: encoding, channels: channels, rate: rate)
    }
}

extension [UInt8] {
    func littleEndian(at offset: Int, bytes: Int) -> UInt32 {
        (0..<bytes).reduce(0) { $0 | UInt32(self[offset + $1]) << (8 * UInt32($1)) }
    }
}
