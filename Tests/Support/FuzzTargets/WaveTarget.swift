#if DEBUG
    @testable import Recognition

    extension FuzzTarget {
        /// A recording that a client gives to be recognised: a WAV file, raw samples, or something else.
        static let wave = FuzzTarget("wave", seeds: waves) { bytes in
            let whole = samples(in: [bytes[...]])
            let pieces = samples(in: bytes.pieces)
            try require(whole == pieces, "the samples depend on how the bytes arrived")
            // From 4000 Hz there are four samples for each of at least a byte, and some from the filter.
            let count = (try? whole.get().count) ?? 0
            try require(count <= bytes.count * 4 + 1000, "\(count) samples of \(bytes.count) bytes")
        }

        private static func samples(in pieces: [ArraySlice<UInt8>]) -> Result<[Int16], RecognitionError> {
            Result { () throws(RecognitionError) in
                var decoder = AudioDecoder()
                var samples: [Int16] = []
                for piece in pieces { samples += try decoder.decode(piece) }
                return samples + (try decoder.finish())
            }
        }

        // MARK: Seeds

        private static var waves: [[UInt8]] {
            let formats: [(tag: Int, channels: Int, rate: Int, bits: Int)] = [
                (1, 1, 16000, 16), (1, 2, 44100, 16), (1, 1, 8000, 8), (1, 2, 48000, 24), (1, 1, 22050, 32),
                (3, 2, 32000, 32), (0xfffe, 1, 11025, 16), (3, 1, 96000, 64), (6, 1, 8000, 8),
                (7, 6, 8000, 8),
            ]
            return formats.map { wave(tag: $0.tag, channels: $0.channels, rate: $0.rate, bits: $0.bits) }
                + [[UInt8]((0..<5000).map { UInt8($0 / 2 % 50) })]
        }

        private static func wave(tag: Int, channels: Int, rate: Int, bits: Int) -> [UInt8] {
            let frame = channels * bits / 8
            var fields: [(value: Int, size: Int)] = [
                (tag, 2), (channels, 2), (rate, 4), (rate * frame, 4), (frame, 2), (bits, 2),
            ]
            if tag == 0xfffe { fields += [(22, 2), (bits, 2), (4, 4), (1, 16)] }
            let format = fields.flatMap { bytes($0.value, $0.size) }
            let data = (0..<frame * 40).map { UInt8($0 % 100) }
            let chunks = chunk("fmt ", format) + chunk("LIST", [1, 2, 3]) + [0] + chunk("data", data)
            return Array("RIFF".utf8) + bytes(0, 4) + Array("WAVE".utf8) + chunks
        }

        private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + bytes(content.count, 4) + content
        }

        /// Little-endian.
        private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
        }
    }
#endif
