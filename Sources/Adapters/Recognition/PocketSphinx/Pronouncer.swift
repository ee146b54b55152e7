import CLinux
import EventLoop
import Glibc
import Pronunciation

/// Makes pronunciations of words that an engine's dictionary lacks. What it learns from the dictionary is kept in a file, as
/// learning takes seconds. Everything here takes long: not for an event loop.
public final class Pronouncer: Sendable {
    /// Ways to say a word.
    static let ways = 3
    /// Making the pronunciations of one vocabulary takes no longer; bus libraries wait 25 s.
    private static let timeout = Duration.seconds(10)
    private static let mostBytes = 1 << 26

    /// Nil keeps nothing.
    private let folder: String?
    /// One learns, the others wait and read what it kept.
    private let turn = Lock(())

    /// - Parameter folder: where a file may be kept; made if need be.
    public init(folder: String? = nil) {
        self.folder = folder
    }

    /// - Parameters:
    ///   - words: none of them in the dictionary.
    ///   - dictionary: the path of the file.
    /// - Returns: by word, phones with spaces between them, the likeliest first; nothing for words that cannot be said.
    func pronunciations(
        of words: Set<String>, like dictionary: String
    ) throws(RecognitionError) -> [String: [String]] {
        guard let bytes = Self.read(dictionary) else {
            throw RecognitionError(.engineUnavailable, "\(dictionary) cannot be read.")
        }
        let model = turn.withLock { _ in load(from: bytes) }
        let end = ContinuousClock.now + Self.timeout
        var made: [String: [String]] = [:]
        for word in words {
            guard .now < end else {
                throw RecognitionError(
                    .limitExceeded,
                    "Making the pronunciations of so many words takes too long: give some of them, or use fewer words."
                )
            }
            made[word] = model?.pronunciations(of: word, most: Self.ways)
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
        if let folder, let path, let model { keep(model.bytes(hash: hash), at: path, in: folder) }
        return model
    }

    /// Where it cannot be kept, it is learned again the next time.
    private func keep(_ bytes: [UInt8], at path: String, in folder: String) {
        mkdir(folder, 0o700)
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
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
        if written == bytes.count { rename(draft, path) } else { unlink(draft) }
    }

    /// A regular file of bounded length.
    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= mostBytes
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
