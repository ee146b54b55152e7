import DBus
import DictationCore
import DictationInterface
import EventLoop
import Logging

/// Where answers and signals leave for the bus, in the order in which they are given.
actor Outlet {
    private let connection: Connection
    /// Whether the bus belongs to one user, so that what concerns that user may be told to everybody on it.
    private let isOfOneUser: Bool
    private let loop: EventLoop
    private let logger: Logger
    private var calls: [CallID: MethodCall] = [:]
    private var lastCall: UInt64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(connection: Connection, isOfOneUser: Bool, loop: EventLoop, logger: Logger) {
        self.connection = connection
        self.isOfOneUser = isOfOneUser
        self.loop = loop
        self.logger = logger
    }

    /// The bus takes less than it is given: what can be merged should wait.
    var isCongested: Bool { connection.assumeIsolated { $0.outgoingBytes } > Self.congestion }

    /// In bytes; as much as thousands of partials.
    private static let congestion = 1 << 20

    /// Keeps a call until it is answered.
    func keep(_ call: MethodCall) -> CallID {
        lastCall += 1
        let id = CallID(rawValue: lastCall)
        calls[id] = call
        return id
    }

    func answer(_ id: CallID, with reply: Reply) {
        calls.removeValue(forKey: id)?.reply(DictationReply(reply).body)
    }

    func refuse(_ id: CallID, _ refusal: Refusal) {
        calls.removeValue(forKey: id)?.fail(DBusError(refusal))
    }

    /// Every call was answered.
    var isIdle: Bool { calls.isEmpty }

    /// Drops the calls of a connection that is gone.
    func forget(_ client: BusName) {
        calls = calls.filter { $0.value.sender != client }
    }

    func send(_ signal: SessionSignal, of session: SessionID, to audience: Audience) {
        let signal = DictationSignal(signal, of: session)
        switch audience {
        case .everyone:
            emit(signal, to: nil)
        case .clients(let names):
            for name in names { if let name = BusName(name.rawValue) { emit(signal, to: name) } }
        }
    }

    /// Tells connections of an application what it may do now.
    func tell(_ resource: Resource, _ status: PermissionStatus, to names: [BusName]) {
        let signal = DictationSignal.permissionChanged(
            resource: resource.rawValue, status: status.rawValue, details: [:])
        for name in names { emit(signal, to: name) }
    }

    /// Tells what has changed to everybody where the bus is the user's own, else to those who subscribed.
    func tell(
        _ properties: WorldProperties, insteadOf previous: WorldProperties, to subscribers: [ClientName]
    ) {
        var changed: [BusText: Value] = [:]
        for property in DictationProperty.allCases
        where properties.value(of: property) != previous.value(of: property) {
            changed[BusText(property.rawValue)] = properties.value(of: property)
        }
        tell(changed, toSubscribers: subscribers)
    }

    /// Tells properties that have changed.
    func tell(_ changed: [BusText: Value], toSubscribers subscribers: [ClientName]) {
        let destinations: [BusName?] = isOfOneUser ? [nil] : subscribers.compactMap { BusName($0.rawValue) }
        for destination in destinations {
            attempt("PropertiesChanged") { [changed] connection in
                try connection.propertiesChanged(
                    path: DictationInterface.path, interface: DictationInterface.name, changed: changed,
                    to: destination)
            }
        }
    }

    private func emit(_ signal: DictationSignal, to destination: BusName?) {
        attempt(signal.member.rawValue) { connection in
            try connection.emit(
                path: DictationInterface.path, interface: DictationInterface.name, member: signal.member,
                signal.body, to: destination)
        }
    }

    /// What cannot be sent is the fault of what was to be sent, or of a bus that is going; neither may end the rest.
    private func attempt(_ what: String, _ send: @Sendable (isolated Connection) throws -> Void) {
        do {
            try connection.assumeIsolated { try send($0) }
        } catch {
            logger.error("a signal could not be sent", metadata: ["signal": "\(what)", "why": "\(error)"])
        }
    }
}
