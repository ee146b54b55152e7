internal import DictationCore
internal import EventLoop
internal import Glibc

/// What a client gave to record into.
enum RecordingTarget {
    case file(Descriptor)
    case folder(RecordingFolder)

    /// Looks at the descriptor. The file system behind it, or the lender, may block.
    /// - Parameters:
    ///   - takesFolder: otherwise a folder is refused before it is used.
    ///   - lender: makes the files in a folder; nil if this process does.
    init(
        _ descriptor: Descriptor, takesFolder: Bool, lender: (any RecordingLender)?
    ) throws(RecordingError) {
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
            let folder = RecordingFolder(descriptor, lender: lender)
            try folder.check()
            self = .folder(folder)
        default:
            throw RecordingError(
                .unsuitable, "'record' is neither a regular file nor a folder: open one of them.")
        }
    }

    /// A lender may give any descriptor. Its file is empty or has a header.
    static func check(lent file: Descriptor, _ name: String) throws(RecordingError) {
        var status = stat()
        guard RecordingName.isName(name), fstat(file.rawValue, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { throw RecordingError(.write, "The user's agent gave no new file for the recording.") }
        let hasHeader = status.st_size == GrowingWaveFile.headerBytes
        try check(file, size: hasHeader ? 0 : Int(status.st_size))
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
