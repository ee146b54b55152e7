import DBus
import DictationCore
import DictationInterface
import EventLoop

/// Where answers and signals leave for the bus, in the order in which they are given.
actor Outlet {
    private let connection: Connection
    private let loop: EventLoop
    private var calls: [CallID: (call: MethodCall, request: DictationRequest)] = [:]
    private var lastCall: UInt64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(connection: Connection, loop: EventLoop) {
        self.connection = connection
        self.loop = loop
    }

    /// Keeps a call until it is answered.
    func keep(_ call: MethodCall, _ request: DictationRequest) -> CallID {
        lastCall += 1
        let id = CallID(rawValue: lastCall)
        calls[id] = (call, request)
        return id
    }

    func answer(_ id: CallID, with reply: Reply) {
        guard let (call, request) = calls.removeValue(forKey: id) else { return }
        call.reply(DictationReply(reply, to: request).body)
    }

    func refuse(_ id: CallID, _ refusal: Refusal) {
        calls.removeValue(forKey: id)?.call.fail(DBusError(refusal))
    }

    /// Drops the calls of a connection that is gone.
    func forget(_ client: BusName) {
        calls = calls.filter { $0.value.call.sender != client }
    }
}
