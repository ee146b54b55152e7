internal import CLinux
public import EventLoop
internal import Glibc

/// A connection to an audio server that this process does not trust, such as one that a user's agent has lent.
///
/// libpipewire handles all messages that have arrived before it returns, so a server that sends without end would stop the
/// event loop. It also maps what the server sends: the process would end (SIGBUS) if that was shorter than the server says,
/// and wait if it was a file on a file system that hangs. Therefore all messages pass through here, a limited number of bytes
/// in each turn of the loop, with no other descriptors than memory and eventfds. Another process with the same socket can make
/// reading it wait, so a thread reads it and looks at the descriptors.
///
/// The messages themselves are not checked. libpipewire trusts them, so a server that is made for that can still end the
/// process. Only a process for each user would confine it.
@EventLoopActor
public final class UntrustedServer {
    private let server: Descriptor
    private let reader: ServerReader
    private let client: Descriptor
    /// What was received and could not be sent yet.
    private var toClient = SocketMessage()
    private var toServer = SocketMessage()
    private var serverWatch: EventLoop.Watch?
    private var clientWatch: EventLoop.Watch?
    private let report: @EventLoopActor (MicrophoneError) -> Void

    /// Forwards messages until one end is closed.
    /// - Parameters:
    ///   - server: a Unix stream socket that is connected to the server.
    ///   - lease: released when the thread has ended.
    ///   - report: told why the connection was ended, for the log.
    /// - Returns: a socket for ``AudioServer``.
    public static func connect(
        through server: Descriptor, lease: (any Sendable)? = nil,
        report: @escaping @EventLoopActor (MicrophoneError) -> Void
    ) async throws -> Descriptor {
        let reader = try ServerReader(server, lease: lease)
        do {
            guard await reader.isUnixStream else {
                throw MicrophoneError(
                    .cannotConnect, message: "what was lent is not a Unix stream socket")
            }
            return try connect(server, reader, report)
        } catch {
            reader.end()
            throw error
        }
    }

    private static func connect(
        _ server: Descriptor, _ reader: ServerReader,
        _ report: @escaping @EventLoopActor (MicrophoneError) -> Void
    ) throws -> Descriptor {
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
        try UntrustedServer(server, reader, client, report).start()
        return result
    }

    private init(
        _ server: Descriptor, _ reader: ServerReader, _ client: Descriptor,
        _ report: @escaping @EventLoopActor (MicrophoneError) -> Void
    ) {
        self.server = server
        self.reader = reader
        self.client = client
        self.report = report
    }

    private func start() throws {
        do {
            serverWatch = try EventLoopActor.watch(server.rawValue, for: []) { _ in self.forward() }
            clientWatch = try EventLoopActor.watch(client.rawValue, for: .readable) { events in
                if events.contains(.hangUp) { self.end() } else { self.forward() }
            }
        } catch {
            end()
            throw error
        }
        reader.begin { self.take($0) }
    }

    private func take(_ result: Result<SocketMessage, any Error>) {
        guard clientWatch != nil else { return }
        do {
            toClient = try result.get()
            forward()
        } catch {
            end(error)
        }
    }

    private func forward() {
        do {
            try forwardToServer()
            try forwardToClient()
        } catch {
            return end(error)
        }
        serverWatch?.interest = toServer.isEmpty ? [] : .writable
        // Its end is noticed also while the server reads nothing.
        clientWatch?.interest =
            (toServer.isEmpty ? EventLoop.Interest.readable : [])
            .union(toClient.isEmpty ? [] : .writable).union(.hangUp)
    }

    private func end(_ error: any Error) {
        // The client learns the end of the connection from its socket, but not a refusal.
        if let refusal = error as? MicrophoneError { report(refusal) }
        end()
    }

    /// Closes both sockets, because the watches own this object.
    private func end() {
        reader.end()
        serverWatch?.cancel()
        clientWatch?.cancel()
        serverWatch = nil
        clientWatch = nil
    }

    private func forwardToServer() throws {
        if toServer.isEmpty, let message = try SocketMessage(from: client) { toServer = message }
        try toServer.send(to: server)
    }

    /// Forwards nothing until the client has read what was forwarded before: the watch of the client calls this again in the
    /// next turn.
    private func forwardToClient() throws {
        guard !toClient.isEmpty, dictation_linux_unread(client.rawValue) == 0 else { return }
        try toClient.send(to: client)
        if toClient.isEmpty { reader.readNext() }
    }
}
