import DBus
import DictationCore
import DictationInterface
import EventLoop
import Recognition

/// The bus object: its calls and its properties.
extension DictationService: ObjectHandler {
    func handle(_ call: MethodCall) {
        // Agents themselves do not wait for an agent.
        let mayWait = call.interface != DictationAgentManagerInterface.name
        deliver(call, mayWait: mayWait) { [weak self] caller in
            self?.handle(call, from: caller) ?? .taken
        } failed: { error in
            call.fail(error)
        }
    }

    /// The caller's user must be known.
    func prepareProperties(
        for call: MethodCall, _ proceed: @escaping @EventLoopActor (Result<Void, DBusError>) -> Void
    ) {
        deliver(call) { _ in
            proceed(.success(()))
            return .taken
        } failed: { error in
            proceed(.failure(error))
        }
    }

    /// - Parameter perform: called with the caller when it is identified, in the order of the connection's calls.
    private func deliver(
        _ call: MethodCall, mayWait: Bool = true,
        _ perform: @escaping @EventLoopActor (Caller) -> Mailboxes.Progress,
        failed: @escaping @EventLoopActor (DBusError) -> Void
    ) {
        noteCall(of: call.sender)
        mailboxes.deliver(
            Mailboxes.Letter(
                sender: call.sender, size: call.bytes, descriptors: call.descriptors,
                perform: { [callers] in
                    guard let caller = callers.identifiedCaller(call.sender, mayWait: mayWait) else {
                        return .waits(for: .identification)
                    }
                    return perform(caller)
                }, fail: failed))
    }

    func value(of access: PropertyAccess) throws(DBusError) -> Value {
        guard let property = DictationProperty(rawValue: access.name),
            let value = value(of: property, for: access.sender)
        else { throw DBusError(.unknownProperty, "There is no property \(access.name).") }
        return value
    }

    /// A user without a world gets the values of an idle one.
    private func value(of property: DictationProperty, for name: BusName) -> Value? {
        switch property {
        case .version: .uint32(4)
        case .engines, .languages:
            value(of: property, for: callers.caller(name)?.client.identity.uid)
        case .state, .inUse, .route: properties(for: name).value(of: property)
        }
    }

    private func value(of property: DictationProperty, for uid: UInt32?) -> Value? {
        let entries = catalog(of: uid).entries
        switch property {
        case .engines:
            let preferred = preferredEngines(of: uid)
            return .array(
                entries.map { entry in
                    var details = entry.details
                    if entry.name == preferred.first { details[EngineKey.preferred] = .bool(true) }
                    return .structure([.string(entry.name), Value(details)])
                }, of: "(sa{sv})")
        case .languages: return Value(Set(entries.flatMap(\.languages)).sorted())
        default: return nil
        }
    }

    /// Signals changes of the engines in other processes.
    /// - Parameter uid: the user; nil for all users.
    func signalEngines(of uid: UInt32? = nil) {
        for (user, subscribers) in worlds.subscribers where uid == nil || uid == user {
            var changed: [BusText: Value] = [:]
            for property in [DictationProperty.engines, .languages] {
                changed[BusText(property.rawValue)] = value(of: property, for: user)
            }
            messageSender.tell(changed, toSubscribers: [user: subscribers])
        }
    }

    private func properties(for name: BusName) -> WorldProperties {
        guard let caller = callers.caller(name) else { return .idle }
        return worlds[caller.client.identity.uid]?.properties ?? .idle
    }
}
