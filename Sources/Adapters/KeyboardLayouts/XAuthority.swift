internal import Glibc

/// The file with the cookies by which X servers know their user: Xau(3).
enum XAuthority {
    private static let limit = 64 << 10
    private static let method = Array("MIT-MAGIC-COOKIE-1".utf8)
    private static let local: UInt16 = 256
    private static let wild: UInt16 = 65535

    /// The cookie of a screen of this machine; nil if the file has none. Blocks.
    static func cookie(in path: String, display: String) -> [UInt8]? {
        guard let bytes = read(path) else { return nil }
        return cookie(of: bytes, display: Array(display.utf8), host: hostName())
    }

    /// A server without its own entry may be known by another name of this machine: then any entry for the display counts.
    static func cookie(of bytes: [UInt8], display: [UInt8], host: [UInt8]) -> [UInt8]? {
        var other: [UInt8]?
        var rest = bytes[...]
        while let family = number(&rest), let address = field(&rest), let number = field(&rest),
            let name = field(&rest), let data = field(&rest)
        {
            guard name == method, number.isEmpty || number == display, data.count <= 256 else { continue }
            if family == wild || family == local && address == host { return data }
            if family == local { other = other ?? data }
        }
        return other
    }

    /// The highest byte first.
    private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
        guard rest.count >= 2 else { return nil }
        return UInt16(rest.removeFirst()) << 8 | UInt16(rest.removeFirst())
    }

    private static func field(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard let count = number(&rest), rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }

    private static func hostName() -> [UInt8] {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return [] }
        return name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    private static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(file, &bytes, limit)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }
}
