internal import CLinux
public import EventLoop
internal import Glibc

/// A connection to an audio server that this process does not trust, such as one that a user's agent has lent.
///
/// libpipewire handles all messages that have arrived before it returns, so a server that sends without end would stop the
/// event loop. It also maps what the server sends: the process would end (SIGBUS) if that was shorter than the server says,
/// and wait if it was a file on a file system that hangs. Therefore all messages pass through here, a limited number of bytes
/// in each turn of the loop, with no other descriptors than memory and eventfds.
///
/// The messages themselves are not checked. libpipewire trusts them, so a server that is made for that can still end the
/// process. Only a process for each user would confine it.
@EventLoopActor
public final class UntrustedServer {
    private let server: Descriptor
    private let client: Descriptor
    /// What was received and could not be sent yet.
    private var toClient = SocketMessage()
    private var toServer = SocketMessage()
    private var serverWatch: EventLoop.Watch?
    private var clientWatch: EventLoop.Watch?
    private var forwardedDescriptors = 0
    private let report: @EventLoopActor (MicrophoneError) -> Void

    /// More than twenty capture streams need.
    private static let usualDescriptors = 512
    /// Descriptors that other users can still open while one server sends more than usual.
    private static let spareDescriptors = 256

    /// Forwards messages until one end is closed.
    /// - Parameters:
    ///   - server: a Unix stream socket that is connected to the server.
    ///   - report: told why the connection was ended, for the log.
    /// - Returns: a socket for ``AudioServer``.
    public static func connect(
        through server: Descriptor, report: @escaping @EventLoopActor (MicrophoneError) -> Void
    ) throws -> Descriptor {
        guard server.socketOption(SO_DOMAIN) == AF_UNIX,
            server.socketOption(SO_TYPE) == Int32(SOCK_STREAM.rawValue)
        else { throw MicrophoneError(.cannotConnect, message: "what was lent is not a Unix stream socket") }
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        guard socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else {
            throw MicrophoneError(.cannotConnect, errno: errno)
        }
        let client = Descriptor(owning: ends[0])
        let result = Descriptor(owning: ends[1])
        guard dictation_linux_survive_truncation() == 0 else {
            throw MicrophoneError(.cannotConnect, errno: errno)
        }
        try UntrustedServer(server, client, report).start()
        return result
    }

    private init(
        _ server: Descriptor, _ client: Descriptor,
        _ report: @escaping @EventLoopActor (MicrophoneError) -> Void
    ) {
        self.server = server
        self.client = client
        self.report = report
    }

    private func start() throws {
        do {
            serverWatch = try EventLoopActor.watch(server.rawValue, for: .readable) { _ in self.forward() }
            clientWatch = try EventLoopActor.watch(client.rawValue, for: .readable) { events in
                if events.contains(.hangUp) { self.end() } else { self.forward() }
            }
        } catch {
            end()
            throw error
        }
    }

    private func forward() {
        do {
            try forwardToServer()
            try forwardToClient()
        } catch {
            // The client learns the end of the connection from its socket, but not a refusal.
            if let refusal = error as? MicrophoneError { report(refusal) }
            end()
            return
        }
        serverWatch?.interest = Self.interest(reading: toClient, writing: toServer)
        // Its end is noticed also while the server reads nothing.
        clientWatch?.interest = Self.interest(reading: toServer, writing: toClient).union(.hangUp)
    }

    /// Closes both sockets, because the watches own this object.
    private func end() {
        serverWatch?.cancel()
        clientWatch?.cancel()
        serverWatch = nil
        clientWatch = nil
    }

    private static func interest(
        reading incoming: SocketMessage, writing outgoing: SocketMessage
    ) -> EventLoop.Interest {
        (incoming.isEmpty ? EventLoop.Interest.readable : []).union(outgoing.isEmpty ? [] : .writable)
    }

    private func forwardToServer() throws {
        if toServer.isEmpty, let message = try SocketMessage(from: client) { toServer = message }
        try toServer.send(to: server)
    }

    /// Forwards nothing until the client has read what was forwarded before.
    private func forwardToClient() throws {
        guard dictation_linux_unread(client.rawValue) == 0 else { return }
        if toClient.isEmpty, let message = try SocketMessage(from: server) {
            try check(message.descriptors)
            toClient = message
        }
        try toClient.send(to: client)
    }

    private func check(_ descriptors: [Descriptor]) throws {
        guard !descriptors.isEmpty else { return }
        guard descriptors.allSatisfy({ $0.isMemory || $0.isEventFD }) else {
            throw MicrophoneError(
                .disconnected, message: "it sent a descriptor that is neither memory nor an eventfd")
        }
        // libpipewire keeps them as long as the server wants.
        forwardedDescriptors += descriptors.count
        if forwardedDescriptors > Self.usualDescriptors, !Descriptor.canOpen(Self.spareDescriptors) {
            throw MicrophoneError(.disconnected, message: "it sent too many descriptors")
        }
    }
}

extension Descriptor {
    fileprivate var isMemory: Bool { dictation_linux_is_memory(rawValue) }

    /// It cannot be mapped.
    fileprivate var isEventFD: Bool {
        var target = [UInt8](repeating: 0, count: 64)
        let length = target.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { readlink("/proc/self/fd/\(rawValue)", $0, buffer.count) } ?? -1
        }
        return length > 0 && String(decoding: target.prefix(length), as: UTF8.self) == "anon_inode:[eventfd]"
    }
}
