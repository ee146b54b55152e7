/// What the first bytes of a file say about who reads it.
enum SoundFileKind {
    /// Enough for the format of most WAV files.
    static let headBytes = 4096

    /// Whether the service reads the file itself: WAV, RF64 and BW64 with samples that it knows.
    static func isReadByService(_ head: [UInt8]) -> Bool {
        let isWave = ["RIFF", "RF64", "BW64"].contains { head.starts(with: $0.utf8) }
        guard isWave, head.count >= 12, head[8..<12].elementsEqual("WAVE".utf8) else { return false }
        // PCM, floating point, A-law, µ-law, or the same in the extensible form.
        guard let format = waveFormat(head) else { return true }
        return [1, 3, 6, 7, 0xfffe].contains(format)
    }

    /// The tag in the chunk "fmt "; nil if it is further back.
    private static func waveFormat(_ head: [UInt8]) -> Int? {
        var offset = 12
        while head.count >= offset + 10 {
            let size = (0..<4).reduce(0) { $0 | Int(head[offset + 4 + $1]) << (8 * $1) }
            if head[offset..<offset + 4].elementsEqual("fmt ".utf8) {
                return Int(head[offset + 8]) | Int(head[offset + 9]) << 8
            }
            offset += 8 + size + size % 2
        }
        return nil
    }
}
