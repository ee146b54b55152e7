public import Glibc

/// Text files that people write, such as settings and word lists.
public enum TextFile {
    /// In bytes. Longer files are refused.
    public static let limit = 4 << 20

    /// Reads a file; nil if it does not exist. Blocks, so not for an event loop.
    ///
    /// Not with Foundation, which leaks a page for each empty file (6.3.1, found by the address sanitizer).
    /// - Throws: `EINVAL` if it is not a regular file, `EFBIG` if it is longer than ``limit``, `EILSEQ` if it is not
    ///   UTF-8, and errors of the kernel.
    public static func read(_ path: String) throws(EventLoopError) -> String? {
        // Non-blocking, because opening a pipe without a writer would block.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .last("open")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .last("fstat") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw EventLoopError(call: "open", code: EINVAL) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count == 0 { break }
            guard count > 0 else { throw .last("read") }
            bytes += chunk[..<count]
            if bytes.count > limit { throw EventLoopError(call: "read", code: EFBIG) }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw EventLoopError(call: "read", code: EILSEQ)
        }
        return text
    }

    /// Replaces a file, or makes it. It has the old or the new text, whatever happens meanwhile. Returns when it is on the disk;
    /// blocks.
    /// - Parameters:
    ///   - path: a link there is replaced too.
    ///   - mode: the permissions of the new file. By default others may not read it.
    public static func replace(
        _ path: String, with text: String, mode: mode_t = 0o600
    ) throws(EventLoopError) {
        try replace(path, with: Array(text.utf8), mode: mode)
    }

    /// The same with bytes.
    public static func replace(
        _ path: String, with bytes: [UInt8], mode: mode_t = 0o600
    ) throws(EventLoopError) {
        let temporary = "\(path).\(getpid())"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .last("open") }
        do throws(EventLoopError) {
            defer { close(file) }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
                guard count > 0 else { throw .last("write") }
                rest = rest.dropFirst(count)
            }
            guard fchmod(file, mode) == 0 else { throw .last("fchmod") }
            guard fsync(file) == 0 else { throw .last("fsync") }
            guard rename(temporary, path) == 0 else { throw .last("rename") }
        } catch {
            unlink(temporary)
            throw error
        }
        let folder = open(parent(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .last("open") }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .last("fsync") }
    }

    private static func parent(of path: String) -> String {
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : String(folder)
    }
}

extension EventLoopError {
    /// The reason for people.
    public var reason: String {
        switch code {
        case EILSEQ: "it is not UTF-8 text"
        case EINVAL: "it is not a regular file"
        case EFBIG: "it is longer than \(TextFile.limit >> 20) MiB"
        default: String(cString: strerror(code))
        }
    }
}
