import DBus
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
import Logging

/// Signals about permission, which the broker itself sends.
@EventLoopActor
final class PermissionSignals {
    /// A signal in the queue of a connection.
    enum Notice: QueuedSignal {
        case permission(Resource, PermissionStatus)
        case record(DictationPermissionsSignal)

        /// None replaces another.
        enum Kind: Hashable, Sendable {}

        var kind: Kind? { nil }
        var separated: Separated<Kind> { .none }

        var size: Int {
            switch self {
            case .permission: 256
            // Each names an application.
            case .record: 4096
            }
        }

        func merged(with earlier: Notice) -> Notice { self }
    }

    private let queues: SignalQueues<Notice>
    private let logger: Logger

    init(on connection: Connection, pings: ClientPings, logger: Logger) {
        self.logger = logger
        queues = SignalQueues { name, completion in
            pings.ping(name, completion)
        } emit: { notice, name in
            do {
                try connection.emit(notice, to: name)
            } catch {
                logger.error("a signal could not be sent", metadata: ["why": "\(error)"])
            }
        }
    }

    /// - Parameter readerStopped: called later with a connection that does not read while too much is queued for it.
    func begin(_ readerStopped: @escaping @EventLoopActor (BusName) -> Void) {
        queues.begin { [logger] name in
            logger.notice("a client does not read its signals", metadata: ["client": "\(name)"])
            readerStopped(name)
        }
    }

    /// A connection called a method.
    func recordCall(of name: BusName) { queues.recordCall(of: name) }

    func forget(_ name: BusName) { queues.forget(name) }

    /// Signals to connections of an application what it may do now.
    func send(_ resource: Resource, _ status: PermissionStatus, to names: [BusName]) {
        for name in names { queues.send(.permission(resource, status), to: name) }
    }

    /// Signals a change to those who show a user's permissions.
    func send(_ change: DictationPermissionsSignal, to names: [BusName]) {
        for name in names { queues.send(.record(change), to: name) }
    }
}

extension Connection {
    fileprivate func emit(_ notice: PermissionSignals.Notice, to destination: BusName) throws(DBusError) {
        switch notice {
        case .permission(let resource, let status):
            let signal = DictationSignal.permissionChanged(
                resource: resource.rawValue, status: status.rawValue, details: [:])
            try emit(
                path: DictationInterface.path, interface: DictationInterface.name, member: signal.member,
                signal.body, to: destination)
        case .record(let signal):
            try emit(
                path: DictationInterface.path, interface: DictationPermissionsInterface.name,
                member: signal.member, signal.body, to: destination)
        }
    }
}

/// Pings of clients, as many at the same time as their user's budget allows.
@EventLoopActor
struct ClientPings {
    let connection: Connection
    let budgets: Budgets
    /// The user of a connection that has called.
    let user: @EventLoopActor (BusName) -> UInt32?

    /// - Parameter completion: whether the connection has answered. Called at once if it may not be pinged now.
    func ping(_ name: BusName, _ completion: @escaping @EventLoopActor (Bool) -> Void) {
        guard let uid = user(name), let lease = budgets.lease(.pings, of: .user(uid)) else {
            return completion(false)
        }
        connection.ping(name) { hasAnswered in
            lease.end()
            completion(hasAnswered)
        }
    }
}
