import DictationCore
import Glibc
import NIOCore
import NIOPosix

import struct EventLoop.PeerCredentials

/// Connects to a server and checks which user it belongs to.
struct Dialer: Sendable {
    let address: WyomingAddress
    /// The user. Servers of this user and of root are trusted.
    let uid: UInt32
    let mayBeRemote: Bool

    /// One thread for all engines that this process connects to itself.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Whether audio stays on this machine.
    var isLocal: Bool { address.isLocal }
    /// The event loop of the connections.
    var loop: any EventLoop { Self.group.next() }

    /// Timeout of connect(2). Servers on this machine accept within microseconds.
    private var connectTimeout: TimeAmount {
        switch address {
        case .unix: .milliseconds(200)
        case .tcp: .milliseconds(500)
        }
    }

    /// Opens a connection. Called on ``loop``.
    /// - Parameter prepare: adds the channel's handlers.
    func connect(_ prepare: @escaping @Sendable (any Channel) throws -> Void) -> EventLoopFuture<any Channel>
    {
        let loop = loop
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(connectTimeout)
            .channelOption(.maxMessagesPerRead, value: 4)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try prepare(channel) }
            }
        let connected: EventLoopFuture<any Channel>
        switch address {
        case .unix(let path):
            connected = bootstrap.connect(unixDomainSocketPath: path)
        case .tcp(let host, let port):
            guard address.isLocal || mayBeRemote else {
                return loop.makeFailedFuture(
                    EngineFailure(
                        .notTrusted,
                        "\(address) is on another machine: the administrator must set 'allow-remote-engines'."
                    ))
            }
            connected = bootstrap.connect(host: host == "localhost" ? "127.0.0.1" : host, port: port)
        }
        return connected.flatMapErrorThrowing { error in
            throw failure(error)
        }.flatMap { channel in
            checkOwner(of: channel).map { channel }.flatMapErrorThrowing { error in
                // Close after this error was reported. Otherwise the reported error would be the closed connection.
                channel.eventLoop.execute { channel.close(promise: nil) }
                throw error
            }
        }
    }

    private func checkOwner(of channel: any Channel) -> EventLoopFuture<Void> {
        switch address {
        case .unix:
            guard let options = channel as? any SocketOptionProvider else {
                return channel.eventLoop.makeCompletedFuture { try check([]) }
            }
            let credentials: EventLoopFuture<PeerCredentials> = options.unsafeGetSocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
            return credentials.flatMapThrowing { try check([$0.uid]) }
        case .tcp(_, let port) where address.isLocal:
            return channel.eventLoop.makeCompletedFuture { try check(ListenerOwner.uids(port: port)) }
        case .tcp:
            return channel.eventLoop.makeSucceededVoidFuture()
        }
    }

    private func check(_ owners: Set<UInt32>) throws(EngineFailure) {
        let strangers = owners.filter { $0 != uid && $0 != 0 }
        guard owners.isEmpty || !strangers.isEmpty else { return }
        let whose = strangers.first.map { "a program of user \($0)" } ?? "an unknown program"
        throw EngineFailure(
            .notTrusted, "The server at \(address) is \(whose), not one of user \(uid) or of root.")
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

    private func failure(_ error: any Error) -> EngineFailure {
        switch error {
        case let error as IOError:
            return Self.unreachable(address, error.errnoCode)
        case let error as NIOConnectionError:
            // One for each address of the host, or none where the host's name is unknown.
            if let first = error.connectionErrors.first { return failure(first.error) }
            return EngineFailure(.unreachable, "No engine answers at \(address): the host is unknown")
        case ChannelError.connectTimeout:
            return EngineFailure(.unreachable, "No engine answers at \(address): no connection in time")
        default:
            return EngineFailure(.unreachable, "No engine answers at \(address): \(error)")
        }
    }
}
