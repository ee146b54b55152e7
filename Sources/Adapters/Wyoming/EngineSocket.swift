public import DictationCore
public import EventLoop
import Glibc

/// Connections to engines for other processes, and checks of connections from other processes.
public enum EngineSocket {
    /// Timeout of connect(2) in milliseconds.
    private static let connectTimeout: Int32 = 500

    // MARK: Opening

    /// Connects to a server and checks that it is the user's own or root's. Blocks for up to 0.5 s, and longer if a name
    /// must be looked up.
    /// - Parameter uid: the user's.
    /// - Returns: a connected stream socket, non-blocking.
    public static func connect(to address: WyomingAddress, uid: UInt32) throws(EngineFailure) -> Descriptor {
        let descriptor: Descriptor
        switch address {
        case .unix(let path):
            descriptor = try connectUnix(path, address)
            try check(Set([peer(of: descriptor)].compactMap(\.self)), uid: uid, at: "\(address)")
        case .tcp(let host, let port):
            descriptor = try connectTCP(host == "localhost" ? "127.0.0.1" : host, port, address)
            if address.isLocal { try check(ListenerOwner.uids(port: port), uid: uid, at: "\(address)") }
        }
        return descriptor
    }

    private static func connectUnix(
        _ path: String, _ address: WyomingAddress
    ) throws(EngineFailure) -> Descriptor {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        // The path fits: see WyomingAddress.
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let socket = try open(AF_UNIX, address)
        let result = withUnsafeBytes(of: &name) { bytes in
            connect(socket, bytes)
        }
        // EAGAIN means that the server's queue is full. poll(2) would not wait for that.
        guard result == 0 else { throw unreachable(address, errno) }
        return socket
    }

    private static func connectTCP(
        _ host: String, _ port: Int, _ address: WyomingAddress
    ) throws(EngineFailure) -> Descriptor {
        // Where TCP is not allowed, names cannot be looked up either, and the error would be about the name.
        _ = try open(AF_INET, address)
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &list)
        guard code == 0, let first = list?.pointee, let name = first.ai_addr else {
            throw EngineFailure(
                .unreachable, "No engine answers at \(address): \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(list) }
        let socket = try open(first.ai_family, address)
        let bytes = UnsafeRawBufferPointer(start: name, count: Int(first.ai_addrlen))
        guard connect(socket, bytes) != 0 else { return socket }
        guard errno == EINPROGRESS else { throw unreachable(address, errno) }
        var wait = pollfd(fd: socket.rawValue, events: Int16(POLLOUT), revents: 0)
        guard poll(&wait, 1, connectTimeout) > 0 else { throw unreachable(address, ETIMEDOUT) }
        let error = socket.socketOption(SO_ERROR) ?? EBADF
        guard error == 0 else { throw unreachable(address, error) }
        return socket
    }

    private static func open(_ family: Int32, _ address: WyomingAddress) throws(EngineFailure) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let number = socket(family, type, 0)
        guard number >= 0 else { throw unreachable(address, errno) }
        return Descriptor(owning: number)
    }

    private static func connect(_ socket: Descriptor, _ name: UnsafeRawBufferPointer) -> Int32 {
        name.withMemoryRebound(to: sockaddr.self) { pointer in
            pointer.baseAddress.map { Glibc.connect(socket.rawValue, $0, socklen_t(name.count)) } ?? -1
        }
    }

    /// - Parameter code: of socket(2) or connect(2).
    static func unreachable(_ address: WyomingAddress, _ code: Int32) -> EngineFailure {
        // The packaged units allow unix sockets only.
        if code == EAFNOSUPPORT {
            return EngineFailure(
                .unreachable,
                "systemd does not allow TCP for \(address): use a unix socket, or set RestrictAddressFamilies=AF_INET AF_INET6 in the unit; see dictation.conf(5)"
            )
        }
        return EngineFailure(
            .unreachable, "No engine answers at \(address): \(String(cString: strerror(code)))")
    }

    // MARK: Checking

    /// Checks that a descriptor from another process is a connected stream socket, and that its peer is the user's or
    /// root's for a Unix socket, or on this machine for TCP. Does not block.
    static func checkLent(
        _ descriptor: Descriptor, uid: UInt32, mayBeRemote: Bool
    ) throws(EngineFailure) {
        guard descriptor.socketOption(SO_TYPE) == Int32(SOCK_STREAM.rawValue),
            descriptor.socketOption(SO_ACCEPTCONN) == 0, let name = peerName(of: descriptor)
        else {
            throw EngineFailure(
                .notTrusted, "The desktop agent's descriptor is not a connected stream socket.")
        }
        switch Int32(name.ss_family) {
        case AF_UNIX:
            try check(Set([peer(of: descriptor)].compactMap(\.self)), uid: uid, at: "the lent connection")
        case AF_INET, AF_INET6:
            guard mayBeRemote || isLoopback(name) else {
                throw EngineFailure(
                    .notTrusted,
                    "The engine is on another machine: the administrator must set 'allow-remote-engines'.")
            }
        default:
            throw EngineFailure(.notTrusted, "The desktop agent lent a socket of an unknown family.")
        }
    }

    static func check(_ owners: Set<UInt32>, uid: UInt32, at place: String) throws(EngineFailure) {
        let strangers = owners.filter { $0 != uid && $0 != 0 }
        guard owners.isEmpty || !strangers.isEmpty else { return }
        let whose = strangers.first.map { "a program of user \($0)" } ?? "an unknown program"
        throw EngineFailure(
            .notTrusted, "The server at \(place) is \(whose), not one of user \(uid) or of root.")
    }

    /// The user at the other end of a Unix socket.
    private static func peer(of descriptor: Descriptor) -> UInt32? {
        var credentials = PeerCredentials()
        var size = socklen_t(MemoryLayout<PeerCredentials>.size)
        guard getsockopt(descriptor.rawValue, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else {
            return nil
        }
        return credentials.uid
    }

    /// Nil if it is not connected.
    private static func peerName(of descriptor: Descriptor) -> sockaddr_storage? {
        var name = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutableBytes(of: &name) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { pointer in
                pointer.baseAddress.map { getpeername(descriptor.rawValue, $0, &size) } ?? -1
            }
        }
        return result == 0 ? name : nil
    }

    /// 127.0.0.0/8, ::1, or ::ffff:127.0.0.0/104.
    private static func isLoopback(_ name: sockaddr_storage) -> Bool {
        withUnsafeBytes(of: name) { bytes in
            if Int32(name.ss_family) == AF_INET {
                // struct sockaddr_in: family, port, address.
                return bytes[4] == 127
            }
            // struct sockaddr_in6: family, port, flow, address.
            let address = bytes[8..<24]
            let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
            return address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
                || address.prefix(12).elementsEqual(mapped) && address[20] == 127
        }
    }
}

/// `struct ucred` of unix(7).
struct PeerCredentials {
    var pid: Int32 = 0
    var uid: UInt32 = 0
    var gid: UInt32 = 0
}
