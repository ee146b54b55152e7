import Foundation

/// Recorded speech.
public enum WaveFile {
    /// The folder of recordings in Debian's `pocketsphinx-testdata`.
    public static let speech = "/usr/share/pocketsphinx/test/data"

    /// The samples of a WAV file: signed 16 bit, one channel.
    public static func samples(of path: String, rate: Int = 16000) throws -> [Int16] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        func failure(_ what: String) -> TestFailure { TestFailure("\(path): \(what)") }
        func number(at offset: Int, bytes count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        guard bytes.count > 12, bytes[0..<4].elementsEqual("RIFF".utf8),
            bytes[8..<12].elementsEqual("WAVE".utf8)
        else { throw failure("is no WAV file") }
        var offset = 12
        while offset + 8 <= bytes.count {
            let kind = bytes[offset..<offset + 4]
            let size = min(number(at: offset + 4, bytes: 4), bytes.count - offset - 8)
            let start = offset + 8
            if kind.elementsEqual("fmt ".utf8) {
                let format = (0..<3).map { number(at: start + [0, 2, 14][$0], bytes: 2) }
                guard format == [1, 1, 16], number(at: start + 4, bytes: 4) == rate else {
                    throw failure("is not 16 bit, one channel, \(rate) Hz")
                }
            } else if kind.elementsEqual("data".utf8) {
                return rawSamples(bytes[start..<start + size])
            }
            offset = start + size + size % 2
        }
        throw failure("contains no samples")
    }

    /// Writes samples as a WAV file: signed 16 bit, 16 kHz.
    public static func write(_ samples: [Int16], channels: Int = 1, to path: String) throws {
        func bytes(_ numbers: UInt32...) -> [UInt8] {
            numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        }
        let size = UInt32(2 * samples.count)
        var file = Array("RIFF".utf8) + bytes(36 + size) + Array("WAVEfmt ".utf8)
        // Uncompressed; two bytes a sample of sixteen bits.
        let count = UInt32(channels)
        file += bytes(16, 1 | count << 16, 16000, 32000 * count, 2 * count | 16 << 16)
        file += Array("data".utf8) + bytes(size)
        samples.map(\.littleEndian).withUnsafeBytes { file.append(contentsOf: $0) }
        try Data(file).write(to: URL(fileURLWithPath: path))
    }

    /// The samples of a raw file.
    public static func rawSamples(of path: String) throws -> [Int16] {
        rawSamples([UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))[...])
    }

    private static func rawSamples(_ bytes: ArraySlice<UInt8>) -> [Int16] {
        // As a whole: a loop over each byte takes seconds in a debug build.
        let samples = [Int16](unsafeUninitializedCapacity: bytes.count / 2) { samples, count in
            count = samples.count
            bytes.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(samples).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: $0.prefix(2 * samples.count)))
            }
        }
        return UInt16(1).littleEndian == 1 ? samples : samples.map(\.byteSwapped)
    }
}
