import Glibc

/// The program that a process runs.
struct Executable {
    let path: String
    /// The device number of the file system that the running file lies on.
    let device: DeviceNumber

    /// The suffix that the kernel adds to the path of a deleted file.
    private static let deleted = " (deleted)"

    /// The program of a process, if its path leads to the running file.
    ///
    /// The link alone proves nothing: it is the path in the process's own mount namespace, which its creator controls.
    /// So the file found at that path here must be the one that runs.
    ///
    /// Upgrades replace programs while they run. The link then ends in "(deleted)". The path still counts if the file
    /// there now belongs to the owner of the running file, because only that owner could have replaced it. A program
    /// that was deleted and not replaced has no identity, and neither has one in memory.
    ///
    /// A file that still has a name may be called "… (deleted)": the name of another program with the kernel's suffix. So the
    /// suffix counts only for a file without any name. On overlayfs, a file of a lower layer keeps the number of names that it has
    /// there: after an upgrade, such a program has no identity until it is started again.
    init(of process: Folder) throws(IdentityError) {
        let target = try process.target(of: "exe")
        let running = try process.status(of: "exe")
        device = DeviceNumber(running.st_dev)
        if let found = Self.file(at: target), found.st_dev == running.st_dev, found.st_ino == running.st_ino {
            path = target
            return
        }
        guard target.hasSuffix(Self.deleted), running.st_nlink == 0 else {
            throw IdentityError(.replaced, "exe")
        }
        path = String(target.dropLast(Self.deleted.count))
        guard let successor = Self.file(at: path), successor.st_uid == running.st_uid else {
            throw IdentityError(.replaced, "exe")
        }
    }

    private static func file(at path: String) -> stat? {
        var status = stat()
        guard path.hasPrefix("/"), lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return status
    }
}
