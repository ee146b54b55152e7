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
/// The bus starts the service when it is first called, and again after it has ended. A session ends with the service,
/// or with this connection unless it lingers. Calls act on the session that this connection started; if it never
/// started one, on the user's lingering session.
///
/// ``close()`` or the release of the client closes the connection.
public actor DictationClient {
    public enum Bus: Hashable, Sendable {
        /// The system bus if the service is installed there, else the session bus.
        case automatic
        case session
        case system
        /// In the format of D-Bus: `unix:path=/run/user/1000/bus`.
        case address(String)
    }

    /// The bus of the service, and why it was chosen.
    public nonisolated let place: ServicePlace
    let connection: Connection
    let proxy: DictationProxy
    let receiver: EventReceiver
    /// Number of the latest session.
    var session: UInt64?

    /// This actor runs on the thread of its connection, so that calls are sent in the order in which they are made.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoopActor.sharedUnownedExecutor }

    public init(bus: Bus = .automatic) async throws(DictationError) {
        do {
            try EventLoopActor.start()
        } catch {
            throw DictationError(.other, message: "No thread could be started for the bus: \(error)")
        }
        do {
            (connection, place) = try await ServicePlace.connect(to: bus)
            proxy = DictationProxy(connection: connection, destination: DictationInterface.busName)
            receiver = EventReceiver(proxy: proxy, connection: connection)
            try await receiver.begin()
        } catch {
            throw DictationError(
                .disconnected, message: "The bus cannot be reached: \(DictationError(error))")
        }
    }

    deinit {
        Task.detached { [receiver, connection] in await Self.close(receiver, connection) }
    }

    /// Closes the connection. A session of this program ends unless it lingers, and so do all sequences of events.
    public nonisolated func close() async {
        await Self.close(receiver, connection)
    }

    private static func close(_ receiver: EventReceiver, _ connection: Connection) async {
        await receiver.end()
        await connection.close()
    }

    /// The service's events for this connection from now on: of its own session, and of others after
    /// ``subscribe(text:)``.
    public var events: ServiceEvents {
        get async { ServiceEvents(queue: await receiver.queue(for: .everything)) }
    }
}
