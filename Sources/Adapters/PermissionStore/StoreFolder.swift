import EventLoop
import Glibc

/// The folder with the store's files. Mode 0700, files 0600.
///
/// Once it is open, only this user and root can change anything in it.
struct StoreFolder {
    static let fileName = "permissions.db"
    /// Files that SQLite may keep beside the database for an interrupted transaction.
    private static let suffixes = ["-journal", "-wal", "-shm"]

    let path: String
    private let descriptor: Descriptor

    var file: String { "\(path)/\(Self.fileName)" }

    /// Opens or creates the folder.
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

    /// Checks that the files belong to this user, and creates an empty database if there is none.
    ///
    /// SQLite would follow a link, and creates its other files with the mode of the first.
    func prepareFiles() throws(PermissionStoreError) {
        for suffix in Self.suffixes { _ = try checkFile(Self.fileName + suffix) }
        guard try !checkFile(Self.fileName) else { return }
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let opened = openat(descriptor.rawValue, Self.fileName, flags, 0o600)
        guard opened >= 0 else { throw .last(file) }
        close(opened)
        try synchronize()
    }

    /// - Returns: whether the file exists.
    private func checkFile(_ name: String) throws(PermissionStoreError) -> Bool {
        let path = "\(path)/\(name)"
        var status = stat()
        // By name, because closing a descriptor of the file would release SQLite's locks if it were open in this
        // process.
        guard fstatat(descriptor.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return false }
            throw .last(path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw PermissionStoreError(.refused, path, reason: "it is not a regular file")
        }
        guard status.st_uid == geteuid() else {
            throw PermissionStoreError(.refused, path, reason: "it belongs to user \(status.st_uid)")
        }
        guard status.st_nlink == 1 else {
            throw PermissionStoreError(.refused, path, reason: "it has another hard link")
        }
        if status.st_mode & 0o777 != 0o600 {
            guard fchmodat(descriptor.rawValue, name, 0o600, 0) == 0 else { throw .last(path) }
        }
        return true
    }

    /// Renames the files to unused names, so that they can be inspected.
    /// - Returns: the new path.
    func setAside() throws(PermissionStoreError) -> String {
        var number = 1
        while try checkFile("\(Self.fileName).corrupt-\(number)") { number += 1 }
        let name = "\(Self.fileName).corrupt-\(number)"
        // The database itself goes last, because its journal must not be applied to a new database.
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
