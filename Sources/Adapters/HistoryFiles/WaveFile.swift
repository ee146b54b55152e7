/// A WAV file of 16-bit mono at 16 kHz.
enum WaveFile {
    private static let rate: UInt32 = 16_000

    static func bytes(_ samples: [Int16]) -> [UInt8] {
        let size = UInt32(2 * samples.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(44 + 2 * samples.count)
        func put(_ word: String) { bytes += word.utf8 }
        func put<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }
        put("RIFF")
        put(36 + size)
        put("WAVEfmt ")
        put(16 as UInt32)
        // PCM, one channel.
        put(1 as UInt16)
        put(1 as UInt16)
        put(rate)
        put(2 * rate)
        put(2 as UInt16)
        put(16 as UInt16)
        put("data")
        put(size)
        for sample in samples { put(sample) }
        return bytes
    }
}
