import DBus
import DictationConfiguration
import EventLoop

/// The broker, its socket, and what starts its workers.
@EventLoopActor
final class Dictation {
    private let broker: Broker
    private let workers: any WorkerStarter
    private let socket: BrokerSocket

    init(broker: Broker, workers: any WorkerStarter, environment: [String: String]) throws {
        self.broker = broker
        self.workers = workers
        socket = try BrokerSocket(environment: environment) { [weak broker] in
            broker?.workers.connected($0)
        }
    }

    /// Requests the name on the bus. Throws if it is taken.
    func begin() async throws {
        workers.begin(brokerAt: socket.path) { [weak broker] uid, error in
            broker?.workers.failed(uid, error)
        }
        do {
            try await broker.begin(neededUsers: workers.neededUsers)
        } catch {
            // A worker that was started ends with its connection.
            socket.close()
            throw error
        }
    }

    /// The configuration files have changed.
    func reconfigure(_ configuration: Configuration) {
        broker.update(configuration.permissionRules)
        workers.reconfigure(configuration)
    }

    func unneededSince() -> SuspendingClock.Instant { broker.unneededSince() }

    /// See ``Broker/leave()``.
    func leave() async throws -> Bool { try await broker.leave() }

    /// Ends every session, and waits until all calls in progress are answered.
    func shutDown() async {
        await broker.shutDown()
        await workers.allEnded()
        socket.close()
    }

    /// The connection to the bus was lost: closes the microphones.
    func abandon() async {
        await workers.abandon()
        await broker.abandon()
        socket.close()
    }
}
