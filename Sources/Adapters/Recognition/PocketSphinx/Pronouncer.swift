import CLinux
import EventLoop
import Glibc
import Pronunciation

/// Makes pronunciations of words that an engine's dictionary does not have. Learning from the dictionary takes seconds, so
/// the model is cached in a file. Everything here blocks: do not call it on an event loop.
public final class Pronouncer: Sendable {
    /// Maximum number of pronunciations of a word.
    static let pronunciationLimit = 3
    /// Timeout for the pronunciations of one vocabulary. Bus libraries wait 25 s for a reply.
    private static let timeout = Duration.seconds(10)
    private static let byteLimit = 1 << 26

    /// The folder of the cached model; nil caches nothing.
    private let folder: String?
    /// Held while a model is learned or read, so that only one thread learns and the others read the cached model.
    private let loading = Lock(())

    /// - Parameter folder: the folder for the cached model. It is created if it does not exist.
    public init(folder: String? = nil) {
        self.folder = folder
    }

    /// - Parameters:
    ///   - words: words that are not in the dictionary.
    ///   - dictionary: the path of the dictionary.
    /// - Returns: the pronunciations by word, the likeliest first, as phones with spaces between them. Words that cannot be
    ///   pronounced are missing.
    func pronunciations(
        of words: Set<String>, like dictionary: String
    ) throws(RecognitionError) -> [String: [String]] {
        guard let bytes = Self.read(dictionary) else {
            throw RecognitionError(.engineUnavailable, "\(dictionary) cannot be read.")
        }
        let model = loading.withLock { _ in load(from: bytes) }
        let end = ContinuousClock.now + Self.timeout
        var made: [String: [String]] = [:]
        for word in words {
            guard .now < end else {
                throw RecognitionError(
                    .limitExceeded,
                    "Making the pronunciations of so many words takes too long: give some of them, or use fewer words."
                )
            }
            made[word] = model?.pronunciations(of: word, most: Self.pronunciationLimit)
        }
        return made
    }

    private func load(from dictionary: [UInt8]) -> PronunciationModel? {
        let hash = PronunciationModel.hash(of: dictionary)
        let path = folder.map { $0 + "/pronunciations" }
        if let path, let bytes = Self.read(path), let model = PronunciationModel(bytes, hash: hash) {
            return model
        }
        let model = PronunciationModel(learning: dictionary)
        if let folder, let path, let model { cache(model.bytes(hash: hash), at: path, in: folder) }
        return model
    }

    /// Errors are ignored: the model is learned again the next time.
    private func cache(_ bytes: [UInt8], at path: String, in folder: String) {
        mkdir(folder, 0o700)
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            }
            if count <= 0 { break }
            written += count
        }
        close(descriptor)
        if written == bytes.count { rename(temporary, path) } else { unlink(temporary) }
    }

    /// Reads a regular file of limited length; nil if it cannot be read or is longer.
    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= byteLimit
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes { bytes in
                Glibc.read(descriptor, bytes.baseAddress.map { $0 + length }, bytes.count - length)
            }
            if count <= 0 { return nil }
            length += count
        }
        return bytes
    }
}
