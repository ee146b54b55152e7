/// The address of a Wyoming server.
public enum WyomingAddress: Hashable, Sendable, CustomStringConvertible {
    /// An absolute path.
    case unix(String)
    case tcp(host: String, port: Int)

    /// Parses `unix:/run/engine.sock`, `unix:///run/engine.sock` and `tcp://127.0.0.1:10300`.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            var path = text.dropFirst(5)
            if path.hasPrefix("//") { path = path.dropFirst(2) }
            // sockaddr_un holds 107 bytes and a zero.
            guard path.hasPrefix("/"), path.utf8.count <= 107, !path.utf8.contains(0) else { return nil }
            self = .unix(String(path))
        } else if text.hasPrefix("tcp://") {
            let rest = text.dropFirst(6)
            guard let colon = rest.lastIndex(of: ":"), let port = Int(rest[rest.index(after: colon)...]),
                (1...65535).contains(port)
            else { return nil }
            var host = rest[..<colon]
            if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
            guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else { return nil }
            self = .tcp(host: String(host), port: port)
        } else {
            return nil
        }
    }

    /// Whether audio stays on this machine.
    public var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _): Self.isLoopback(host)
        }
    }

    public var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port):
            host.contains(":") ? "tcp://[\(host)]:\(port)" : "tcp://\(host):\(port)"
        }
    }

    /// Names are not looked up; `localhost` means 127.0.0.1.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "127.0.0.1" || host == "::1"
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x3a, 0x5f: true
        default: false
        }
    }
}
