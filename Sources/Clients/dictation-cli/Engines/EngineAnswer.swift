import EventLoop
import Glibc

/// Asks a server at a unix socket what it is.
enum EngineAnswer {
    /// Maximum time for an answer. A small machine needs seconds to start an interpreter.
    private static let timeout: Int32 = 30_000

    /// Whether it answers `describe` of the Wyoming protocol with `info`.
    static func answers(at path: String) throws(EngineSetupError) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw EngineSetupError("The path \(path) is too long for a socket.")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        let request = Array("{\"type\": \"describe\"}\n".utf8)
        guard isConnected, send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
        else { return false }
        var answer = [UInt8](repeating: 0, count: 64)
        var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, timeout) == 1 else { return false }
        let count = recv(socket, &answer, answer.count, 0)
        return count > 0 && String(decoding: answer.prefix(count), as: UTF8.self).contains("\"info\"")
    }
}
