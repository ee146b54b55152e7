import DBus
import DictationCore
import DictationInterface
import EventLoop
import Recognition

/// The bus object: its calls and its properties.
extension DictationService: ObjectHandler {
    func handle(_ call: MethodCall) {
        do throws(DBusError) {
            try admit(call) { [weak self] in self?.receive(call) }
        } catch {
            call.fail(error)
        }
    }

    private func receive(_ call: MethodCall) {
        // Agents themselves do not wait for an agent.
        let mayWait = call.interface != DictationAgentManagerInterface.name
        callers.receive(call, mayWait: mayWait) { [weak self] result in
            switch result {
            case .success(let caller): self?.handle(call, from: caller)
            case .failure(let error): call.fail(error)
            }
        }
    }

    /// The caller's user must be known.
    func prepareProperties(
        for call: MethodCall, _ proceed: @escaping @EventLoopActor (Result<Void, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            try admit(call) { [callers] in callers.receive(call) { proceed($0.map { _ in () }) } }
        } catch {
            proceed(.failure(error))
        }
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
            value(of: property, in: catalog(of: callers.caller(name)?.client.identity.uid))
        case .state, .inUse, .route: properties(for: name).value(of: property)
        }
    }

    private func value(of property: DictationProperty, in engines: EngineCatalog) -> Value? {
        switch property {
        case .engines:
            .array(
                engines.entries.map { .structure([.string($0.name), Value($0.details)]) }, of: "(sa{sv})")
        case .languages: Value(Set(engines.entries.flatMap(\.languages)).sorted())
        default: nil
        }
    }

    /// Engines in other processes come and go.
    /// - Parameter uid: the user; nil for all users.
    func tellEngines(of uid: UInt32? = nil) {
        for (user, subscribers) in worlds.subscribers where uid == nil || uid == user {
            let engines = catalog(of: user)
            var changed: [BusText: Value] = [:]
            for property in [DictationProperty.engines, .languages] {
                changed[BusText(property.rawValue)] = value(of: property, in: engines)
            }
            messageSender.tell(changed, toSubscribers: [user: subscribers])
        }
    }

    private func properties(for name: BusName) -> WorldProperties {
        guard let caller = callers.caller(name) else { return .idle }
        return worlds[caller.client.identity.uid]?.properties ?? .idle
    }
}
