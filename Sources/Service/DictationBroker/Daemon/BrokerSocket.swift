import DBus
import DictationBus
import EventLoop
import Glibc

/// The broker's socket.
@EventLoopActor
final class BrokerSocket {
    private let folder: String
    let path: String
    /// Made for the socket alone, and removed with it.
    private let ownFolder: String?
    private let server: PeerServer

    private static let prefix = "broker-"
    /// What may wait to be passed on of one worker. libdbus stops reading above that.
    private static let mostBytes = 256 << 10
    /// What Hello takes, with the lengths of its values: nothing else comes before it is accepted.
    private static let mostBytesBeforeHello = 160 << 10
    /// One user's worker must not fill the connection to the bus, which all users share: a worker sends some 10 to 100
    /// messages a second. Measured in C: with these, another client's call takes 0.25 ms (p99) while a worker floods.
    private static let rateOfMany = ReceivingRate(messages: 1000, bytes: 1 << 20, burst: .milliseconds(256))

    /// - Parameters:
    ///   - folder: where the socket is to be. If that is not possible, it is in a folder of its own where temporary files lie.
    ///   - isOfOneUser: whether only this process's user has a worker.
    init(in folder: String?, isOfOneUser: Bool, workers: Workers) throws {
        if let folder, mkdir(folder, 0o700) == 0 || errno == EEXIST, access(folder, W_OK) == 0 {
            self.folder = folder
            ownFolder = nil
            Self.removeLeftSockets(in: folder)
        } else {
            var template = Array("/tmp/dictation-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw EventLoopError(call: "mkdtemp", code: errno) }
            let own = String(
                decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            self.folder = own
            ownFolder = own
        }
        path = "\(self.folder)/\(Self.prefix)\(getpid())"
        // A worker sends no descriptors.
        server = try PeerServer(
            at: path,
            limits: PeerConnection.Limits(
                bytes: Self.mostBytes, messageBytes: Self.mostBytesBeforeHello, descriptors: 0,
                rate: isOfOneUser ? nil : Self.rateOfMany),
            accept: { [weak workers] in workers?.connected($0) })
    }

    /// Removes the sockets of processes that were killed.
    private static func removeLeftSockets(in folder: String) {
        for name in names(inFolder: folder) {
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
