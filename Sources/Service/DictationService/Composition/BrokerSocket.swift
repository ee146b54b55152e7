import DBus
import EventLoop
import Glibc

/// The broker's socket.
@EventLoopActor
final class BrokerSocket {
    let path: String
    /// Made for the socket alone, and removed with it.
    private let ownFolder: String?
    private let server: PeerServer

    private static let prefix = "broker-"
    /// What may wait to be passed on of one worker. libdbus stops reading above that.
    private static let mostBytes = 256 << 10

    /// In the runtime folder of systemd.exec(5), or the user's, or in a folder of its own where temporary files lie.
    init(
        environment: [String: String], accept: @escaping @EventLoopActor (PeerConnection) -> Void
    ) throws {
        let folder: String
        if let runtime = Self.runtimeFolder(environment) {
            folder = runtime
            ownFolder = nil
            Self.removeLeftSockets(in: folder)
        } else {
            var template = Array("/tmp/dictation-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw EventLoopError(call: "mkdtemp", code: errno) }
            folder = String(
                decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            ownFolder = folder
        }
        path = "\(folder)/\(Self.prefix)\(getpid())"
        // A worker sends no descriptors.
        server = try PeerServer(
            at: path, limits: PeerConnection.Limits(bytes: Self.mostBytes, descriptors: 0),
            mayConnect: { _ in true }, accept: accept)
    }

    private static func runtimeFolder(_ environment: [String: String]) -> String? {
        if let folder = environment["RUNTIME_DIRECTORY"], folder.hasPrefix("/") { return folder }
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else { return nil }
        let folder = "\(runtime)/dictation"
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { return nil }
        return access(folder, W_OK) == 0 ? folder : nil
    }

    /// Removes the sockets of processes that were killed.
    private static func removeLeftSockets(in folder: String) {
        guard let listing = opendir(folder) else { return }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasPrefix(prefix), let process = Int32(name.dropFirst(prefix.count)) else { continue }
            if kill(process, 0) != 0, errno == ESRCH { unlink("\(folder)/\(name)") }
        }
    }

    /// Stops listening. Connections stay.
    func close() {
        server.stop()
        unlink(path)
        if let ownFolder { rmdir(ownFolder) }
    }
}
