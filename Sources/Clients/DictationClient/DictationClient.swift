import DBus
import DictationInterface
import EventLoop

/// A connection to the dictation service.
///
/// ```swift
/// let client = try await DictationClient()
/// let session = try await client.start()
/// for try await event in session.events {
///     if case .final(let final) = event { print(final.text) }
/// }
/// ```
///
/// The service is started by the bus when it is first called, and again when it has gone. A session ends with it, or
/// with this connection unless it lingers. Calls act on the session that this connection started; where it never
/// started one, on the lingering session of the user.
///
/// The connection is closed by ``close()``, or when nobody refers to the client any more.
public actor DictationClient {
    public enum Bus: Hashable, Sendable {
        /// The system bus where the service is installed there, else the session bus.
        case automatic
        case session
        case system
        /// As D-Bus writes addresses: `unix:path=/run/user/1000/bus`.
        case address(String)
    }

    /// Where the service is called, and why there.
    public nonisolated let place: ServicePlace
    let proxy: DictationProxy
    let receiver: EventReceiver
    /// Number of the session that was started last.
    var session: UInt64?

    /// Calls leave in the order in which they are made: this actor shares the thread of its connection.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoopActor.sharedUnownedExecutor }

    public init(bus: Bus = .automatic) async throws(DictationError) {
        do {
            try EventLoopActor.start()
        } catch {
            throw DictationError(.other, message: "No thread for the bus: \(error)")
        }
        do {
            let connection: Connection
            (connection, place) = try await ServicePlace.connect(to: bus)
            proxy = DictationProxy(connection: connection, destination: DictationInterface.busName)
            receiver = EventReceiver(proxy: proxy)
            try await receiver.begin()
        } catch {
            throw DictationError(
                .disconnected, message: "The bus cannot be reached: \(DictationError(error))")
        }
    }

    deinit {
        Task.detached { [receiver, proxy] in await Self.close(receiver, proxy.connection) }
    }

    /// Closes the connection: a session of this program ends unless it lingers, and so do all sequences of events.
    public nonisolated func close() async {
        await Self.close(receiver, proxy.connection)
    }

    private static func close(_ receiver: EventReceiver, _ connection: Connection) async {
        await receiver.end()
        await connection.close()
    }

    /// What the service tells this connection from now on: of its own session, and of others after
    /// ``subscribe(text:)``.
    public var events: ServiceEvents {
        get async { ServiceEvents(queue: await receiver.queue(for: .everything)) }
    }
}
