import Glibc

/// Finds the user whose program listens on a loopback TCP port, in the kernel's tables of TCP sockets. A program of another
/// user may have taken the port.
enum ListenerOwner {
    /// The users that listen on the port at loopback or at all addresses.
    static func uids(port: Int) -> Set<UInt32> {
        ["/proc/self/net/tcp", "/proc/self/net/tcp6"].reduce(into: []) { uids, path in
            uids.formUnion(Self.uids(port: port, in: Self.read(path)))
        }
    }

    /// Reads proc_net_tcp(5): `sl local_address rem_address st … uid`. State 0A is LISTEN.
    static func uids(port: Int, in table: [UInt8]) -> Set<UInt32> {
        var uids: Set<UInt32> = []
        for line in table.split(separator: 10).dropFirst() {
            let fields = line.split(separator: 32).prefix(8).map { String(decoding: $0, as: UTF8.self) }
            guard fields.count == 8, fields[3] == "0A", let uid = UInt32(fields[7]),
                let colon = fields[1].firstIndex(of: ":"),
                Int(fields[1][fields[1].index(after: colon)...], radix: 16) == port,
                Self.acceptsLoopback(fields[1][..<colon])
            else { continue }
            uids.insert(uid)
        }
        return uids
    }

    /// - Parameter address: in the kernel's format: hexadecimal, in the machine's byte order (little-endian).
    private static func acceptsLoopback(_ address: Substring) -> Bool {
        switch address {
        case "0100007F", "00000000": true
        case "00000000000000000000000000000000", "00000000000000000000000001000000": true
        case "0000000000000000FFFF00000100007F", "0000000000000000FFFF000000000000": true
        default: false
        }
    }

    /// Reads at most 8 MB, which is 50,000 sockets.
    private static func read(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while bytes.count < 8 << 20 {
            let count = Glibc.read(file, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }
}
