import CSndFile
public import EventLoop
import Glibc

/// A file that libsndfile decodes, such as FLAC, Ogg, Opus, MP3 or AIFF, as a WAV stream.
///
/// It is decoded here, in the program of the user who chose the file. The service gets samples, so that no library in C
/// parses files of other programs there. The memory does not grow with the file: a thread decodes as fast as the stream is
/// read.
public struct SoundFileStream: Sendable {
    /// The sound as WAV, with all channels as floating point: the service mixes them as it does those of other files. Reading
    /// end of a socket.
    public let stream: Descriptor

    private static let framesAtOnce = 4096
    /// What the service takes.
    private static let rates: ClosedRange<Int32> = 4000...192_000
    private static let mostChannels: Int32 = 1024

    /// - Parameters:
    ///   - file: a regular file. Its offset moves as it is decoded; it is at its beginning if this is nil.
    ///   - failed: called on the decoding thread if the file is damaged, with a sentence that says where.
    /// - Returns: nil if the service reads the file itself, or if libsndfile does not know it.
    /// - Throws: the error of the system if there is a shortage of descriptors or threads.
    public init?(
        of file: Descriptor, failed: @escaping @Sendable (String) -> Void
    ) throws(EventLoopError) {
        guard Self.isForDecoding(file) else { return nil }
        var info = SF_INFO()
        // libsndfile closes a descriptor that it cannot read, whatever it is told.
        let copy = fcntl(file.rawValue, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw EventLoopError(call: "fcntl", code: errno) }
        guard let sound = sf_open_fd(copy, Int32(SFM_READ), &info, Int32(SF_TRUE)) else {
            lseek(file.rawValue, 0, SEEK_SET)
            return nil
        }
        guard Self.rates.contains(info.samplerate), (1...Self.mostChannels).contains(info.channels) else {
            sf_close(sound)
            lseek(file.rawValue, 0, SEEK_SET)
            return nil
        }
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
        guard socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else {
            let code = errno
            sf_close(sound)
            throw EventLoopError(call: "socketpair", code: code)
        }
        stream = Descriptor(owning: ends[0])
        let decoder = Decoder(
            sound: sound, info: info, output: Descriptor(owning: ends[1]), failed: failed)
        try OwnThread.start("sound-file") { decoder.run() }
    }

    /// Whether it is a regular file that the service does not read itself.
    private static func isForDecoding(_ file: Descriptor) -> Bool {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            lseek(file.rawValue, 0, SEEK_CUR) == 0
        else { return false }
        var head = [UInt8](repeating: 0, count: SoundFileKind.headBytes)
        let count = pread(file.rawValue, &head, head.count, 0)
        return count > 0 && !SoundFileKind.isReadByService(Array(head.prefix(count)))
    }

    /// Used by one thread at a time: the initialiser's, then its own.
    private final class Decoder: @unchecked Sendable {
        private let sound: OpaquePointer
        private let channels: Int
        private let rate: Int
        private let output: Descriptor
        private let failed: @Sendable (String) -> Void

        init(
            sound: OpaquePointer, info: SF_INFO, output: Descriptor,
            failed: @escaping @Sendable (String) -> Void
        ) {
            self.sound = sound
            channels = Int(info.channels)
            rate = Int(info.samplerate)
            self.output = output
            self.failed = failed
        }

        deinit { sf_close(sound) }

        func run() {
            guard send(StreamHeader.wave(rate: rate, channels: channels)) else { return }
            var frames = [Float](repeating: 0, count: SoundFileStream.framesAtOnce * channels)
            var bytes: [UInt8] = []
            var position = 0
            while true {
                let count = Int(sf_readf_float(sound, &frames, sf_count_t(SoundFileStream.framesAtOnce)))
                guard count > 0 else { break }
                position += count
                bytes.removeAll(keepingCapacity: true)
                for sample in frames.prefix(count * channels) {
                    withUnsafeBytes(of: sample.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
                }
                guard send(bytes) else { return }
            }
            if sf_error(sound) != 0 {
                failed(
                    "The file is damaged after \(position / rate) s: \(String(cString: sf_strerror(sound)))")
            }
        }

        /// - Returns: false if nobody reads any more.
        private func send(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(output.rawValue, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count < 0 {
                    if errno == EINTR { continue }
                    return false
                }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
}

/// The header of a WAV file of unknown length, with samples of 32-bit floating point.
enum StreamHeader {
    private static let floatingPoint = 3

    static func wave(rate: Int, channels: Int) -> [UInt8] {
        let frame = channels * MemoryLayout<Float>.size
        let format =
            little(floatingPoint, 2) + little(channels, 2) + little(rate, 4) + little(rate * frame, 4)
            + little(frame, 2) + little(MemoryLayout<Float>.size * 8, 2)
        return Array("RIFF".utf8) + little(0xffff_ffff, 4) + Array("WAVEfmt ".utf8) + little(format.count, 4)
            + format
            + Array("data".utf8) + little(0xffff_ffff, 4)
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
