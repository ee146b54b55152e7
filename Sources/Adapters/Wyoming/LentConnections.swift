public import DictationCore
public import EventLoop
import NIOCore
import NIOPosix

/// A thread for the connections to the engines of one user.
///
/// The lender of a connection keeps the socket too, and can make calls on it block. That must not block the connections of
/// other users.
public final class EngineThread: Sendable {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    public init() {}
}

/// Connections that the user's desktop agent opens, because this process has no access to the user's sockets.
public struct LentConnections: Sendable {
    /// Requests a connection. Must return at once. The completion is called once, on any thread.
    public typealias Open =
        @Sendable (_ completion: @escaping @Sendable (Result<Descriptor, EngineFailure>) -> Void) -> Void

    /// Timeout of a request.
    static let timeout = TimeAmount.seconds(2)

    let isLocal: Bool
    let uid: UInt32
    let thread: EngineThread
    let open: Open

    /// - Parameters:
    ///   - isLocal: whether the server is on this machine.
    ///   - uid: the user. The server must belong to this user or to root.
    public init(isLocal: Bool, uid: UInt32, thread: EngineThread, open: @escaping Open) {
        self.isLocal = isLocal
        self.uid = uid
        self.thread = thread
        self.open = open
    }
}

extension LentConnections: Dialing {
    var loop: any NIOCore.EventLoop { thread.group.next() }

    func connect(_ prepare: @escaping @Sendable (any Channel) throws -> Void) -> EventLoopFuture<any Channel>
    {
        let loop = loop
        let lent = loop.makePromise(of: Descriptor.self)
        let deadline = loop.scheduleTask(in: Self.timeout) {
            lent.fail(
                EngineFailure(
                    .unreachable, "The desktop agent did not open a connection to the engine in time."))
        }
        open { result in
            switch result {
            case .success(let descriptor): lent.succeed(descriptor)
            case .failure(let failure): lent.fail(failure)
            }
        }
        return lent.futureResult.flatMap { descriptor in
            deadline.cancel()
            do {
                try EngineSocket.checkLent(descriptor, uid: uid, mayBeRemote: !isLocal)
                let own = try descriptor.releasedDuplicate()
                return ClientBootstrap(group: loop)
                    .channelOption(.maxMessagesPerRead, value: 4)
                    .channelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture { try prepare(channel) }
                    }
                    .withConnectedSocket(own)
            } catch {
                return loop.makeFailedFuture(error)
            }
        }
    }
}
