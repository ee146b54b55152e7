import EventLoop

/// Calls to the bus itself.
extension Connection {
    public struct NameFlags: OptionSet, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Another connection may take the name away with `.replaceExisting`.
        public static let allowReplacement = NameFlags(rawValue: 1)
        public static let replaceExisting = NameFlags(rawValue: 2)
        /// If the name is taken, fail instead of waiting in the queue for it.
        public static let doNotQueue = NameFlags(rawValue: 4)
    }

    /// The result of a request for a name.
    public enum NameReply: UInt32, Sendable {
        case primaryOwner = 1
        case inQueue, exists, alreadyOwner
    }

    /// Asks for a well-known name.
    public func requestName(_ name: BusName, _ flags: NameFlags = .doNotQueue) async throws -> NameReply {
        let code = try await callBus("RequestName", [.string(name.rawValue), .uint32(flags.rawValue)])
            .decoded(as: UInt32.self)
        guard let reply = NameReply(rawValue: code) else {
            throw DBusError.failed("the bus answered RequestName with \(code)")
        }
        return reply
    }

    public func releaseName(_ name: BusName) async throws {
        _ = try await callBus("ReleaseName", [.string(name.rawValue)])
    }

    /// The unique name of a name's owner; nil if it has none.
    public func owner(of name: BusName) async throws -> BusName? {
        do {
            let owner = try await callBus("GetNameOwner", [.string(name.rawValue)]).decoded(as: String.self)
            return BusName(owner)
        } catch let error as DBusError where error.name == .nameHasNoOwner {
            return nil
        }
    }

    /// The bus's GUID. Unique names belong to one bus.
    public func busIdentifier() async throws -> String {
        try await callBus("GetId", []).decoded(as: String.self)
    }

    /// Whether a name has an owner or is activatable.
    public func canReach(_ name: BusName) async throws -> Bool {
        for member: MemberName in ["ListNames", "ListActivatableNames"] {
            let names = try await callBus(member, []).decoded(as: [String].self)
            if names.contains(name.rawValue) { return true }
        }
        return false
    }

    /// Descriptors that stay free for others while replies with a descriptor are awaited.
    private static let freeDescriptors = 64
    /// Of a reply with a descriptor: the received one, and the duplicate that the message returns.
    private static let descriptorsOfReply = 2

    /// Maximum number of requests for credentials at the same time. Further ones wait.
    private static let mostAwaitedCredentials = 16

    /// The credentials of the process behind a connection. During a shortage of descriptors, only its user and number: the
    /// reply of dbus 1.16 has a descriptor, and libdbus closes the connection to the bus if it cannot receive it.
    public func credentials(of name: BusName) async throws -> Credentials {
        await waitForCredentials()
        defer { endOfCredentials() }
        let expected = awaitedCredentials * Self.descriptorsOfReply
        guard Descriptor.canOpen(Self.freeDescriptors + expected) else {
            let uid = try await callBus("GetConnectionUnixUser", [.string(name.rawValue)])
            let pid = try await callBus("GetConnectionUnixProcessID", [.string(name.rawValue)])
            let credentials = try Credentials(
                uid: uid.decoded(as: UInt32.self), pid: pid.decoded(as: UInt32.self))
            receivedDescriptors.setUser(credentials.uid, of: name)
            return credentials
        }
        let reply = try await callBus("GetConnectionCredentials", [.string(name.rawValue)])
        let credentials = try Credentials(reply.decoded(as: [BusText: Value].self))
        receivedDescriptors.setUser(credentials.uid, of: name)
        return credentials
    }

    private func waitForCredentials() async {
        guard awaitedCredentials >= Self.mostAwaitedCredentials else { return awaitedCredentials += 1 }
        // The end of another call starts this one.
        await withCheckedContinuation { credentialsWaiters.append($0) }
    }

    private func endOfCredentials() {
        if credentialsWaiters.isEmpty {
            awaitedCredentials -= 1
        } else {
            credentialsWaiters.removeFirst().resume()
        }
    }

    /// Calls `handler`, on the loop, with the unique name of every connection that leaves the bus, in order with the
    /// calls it made before. All handlers share one match rule.
    public func onVanished(_ handler: @escaping @EventLoopActor (BusName) -> Void) async throws {
        let rule = MatchRule(
            sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged", arguments: [2: ""])
        try await listen(rule) { signal in
            guard case .string(let text)? = signal.body.first, let name = BusName(text), name.isUnique else {
                return
            }
            handler(name)
        }
    }

    /// Calls `org.freedesktop.DBus.Peer.Ping` of a connection, without a timeout. The bus keeps a slot for the reply
    /// until it comes or the connection ends.
    /// - Parameters:
    ///   - name: a unique name.
    ///   - completion: called on the loop, once. True if the connection itself replied, possibly with an error: it has
    ///     then read everything that was sent to it before. False if the call did not reach it, or a connection ended.
    public func ping(_ name: BusName, _ completion: @escaping @EventLoopActor (Bool) -> Void) {
        do {
            let call = Message(callTo: name, "/", .peer, "Ping")
            expectReply(to: try send(call), from: name, within: nil) { _, replier in
                completion(replier == name)
            }
        } catch {
            completion(false)
        }
    }

    /// The well-known names that this connection lost or released.
    public func lostNames() async throws -> AsyncCompactMapSequence<AsyncStream<Message>, BusName> {
        try await signals(MatchRule(sender: .bus, path: .bus, interface: .bus, member: "NameLost"))
            .compactMap { signal in
                guard case .string(let name)? = signal.body.first else { return nil }
                return BusName(name)
            }
    }

    // MARK: Helpers

    func callBus(_ member: MemberName, _ body: [Value]) async throws -> [Value] {
        try await call(destination: .bus, path: .bus, interface: .bus, member: member, body)
    }

    /// Calls without waiting. `reply` is called in order with the other messages.
    func askBus(
        _ member: MemberName, _ body: [Value], reply: @escaping (Result<[Value], any Error>) -> Void
    ) {
        do {
            let call = Message(callTo: .bus, .bus, .bus, member, body)
            expectReply(to: try send(call), from: .bus, within: .seconds(25)) { result, _ in
                reply(result)
            }
        } catch {
            reply(.failure(error))
        }
    }

    /// Calls a method and ignores the reply.
    func callBusWithoutReply(_ member: MemberName, _ body: [Value]) {
        askBus(member, body) { _ in }
    }
}
