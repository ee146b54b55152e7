internal import CLinux
public import DictationCore
internal import EventLoop
internal import Glibc

/// Where journals lie.
public struct JournalHome: Sendable {
    /// Nil where they cannot be kept.
    private let folder: Descriptor?

    private static let prefix = "journal-"
    /// Sessions of all users, and as many that the last service left.
    private static let fileLimit = 512

    /// The folder `dictation` in `XDG_RUNTIME_DIR`, which is in memory. Without it journals are not kept.
    public init(environment: [String: String]) throws(JournalError) {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            folder = try Self.folder("\(runtime)/dictation")
        } else {
            folder = nil
        }
    }

    private static func folder(_ path: String) throws(JournalError) -> Descriptor {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw .last("mkdir \(path)") }
        let number = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if number < 0 { throw .last("open \(path)") }
        let folder = Descriptor(owning: number)
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .last("fstat \(path)") }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw JournalError("\(path) belongs to another user, or others may use it")
        }
        return folder
    }

    /// Makes the file of a session; nil where journals are not kept.
    public func makeFile(for session: SessionID) throws(JournalError) -> JournalFile? {
        guard let folder else { return nil }
        let name = "\(Self.prefix)\(getpid())-\(session.rawValue)"
        let number = openat(
            folder.rawValue, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if number < 0 { throw .last("openat \(name)") }
        let file = Descriptor(owning: number)
        // Shows a later service whether this one still exists.
        guard dictation_linux_lock_file(number) == 0 else { throw .last("flock \(name)") }
        return JournalFile(
            file, in: self, name: name, start: JournalContents.start, end: JournalContents.start)
    }

    func remove(_ name: String) {
        if let folder { unlinkat(folder.rawValue, name, 0) }
    }

    // MARK: After a restart

    /// Reads what earlier services left, within limits, and removes what is not valid. Blocks; not for the loop.
    public func takeLeft() -> [LeftJournal] {
        var room = JournalContents.readLimit
        var journals: [LeftJournal] = []
        for (name, file) in leftFiles() {
            if let journal = LeftJournal(file, in: self, name: name, room: room) {
                room -= journal.size
                journals.append(journal)
            } else {
                ftruncate(file.rawValue, 0)
                remove(name)
            }
        }
        return journals
    }

    private func leftFiles() -> [(name: String, file: Descriptor)] {
        guard let folder else { return [] }
        return Self.names(in: folder).compactMap { name in
            let number = openat(
                folder.rawValue, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard number >= 0 else { return nil }
            let file = Descriptor(owning: number)
            // A service on another bus may be using it.
            guard isOwn(file), dictation_linux_lock_file(number) == 0 else { return nil }
            return (name, file)
        }
    }

    /// Whether it is a regular file of this user with one name.
    private func isOwn(_ file: Descriptor) -> Bool {
        var status = stat()
        return fstat(file.rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && status.st_uid == geteuid() && status.st_nlink == 1
    }

    private static func names(in folder: Descriptor) -> [String] {
        guard let number = try? folder.releasedDuplicate() else { return [] }
        guard let listing = fdopendir(number) else {
            close(number)
            return []
        }
        defer { closedir(listing) }
        // The duplicate shares its position with the folder.
        rewinddir(listing)
        var names: [String] = []
        while names.count < fileLimit, let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(prefix) { names.append(name) }
        }
        return names
    }
}
