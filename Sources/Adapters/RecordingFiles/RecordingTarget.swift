internal import DictationCore
internal import EventLoop
internal import Glibc

/// What a client gave to record into.
enum RecordingTarget {
    case file(Descriptor)
    case folder(RecordingFolder)

    /// Looks at the descriptor. The file system behind it may block.
    /// - Parameter takesFolder: otherwise a folder is refused before it is used.
    init(_ descriptor: Descriptor, takesFolder: Bool) throws(RecordingError) {
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0 else {
            throw RecordingError("'record' cannot be used", errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            try Self.check(descriptor, size: Int(status.st_size))
            self = .file(descriptor)
        case S_IFDIR:
            guard takesFolder else {
                throw RecordingError(.folder, "'record' is a folder.")
            }
            let folder = RecordingFolder(descriptor)
            try folder.check()
            self = .folder(folder)
        default:
            throw RecordingError(
                .unsuitable, "'record' is neither a regular file nor a folder: open one of them.")
        }
    }

    private static func check(_ file: Descriptor, size: Int) throws(RecordingError) {
        let flags = fcntl(file.rawValue, F_GETFL)
        guard flags & O_ACCMODE != O_RDONLY else {
            throw RecordingError(.unsuitable, "'record' is not open for writing: open it with O_WRONLY.")
        }
        // The header is written again and again, at the beginning.
        guard flags & O_APPEND == 0 else {
            throw RecordingError(.unsuitable, "'record' is open with O_APPEND: open it without.")
        }
        guard size == 0 else {
            throw RecordingError(.unsuitable, "The file 'record' is not empty: give a new one.")
        }
    }

    var place: Recording.Place {
        switch self {
        case .file: .file
        case .folder: .folder
        }
    }
}
