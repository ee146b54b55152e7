import DBus
import DictationBus
import DictationConfiguration
import EventLoop

/// The broker and the socket at which workers connect to it.
@EventLoopActor
final class Dictation {
    private let broker: Broker
    private let socket: BrokerSocket

    init(broker: Broker, socket: BrokerSocket) {
        self.broker = broker
        self.socket = socket
    }

    /// Requests the name on the bus. Throws if it is taken.
    func begin() async throws {
        do {
            try await broker.begin(brokerAt: socket.path)
        } catch {
            // A worker that was started ends with its connection.
            socket.close()
            throw error
        }
    }

    /// The configuration files have changed.
    func reconfigure(_ configuration: Configuration) { broker.update(configuration.permissionRules) }

    func unneededSince() -> SuspendingClock.Instant { broker.unneededSince() }

    /// See ``Broker/leave()``.
    func leave() async throws -> Bool { try await broker.leave() }

    /// Ends every session, and waits until all calls in progress are answered.
    func shutDown() async {
        await broker.shutDown()
        socket.close()
    }

    /// The connection to the bus was lost. Workers notice that themselves.
    func abandon() async {
        await broker.abandon()
        socket.close()
    }
}
