import Glibc

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
