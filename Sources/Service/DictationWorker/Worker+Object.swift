import DBus
import Desktop
import DictationBus
import DictationConfiguration
import DictationCore
import DictationInterface
import EventLoop
import Prompts
import Recognition

/// The bus object, as far as it concerns this user: its calls and its properties.
extension Worker: ObjectHandler {
    func handle(_ call: MethodCall) {
        deliver(call) { [weak self] client in
            self?.handle(call, from: client) ?? .taken
        } failed: { error in
            call.fail(error)
        }
    }

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

    /// - Parameter perform: called in the order of the connection's calls.
    private func deliver(
        _ call: MethodCall, _ perform: @escaping @EventLoopActor (Client) -> Mailboxes.Progress,
        failed: @escaping @EventLoopActor (DBusError) -> Void
    ) {
        guard let client = clients[call.sender] else {
            return failed(.accessDenied("The broker has not introduced this client."))
        }
        messageSender.recordCall(of: call.sender)
        mailboxes.deliver(
            Mailboxes.Letter(
                sender: call.sender, size: call.bytes, descriptors: call.descriptors,
                perform: { perform(client) }, fail: failed))
    }

    func value(of access: PropertyAccess) throws(DBusError) -> Value {
        guard let property = DictationProperty(rawValue: access.name),
            let value = value(of: property)
        else { throw DBusError(.unknownProperty, "There is no property \(access.name).") }
        return value
    }

    private func value(of property: DictationProperty) -> Value? {
        switch property {
        case .version: return .uint32(6)
        case .engines:
            let preferred = supplies.configuration().engine
            return .array(
                engines.entries.map { entry in
                    let details = entry.details(isPreferred: entry.name == preferred.first)
                    return .structure([.string(entry.name), Value(details)])
                }, of: "(sa{sv})")
        case .languages: return Value(Set(engines.entries.flatMap(\.languages)).sorted())
        case .state, .inUse, .route: return dictation.properties.value(of: property)
        }
    }

    /// Signals changes of the engines in other processes.
    func signalEngines() {
        var changed: [BusText: Value] = [:]
        for property in [DictationProperty.engines, .languages] {
            changed[BusText(property.rawValue)] = value(of: property)
        }
        messageSender.send(changed, to: dictation.subscribers)
    }
}

/// What the broker calls. On a client's behalf, a call has the client as its sender, and its place among the client's calls.
final class BrokerCalls: ObjectHandler {
    @EventLoopActor private weak var worker: Worker?

    @EventLoopActor
    init(to worker: Worker) { self.worker = worker }

    @EventLoopActor
    func handle(_ call: MethodCall) {
        guard let worker else { return call.fail(.noReply("The worker has ended.")) }
        do {
            switch try DictationWorkerRequest(call) {
            case .client(let details, let status):
                let client = try Client(call.sender, details, uid: worker.uid)
                worker.clients[call.sender] = client
                worker.dictation.introduce(client.identity, Permission(status))
            case .permission(let details, let status):
                worker.decided(try Identity(known: details, uid: worker.uid), Permission(status))
            case .identify(let process): return worker.identify(process, call)
            case .allowedOnce(let words):
                guard let client = worker.clients[call.sender] else { break }
                let resources = try words.map { word throws(Refusal) in try Resource(word: word) }
                worker.dictation.post(.allowedOnce(client, resources))
            case .vanished: worker.forget(call.sender)
            case .restore(let numbers, let owners): worker.restore(WorkerSession.list(numbers, owners))
            case .ask(let cookie, let client, let resources):
                return worker.ask(Prompt(client, resources, uid: worker.uid), cookie, call)
            case .cancelQuestion(let cookie): worker.cancelQuestion(cookie)
            case .end: Task { await worker.end() }
            }
            call.reply(DictationWorkerReply.done.body)
        } catch let error as DBusError {
            call.fail(error)
        } catch {
            call.fail(.invalidArgs("\(error)"))
        }
    }
}

extension Client {
    fileprivate init(_ name: BusName, _ details: [BusText: Value], uid: UInt32) throws(Refusal) {
        self.init(name: ClientName(name.rawValue), identity: try Identity(known: details, uid: uid))
    }
}

extension Identity {
    /// As the broker writes it; "unknown" is allowed.
    fileprivate init(known details: [BusText: Value], uid: UInt32) throws(Refusal) {
        let kind = details[ClientKey.kind].flatMap { BusText($0) }
        self = kind == "unknown" ? .unknown(ofUser: uid) : try Identity(details, uid: uid)
    }
}

extension Permission {
    /// What is missing is not determined.
    fileprivate init(_ status: [BusText: BusText]) {
        self = .notDetermined
        for resource in Resource.allCases {
            let word = status[BusText(resource.rawValue)].map(\.string)
            self[resource] = word.flatMap { PermissionStatus(rawValue: $0) } ?? .notDetermined
        }
    }
}

extension Prompt {
    fileprivate init(_ client: [BusText: Value], _ resources: [BusText], uid: UInt32) {
        self.init(
            client: (try? Identity(known: client, uid: uid)) ?? .unknown(ofUser: uid),
            resources: resources.compactMap { Resource($0) })
    }
}
