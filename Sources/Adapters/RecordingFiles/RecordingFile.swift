public import EventLoop
internal import Glibc

/// A file that was made in a ``RecordingFolder``, as it is at one moment.
///
/// The inode of a removed file is soon given to another one, which then has another size or time.
public struct RecordingFile: Hashable, Sendable {
    public let name: String
    public let inode: UInt64
    /// In bytes.
    public let size: UInt64
    /// When it was last changed, in nanoseconds since 1970.
    public let modified: Int64

    public init(name: String, inode: UInt64, size: UInt64, modified: Int64) {
        self.name = name
        self.inode = inode
        self.size = size
        self.modified = modified
    }

    /// The present state of an open file.
    public init(_ name: String, _ file: Descriptor) throws(RecordingError) {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else {
            throw RecordingError("The file \(name) cannot be used", errno)
        }
        self.init(name, status)
    }

    init(_ name: String, _ status: stat) {
        let modified = Int64(status.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        self.init(
            name: name, inode: UInt64(status.st_ino), size: UInt64(clamping: status.st_size),
            modified: modified.partialValue &+ Int64(status.st_mtim.tv_nsec))
    }
}

/// A finished file that may have to be removed.
enum FinishedFile: Sendable {
    case known(RecordingFile)
    /// Its state could not be read. It stays open, so that the state can be read when it is needed.
    case unknown(name: String, Descriptor)

    init(_ name: String, _ file: Descriptor) {
        do throws(RecordingError) {
            self = .known(try RecordingFile(name, file))
        } catch {
            self = .unknown(name: name, file)
        }
    }

    /// Its state at the end.
    var state: RecordingFile {
        get throws(RecordingError) {
            switch self {
            case .known(let file): file
            case .unknown(let name, let file): try RecordingFile(name, file)
            }
        }
    }
}

/// The names of recordings' files: `dictation-20260131-235959-0001.wav`.
public enum RecordingName {
    static let start = "dictation-"
    private static let end = ".wav"
    /// In bytes.
    private static let limit = 64

    /// Whether a file may have this name.
    public static func isName(_ text: String) -> Bool {
        text.utf8.count <= limit && isPrefix(text.utf8.dropLast(end.utf8.count))
            && text.utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
    }

    /// Whether names may begin with this.
    public static func isPrefix(_ text: String) -> Bool {
        text.utf8.count <= limit && isPrefix(text.utf8.dropLast(0))
    }

    private static func isPrefix(_ text: String.UTF8View.SubSequence) -> Bool {
        let rest = text.dropFirst(start.utf8.count)
        return text.starts(with: start.utf8) && !rest.isEmpty
            && rest.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) }
    }
}
