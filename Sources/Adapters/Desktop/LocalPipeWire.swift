public import EventLoop
internal import Glibc

/// The PipeWire server of the desktop session that this process belongs to.
public enum LocalPipeWire {
    /// Connects to the socket that libpipewire's clients would choose: `PIPEWIRE_REMOTE`, else `pipewire-0`,
    /// in `PIPEWIRE_RUNTIME_DIR`, else `XDG_RUNTIME_DIR`, else `USERPROFILE`, and at last in `/run/pipewire`.
    ///
    /// Does not block: if the server's queue of connections is full, this is an error (`EAGAIN`).
    public static func connect(
        environment: [String: String]
    ) throws(EventLoopError) -> Descriptor {
        let path = socketPath(environment: environment)
        do {
            return try connect(to: path)
        } catch {
            // If neither socket exists, the error names the user's.
            let remote = remote(environment)
            guard !remote.hasPrefix("/"), let socket = try? connect(to: "\(systemFolder)/\(remote)") else {
                throw error
            }
            return socket
        }
    }

    /// The socket of the user's server, or of the system's if the environment names no folder of the user's.
    public static func socketPath(environment: [String: String]) -> String {
        let remote = remote(environment)
        if remote.hasPrefix("/") { return remote }
        let folders = ["PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR", "USERPROFILE"]
        return "\(folders.lazy.compactMap { environment[$0] }.first ?? systemFolder)/\(remote)"
    }

    private static func remote(_ environment: [String: String]) -> String {
        environment["PIPEWIRE_REMOTE"].flatMap { $0.isEmpty ? nil : $0 } ?? "pipewire-0"
    }

    private static let systemFolder = "/run/pipewire"

    /// Connects to the socket at this path.
    public static func connect(to path: String) throws(EventLoopError) -> Descriptor {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            // One byte stays zero to end the path.
            guard path.utf8.count < bytes.count else { return false }
            bytes.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { throw EventLoopError(call: "connect to \(path)", code: ENAMETOOLONG) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let number = socket(AF_UNIX, type, 0)
        guard number >= 0 else { throw EventLoopError(call: "socket", code: errno) }
        let descriptor = Descriptor(owning: number)
        let result = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { pointer in
                pointer.baseAddress.map { Glibc.connect(number, $0, socklen_t(bytes.count)) } ?? -1
            }
        }
        guard result == 0 else { throw EventLoopError(call: "connect to \(path)", code: errno) }
        return descriptor
    }
}
