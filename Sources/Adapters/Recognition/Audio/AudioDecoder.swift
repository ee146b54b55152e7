/// Converts the bytes of a WAV file, or of raw S16 mono at 16 kHz, to samples at 16 kHz, in constant memory. The output
/// does not depend on how the bytes are split into calls.
///
/// Not libsndfile, for two reasons. It reads by callbacks that must block and know the file's length, but the bytes come
/// from pipes too, a part at a time, often with a header that does not give the length. And any client chooses the
/// bytes: libsndfile would parse dozens of formats in C inside the service, where this reads one format in Swift with
/// every index checked.
struct AudioDecoder {
    /// Bytes that are enough to recognise what is not audio.
    private static let sniffed = 4096

    private enum State {
        /// The header is not complete.
        case head
        case samples(SampleLayout, left: Int?)
    }

    private var state = State.head
    private var bytes: [UInt8] = []
    private var resampler: Resampler?
    private var channels = ChannelMix(channels: 1)

    /// Whether the samples that the header announces have been read. What follows them is not audio.
    var isAtEnd: Bool {
        guard case .samples(let layout, let left?) = state else { return false }
        return left < layout.bytesPerFrame
    }

    mutating func decode(_ more: some Collection<UInt8>) throws(RecognitionError) -> [Int16] {
        if isAtEnd { return [] }
        bytes.append(contentsOf: more)
        if case .head = state { try readHead(isWhole: false) }
        return drain()
    }

    /// Returns the last samples at the end of the stream.
    mutating func finish() throws(RecognitionError) -> [Int16] {
        if case .head = state { try readHead(isWhole: true) }
        return drain() + (resampler?.finish() ?? [])
    }

    private mutating func readHead(isWhole: Bool) throws(RecognitionError) {
        if WaveHeader.isWave(bytes) {
            if case .samples(let start, let layout, let count) = try WaveHeader.read(bytes) {
                begin(layout, at: start, left: count)
            } else if isWhole {
                throw RecognitionError(.unsupportedFormat, "The WAV file ends before its samples begin.")
            }
        } else if isWhole || bytes.count >= Self.sniffed {
            guard RawAudio.isPlausible(Array(bytes.prefix(Self.sniffed))) else {
                throw RecognitionError(
                    .unsupportedFormat,
                    "This is not audio that can be read: give WAV, or raw S16LE mono at 16 kHz. ffmpeg converts most files: ffmpeg -i FILE OUT.wav"
                )
            }
            begin(.raw, at: 0, left: nil)
        }
    }

    private mutating func begin(_ layout: SampleLayout, at start: Int, left: Int?) {
        bytes.removeFirst(start)
        state = .samples(layout, left: left)
        channels = ChannelMix(channels: layout.channels)
        if layout.rate != 16000 { resampler = Resampler(from: layout.rate) }
    }

    /// Whether its channels cancel each other, so that one of them is used.
    var isAntiphase: Bool { channels.usesOne }

    private mutating func drain() -> [Int16] {
        guard case .samples(let layout, let left) = state else { return [] }
        let usable = min(bytes.count, left ?? .max) / layout.bytesPerFrame * layout.bytesPerFrame
        guard usable > 0 else { return [] }
        defer { bytes.removeFirst(usable) }
        state = .samples(layout, left: left.map { $0 - usable })
        let isPlain = layout.encoding == .signed16 && layout.channels == 1
        if isPlain && resampler == nil {
            return stride(from: 0, to: usable, by: 2).map {
                Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
            }
        }
        let mono = mix(usable, layout)
        return resampler?.process(mono) ?? mono.map(Int16.init(clampingSample:))
    }

    /// One channel. Full scale is ±32768.
    private mutating func mix(_ usable: Int, _ layout: SampleLayout) -> [Float] {
        let size = layout.encoding.bytes
        var mixer = channels
        // Not copied by the first frame.
        channels = ChannelMix(channels: 0)
        defer { channels = mixer }
        var mono: [Float] = []
        mono.reserveCapacity(usable / layout.bytesPerFrame)
        for frame in stride(from: 0, to: usable, by: layout.bytesPerFrame) {
            if layout.channels == 1 {
                mono.append(sample(at: frame, layout.encoding))
            } else {
                mono.append(mixer.frame { sample(at: frame + $0 * size, layout.encoding) })
            }
        }
        return mono
    }

