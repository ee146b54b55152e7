internal import EventLoop
internal import Glibc

/// The folder that a recording's files are made in.
///
/// A name is one path component, and a file is made with O_EXCL: so it is beneath the folder, no link is followed, and no
/// existing file is opened. `openat2` would promise the same, but `RestrictSUIDSGID=` of systemd refuses it.
struct RecordingFolder {
    /// A file that was made here, as it is now.
    struct File {
        let name: String
        private let device: dev_t
        private let inode: ino_t
        private let size: off_t
        private let modified: timespec

        init(_ name: String, _ file: Descriptor) throws(RecordingError) {
            var status = stat()
            guard fstat(file.rawValue, &status) == 0 else {
                throw RecordingError("The file \(name) cannot be used", errno)
            }
            self.init(name, status)
        }

        fileprivate init(_ name: String, _ status: stat) {
            self.name = name
            device = status.st_dev
            inode = status.st_ino
            size = status.st_size
            modified = status.st_mtim
        }

        /// The number of a removed file is soon given to another one, which then has another time.
        fileprivate func isUnchanged(in other: File) -> Bool {
            device == other.device && inode == other.inode && size == other.size
                && modified.tv_sec == other.modified.tv_sec && modified.tv_nsec == other.modified.tv_nsec
        }
    }

    private let folder: Descriptor
    private let prefix: String
    /// Names that are tried for a file if others have them already.
    private static let attempts = 9

    /// - Parameter prefix: of the names; without `/`.
    init(_ folder: Descriptor, prefix: String = Self.prefix()) {
        self.folder = folder
        self.prefix = prefix
    }

    /// The date and time, so that names are unique and in order.
    private static func prefix() -> String {
        var now = time(nil)
        var local = tm()
        localtime_r(&now, &local)
        var text = [CChar](repeating: 0, count: 64)
        strftime(&text, text.count, "dictation-%Y%m%d-%H%M%S", &local)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Makes a new, empty file.
    func create(_ number: Int) throws(RecordingError) -> (name: String, file: Descriptor) {
        let digits = String(number)
        let base = prefix + "-" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        for attempt in 1...Self.attempts {
            let name = base + (attempt == 1 ? "" : "-\(attempt)") + ".wav"
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let opened = openat(folder.rawValue, name, flags, 0o600)
            if opened >= 0 {
                return (name, Descriptor(owning: opened))
            }
            if errno != EEXIST { throw RecordingError("The file \(name) cannot be made", errno) }
        }
        throw RecordingError("The file \(base).wav cannot be made", EEXIST)
    }

    /// Removes a file that was made here, unless it has changed since, or its name belongs to another file now.
    func remove(_ file: File) throws(RecordingError) {
        var status = stat()
        guard fstatat(folder.rawValue, file.name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return }
            throw RecordingError("The file \(file.name) cannot be removed", errno)
        }
        guard file.isUnchanged(in: File(file.name, status)) else { return }
        if unlinkat(folder.rawValue, file.name, 0) != 0, errno != ENOENT {
            throw RecordingError("The file \(file.name) cannot be removed", errno)
        }
    }

    /// Waits until the names are on the disk. A folder that may not be read cannot be waited for.
    func sync() throws(RecordingError) {
        let opened = openat(folder.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return }
        let readable = Descriptor(owning: opened)
        if fsync(readable.rawValue) != 0, errno != EINVAL {
            throw RecordingError("The recording's folder cannot be written", errno)
        }
    }
}
