import EventLoop
import Glibc

enum UnixSocket {
    /// A stream socket, connected to this path.
    static func connect(to path: String) throws -> Descriptor {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw TestFailure("socket: \(String(cString: strerror(errno)))") }
        let descriptor = Descriptor(owning: number)
        let result = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { pointer in
                pointer.baseAddress.map { Glibc.connect(number, $0, socklen_t(bytes.count)) } ?? -1
            }
        }
        guard result == 0 else { throw TestFailure("\(path): \(String(cString: strerror(errno)))") }
        return descriptor
    }
}
