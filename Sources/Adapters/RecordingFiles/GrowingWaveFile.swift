internal import EventLoop
internal import Glibc

/// A WAV file, 16 bit and mono, that is being written. Its header is valid after each call.
///
/// Not with libsndfile, which would add a library for 44 bytes.
struct GrowingWaveFile {
    static let headerBytes = 44

    let file: Descriptor
    private let rate: Int
    /// In the file.
    private(set) var frames = 0
    /// According to the header.
    private var announcedFrames = 0
    private var hasUnsyncedData = true

    /// Begins an empty file.
    init(_ file: Descriptor, rate: Int) throws(RecordingError) {
        self.file = file
        self.rate = rate
        try writeHeader()
    }

    var isHeaderOld: Bool { announcedFrames != frames }

    /// If it fails, the frames that fitted are in the file.
    mutating func append(_ samples: [Int16]) throws(RecordingError) {
        let bytes = UInt16(1).littleEndian == 1 ? samples : samples.map(\.littleEndian)
        let (written, code) = bytes.withUnsafeBytes { Self.write($0, to: file, at: offset(of: frames)) }
        frames += written / 2
        hasUnsyncedData = true
        if code != 0 { throw RecordingError("The recording cannot be written", code) }
    }

    mutating func writeHeader() throws(RecordingError) {
        let header = Self.header(frames: frames, rate: rate)
        let (_, code) = header.withUnsafeBytes { Self.write($0, to: file, at: 0) }
        if code != 0 { throw RecordingError("The recording's header cannot be written", code) }
        announcedFrames = frames
        hasUnsyncedData = true
    }

    /// Waits until the data is on the disk, so that it survives a loss of power.
    mutating func sync() throws(RecordingError) {
        guard hasUnsyncedData else { return }
        if fdatasync(file.rawValue) != 0 { throw RecordingError("The recording cannot be written", errno) }
        hasUnsyncedData = false
    }

    /// Cuts the file also if its header cannot be written: what is cancelled must not stay.
    mutating func truncate(frames: Int) throws(RecordingError) {
        self.frames = min(frames, self.frames)
        var failure: RecordingError?
        do throws(RecordingError) { try writeHeader() } catch { failure = error }
        if ftruncate(file.rawValue, off_t(offset(of: self.frames))) != 0 {
            throw RecordingError("The recording cannot be cut", errno)
        }
        if let failure { throw failure }
    }

    private func offset(of frame: Int) -> Int { Self.headerBytes + 2 * frame }

    /// - Returns: the bytes that were written, and the `errno` if these are not all.
    private static func write(
        _ bytes: UnsafeRawBufferPointer, to file: Descriptor, at offset: Int
    ) -> (written: Int, code: Int32) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = pwrite(file.rawValue, rest.baseAddress, rest.count, off_t(offset + written))
            if count > 0 {
                written += count
            } else if count == 0 || errno != EINTR {
                return (written, count == 0 ? ENOSPC : errno)
            }
        }
        return (written, 0)
    }

    /// The RIFF header of PCM sound: http://soundfile.sapp.org/doc/WaveFormat
    static func header(frames: Int, rate: Int) -> [UInt8] {
        func bytes(_ number: Int, _ count: Int = 4) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return Array("RIFF".utf8) + bytes(headerBytes - 8 + 2 * frames) + Array("WAVEfmt ".utf8)
            + bytes(16) + bytes(1, 2) + bytes(1, 2) + bytes(rate) + bytes(2 * rate) + bytes(2, 2)
            + bytes(16, 2) + Array("data".utf8) + bytes(2 * frames)
    }
}
