import Glibc

/// The program that a process runs.
enum Executable {
    /// What the kernel appends to the path of a file that no longer has that name.
    private static let deleted = " (deleted)"

    /// The path of the program, if that path leads to it.
    ///
    /// The link alone proves nothing: it is the path in the process's own mount namespace, where anybody can put
    /// anything. So the file found at that path here must be the one that runs.
    ///
    /// Programs are replaced while they run, by their upgrades. Then the link ends in "(deleted)", and the path counts
    /// if what is there now belongs to the owner of what runs: only that owner could have done the same.
    /// A program that was deleted without a successor has no identity; nor has one that lies in memory.
    static func path(of process: Folder) throws(IdentityError) -> String {
        let target = try process.target(of: "exe")
        let running = try process.status(of: "exe")
        if let found = file(at: target), found.st_dev == running.st_dev, found.st_ino == running.st_ino {
            return target
        }
        guard target.hasSuffix(deleted) else { throw IdentityError(.replaced, "exe") }
        let path = String(target.dropLast(deleted.count))
        guard let successor = file(at: path), successor.st_uid == running.st_uid else {
            throw IdentityError(.replaced, "exe")
        }
        return path
    }

    private static func file(at path: String) -> stat? {
        var status = stat()
        guard path.hasPrefix("/"), lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return status
    }
}
