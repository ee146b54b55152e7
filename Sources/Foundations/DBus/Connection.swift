import EventLoop

/// A private connection to a bus.
public final class Connection: MessageChannel {
    private nonisolated let name: Lock<BusName>
    var subscriptions: [UInt64: SignalSubscription] = [:]
    var lastSubscription: UInt64 = 0
    var owners: [BusName: TrackedOwner] = [:]
    /// Well-known names that were called and whose owners are tracked; the latest last.
    var calledNames: [BusName] = []
    /// Calls of GetConnectionCredentials without a reply yet, and those that wait for one of these replies.
    var awaitedCredentials = 0
    var credentialsWaiters: [CheckedContinuation<Void, Never>] = []

    /// Timeout of `Hello`.
    private static let helloTimeout: Duration = .seconds(10)

    /// The unique name of this connection.
    public nonisolated var uniqueName: BusName { name.withLock { $0 } }

    /// Connects and registers with the bus.
    /// - Parameter limitsDescriptors: whether descriptors of a sender or user with too many open ones are replaced by `/dev/null`
    ///   before this process has them. Calls with such descriptors are refused.
    public init(to address: BusAddress, limitsDescriptors: Bool = false) async throws {
        name = Lock(.bus)
        let transport = try await Transport.connected(
            to: address, limitsDescriptors: limitsDescriptors)
        try super.init(transport, limits: .init(descriptors: Transport.mostReceivedDescriptors / 2))
        let reply = try await call(
            destination: .bus, path: .bus, interface: .bus, member: "Hello", timeout: Self.helloTimeout)
        let text = try reply.decoded(as: String.self)
        guard let unique = BusName(text) else { throw DBusError.failed("the bus gave the name \"\(text)\"") }
        name.withLock { $0 = unique }
    }

    /// Replies of other senders than the callee, except the bus, are ignored: serials can be guessed.
    override func isAnswer(_ header: Message, to call: PendingCall) -> Bool {
        guard let sender = header.sender else { return false }
        return sender == .bus || sender == call.callee || sender == owners[call.callee]?.unique
            || call.formerOwners.contains(sender)
    }

    override func willCall(_ destination: BusName) { followOwner(ofCalled: destination) }

    /// A name has a new owner. The former one may still reply to the calls that it received.
    func recordFormerOwner(_ former: BusName, of name: BusName) {
        for (serial, call) in pending where call.callee == name {
            pending[serial]?.formerOwners.append(former)
        }
    }

    override func vanished(_ header: Message, _ body: MessageReference) -> BusName? {
        guard header.member == "NameOwnerChanged",
            let body = try? body.message.body(within: .answer, of: "a signal"),
            case (.string(let name)?, .string("")?) = (body.first, body.last)
        else { return nil }
        return BusName(name)
    }

    override func receiveSignal(_ header: Message, _ body: MessageReference) {
        distribute(header, body.message)
    }

    override func didEnd() {
        for subscription in subscriptions.values { subscription.finish() }
        subscriptions = [:]
    }
}