    private func sample(at offset: Int, _ encoding: SampleLayout.Encoding) -> Float {
        let value = bytes.littleEndian(at: offset, bytes: min(4, encoding.bytes))
        switch encoding {
        case .unsigned8: return (Float(value) - 128) * 256
        case .signed16: return Float(Int16(truncatingIfNeeded: value))
        case .signed24: return Float(Int32(bitPattern: value << 8) >> 8) / 256
        case .signed32: return Float(Int32(bitPattern: value)) / 65536
        case .float32:
            let float = Float(bitPattern: value)
            return float.isFinite ? float * 32768 : 0
        case .float64:
            let high = UInt64(bytes.littleEndian(at: offset + 4, bytes: 4))
            let float = Float(Double(bitPattern: high << 32 | UInt64(value)))
            return float.isFinite ? float * 32768 : 0
        case .aLaw: return Float(G711.aLaw(UInt8(truncatingIfNeeded: value)))
        case .muLaw: return Float(G711.muLaw(UInt8(truncatingIfNeeded: value)))
        }
    }
}

/// The companded samples of telephones: a sign, an exponent and four bits of the mantissa (ITU-T G.711).
enum G711 {
    static func aLaw(_ byte: UInt8) -> Int {
        let code = byte ^ 0x55
        let exponent = Int(code >> 4 & 7)
        let mantissa = Int(code & 15) << 4 + 8
        let value = exponent == 0 ? mantissa : (mantissa + 256) << (exponent - 1)
        return code & 128 == 0 ? -value : value
    }

    static func muLaw(_ byte: UInt8) -> Int {
        let code = ~byte
        let exponent = Int(code >> 4 & 7)
        let value = ((Int(code & 15) << 3 + 132) << exponent) - 132
        return code & 128 == 0 ? value : -value
    }
}

/// Recognises bytes that are not audio. Raw samples have no header.
enum RawAudio {
    /// False for text, for known kinds of files, and for bytes that look like loud noise, as compressed data does. True
    /// for silence and for anything in which neighbouring samples are correlated.
    static func isPlausible(_ bytes: [UInt8]) -> Bool {
        if bytes.isEmpty { return true }
        if magics.contains(where: { bytes.starts(with: $0) }) || isText(bytes) { return false }
        // MP4 and its kin have their magic number behind a length.
        if bytes.count >= 8, bytes[4..<8].elementsEqual("ftyp".utf8) { return false }
        var energy = 0.0
        var product = 0.0
        var previous = 0.0
        for offset in stride(from: 0, to: bytes.count - 1, by: 2) {
            let sample = Double(Int16(truncatingIfNeeded: Int(bytes[offset]) | Int(bytes[offset + 1]) << 8))
            energy += sample * sample
            product += sample * previous
            previous = sample
        }
        let loudness = (energy / Double(max(bytes.count / 2, 1))).squareRoot()
        return loudness < 10_000 || product > 0.2 * energy
    }

    private static let magics: [[UInt8]] = [
        Array("\u{7f}ELF".utf8), Array("OggS".utf8), Array("fLaC".utf8), Array("ID3".utf8),
        Array("%PDF".utf8),
        // Sony's W64 begins with "riff" and a GUID.
        Array("riff".utf8), Array("BW64".utf8), Array("#!AMR".utf8), Array("SQLite format 3".utf8),
        [0x30, 0x26, 0xb2, 0x75], [0xff, 0xf3], [0xff, 0xf2], [0xff, 0xfa], [0xff, 0xf1], [0xff, 0xf9],
        Array("RIFF".utf8), Array("RIFX".utf8), Array("RF64".utf8), Array("FORM".utf8), Array(".snd".utf8),
        Array("caff".utf8), Array("PK\u{3}\u{4}".utf8), [0x89, 0x50, 0x4e, 0x47], [0x1f, 0x8b],
        [0xff, 0xd8, 0xff],
        [0xff, 0xfb], [0x1a, 0x45, 0xdf, 0xa3], [0xfd, 0x37, 0x7a, 0x58], [0x28, 0xb5, 0x2f, 0xfd],
    ]

    private static func isText(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 >= 32 && $0 != 127 || (9...13).contains($0) || $0 == 27 }
            && bytes.contains { $0 < 128 }
    }
}
