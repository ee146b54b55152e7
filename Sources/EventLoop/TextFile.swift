import Glibc

/// Files of text that people write: settings, word lists.
public enum TextFile {
    /// In bytes. A file that is longer is none that a person wrote.
    public static let limit = 4 << 20

    /// The whole text of a file; nil where there is none. Waits for the file system: not on an event loop.
    ///
    /// Not by Foundation, which leaks a page for each empty file (6.3.1, found by the address sanitizer).
    /// - Throws: `EILSEQ` where it is not UTF-8, `EFBIG` where it is longer than ``limit``, and what the kernel says.
    public static func read(_ path: String) throws(EventLoopError) -> String? {
        guard let file = fopen(path, "re") else {
            if errno == ENOENT { return nil }
            throw .last("fopen")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes += chunk[..<count]
            if bytes.count > limit { throw EventLoopError(call: "fread", code: EFBIG) }
        }
        if ferror(file) != 0 { throw .last("fread") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw EventLoopError(call: "fread", code: EILSEQ)
        }
        return text
    }
}

extension EventLoopError {
    /// Why a file cannot be read, for people.
    public var reason: String {
        switch code {
        case EILSEQ: "it is not UTF-8 text"
        case EFBIG: "it is longer than \(TextFile.limit >> 20) MiB"
        default: String(cString: strerror(code))
        }
    }
}
