import EventLoop
import Glibc

/// An open folder, which stays the same if its path changes. Files are read with a limit on their size.
///
/// A folder of `/proc/PID` stays bound to its process: after the process has ended, reading fails with `ESRCH`, even if
/// its number is in use again.
struct Folder: Sendable {
    private let descriptor: Descriptor

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    static func at(_ path: String) throws(IdentityError) -> Folder {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .last(path) }
        return Folder(Descriptor(owning: opened))
    }

    /// Opens a folder in this one. Follows a symbolic link; those in `/proc` are the kernel's.
    func folder(_ name: String) throws(IdentityError) -> Folder {
        let opened = openat(descriptor.rawValue, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .last(name) }
        return Folder(Descriptor(owning: opened))
    }

    /// Reads a regular file.
    /// - Parameter limit: the maximum size in bytes.
    /// - Returns: nil if there is no such file. Any other failure is an error.
    func contents(of name: String, limit: Int) throws(IdentityError) -> [UInt8]? {
        // Opening a pipe must not block, and opening a terminal must not make it the controlling terminal.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let opened = openat(descriptor.rawValue, name, flags)
        guard opened >= 0 else {
            if errno == ENOENT { return nil }
            throw .last(name)
        }
        let file = Descriptor(owning: opened)
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { throw .last(name) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw IdentityError(.malformed, name) }
        return try Self.read(file, name, limit: limit)
    }

    private static func read(
        _ file: Descriptor, _ name: String, limit: Int
    ) throws(IdentityError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = Glibc.read(file.rawValue, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count > 0 {
                bytes += buffer.prefix(count)
            } else if errno != EINTR {
                throw .last(name)
            }
        }
        throw IdentityError(.malformed, name)
    }

    /// The first bytes of a regular file, or fewer if it is shorter. Follows a symbolic link.
    func start(of name: String, count: Int) throws(IdentityError) -> [UInt8] {
        let opened = openat(descriptor.rawValue, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard opened >= 0 else { throw .last(name) }
        let file = Descriptor(owning: opened)
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(file.rawValue, &bytes, count, 0)
        guard read >= 0 else { throw .last(name) }
        return Array(bytes.prefix(read))
    }

    /// The names of the files in it.
    /// - Parameter limit: the maximum number of names; more are an error.
    func names(limit: Int) throws(IdentityError) -> [String] {
        let opened = openat(descriptor.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .last(".") }
        guard let folder = fdopendir(opened) else {
            let error = IdentityError.last(".")
            close(opened)
            throw error
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            guard names.count < limit else { throw IdentityError(.malformed, ".") }
            names.append(name)
        }
        return names
    }

    /// The target of a symbolic link, at most `PATH_MAX` bytes.
    func target(of name: String) throws(IdentityError) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlinkat(descriptor.rawValue, name, &buffer, buffer.count)
        guard count >= 0 else { throw .last(name) }
        guard count < buffer.count,
            let target = String(validating: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        else { throw IdentityError(.malformed, name) }
        return target
    }

    /// The status of a file. Follows a symbolic link.
    func status(of name: String) throws(IdentityError) -> stat {
        var status = stat()
        guard fstatat(descriptor.rawValue, name, &status, 0) == 0 else { throw .last(name) }
        return status
    }
}
