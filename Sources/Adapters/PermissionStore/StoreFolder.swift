import EventLoop
import Glibc

/// The folder with the store's files, which is nobody else's: 0700, and the files 0600.
///
/// Nobody but this user, and root, can change anything in it once it is open.
struct StoreFolder {
    static let fileName = "permissions.db"
    /// What SQLite may keep beside the file: the rest of a change that was interrupted.
    private static let suffixes = ["-journal", "-wal", "-shm"]

    let path: String
    private let descriptor: Descriptor

    var file: String { "\(path)/\(Self.fileName)" }

    /// Opens the folder, and makes it if it is not there.
    init(path: String) throws(PermissionStoreError) {
        try Self.make(path)
        self.path = path
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else {
            switch errno {
            case ENOTDIR, ELOOP: throw PermissionStoreError(.refused, path, reason: "it is not a folder")
            default: throw .last(path)
            }
        }
        descriptor = Descriptor(owning: opened)
        var status = stat()
        guard fstat(opened, &status) == 0 else { throw .last(path) }
        guard status.st_uid == geteuid() else {
            throw PermissionStoreError(.refused, path, reason: "it belongs to user \(status.st_uid)")
        }
        if status.st_mode & 0o777 != 0o700 {
            guard fchmod(opened, 0o700) == 0 else { throw .last(path) }
        }
    }

    private static func make(_ path: String) throws(PermissionStoreError) {
        var ancestor = path.hasPrefix("/") ? "" : "."
        for component in path.split(separator: "/") {
            ancestor += "/\(component)"
            guard mkdir(ancestor, 0o700) == 0 || errno == EEXIST else { throw .last(ancestor) }
        }
    }

    /// Sees that the files are this user's own, and makes an empty one if there is none.
    ///
    /// SQLite would follow a link, and makes its other files as open to others as the first.
    func prepareFiles() throws(PermissionStoreError) {
        for suffix in Self.suffixes { _ = try checkFile(Self.fileName + suffix) }
        guard try !checkFile(Self.fileName) else { return }
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let opened = openat(descriptor.rawValue, Self.fileName, flags, 0o600)
        guard opened >= 0 else { throw .last(file) }
        close(opened)
        try synchronize()
    }

    /// - Returns: whether there is such a file.
    private func checkFile(_ name: String) throws(PermissionStoreError) -> Bool {
        let path = "\(path)/\(name)"
        var status = stat()
        // By name: closing a descriptor of the file would give up SQLite's locks, were it open in this process.
        guard fstatat(descriptor.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return false }
            throw .last(path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw PermissionStoreError(.refused, path, reason: "it is not a file")
        }
        guard status.st_uid == geteuid() else {
            throw PermissionStoreError(.refused, path, reason: "it belongs to user \(status.st_uid)")
        }
        guard status.st_nlink == 1 else {
            throw PermissionStoreError(.refused, path, reason: "it has a second name somewhere")
        }
        if status.st_mode & 0o777 != 0o600 {
            guard fchmodat(descriptor.rawValue, name, 0o600, 0) == 0 else { throw .last(path) }
        }
        return true
    }

    /// Renames the files to names not yet used, for whoever wants to know what happened to them.
    /// - Returns: the new path.
    func setAside() throws(PermissionStoreError) -> String {
        var number = 1
        while try checkFile("\(Self.fileName).corrupt-\(number)") { number += 1 }
        let name = "\(Self.fileName).corrupt-\(number)"
        // What belongs to the old file must not be applied to the new one, so the file itself goes last.
        for suffix in Self.suffixes + [""] {
            let result = renameat(
                descriptor.rawValue, Self.fileName + suffix, descriptor.rawValue, name + suffix)
            guard result == 0 || errno == ENOENT else { throw .last(file + suffix) }
        }
        try synchronize()
        return "\(path)/\(name)"
    }

    private func synchronize() throws(PermissionStoreError) {
        guard fsync(descriptor.rawValue) == 0 else { throw .last(path) }
    }
}
