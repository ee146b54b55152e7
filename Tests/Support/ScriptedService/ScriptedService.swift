public import DBus
public import DictationInterface
public import EventLoop

/// A dictation service whose answers the test sets, with the same interface.
@EventLoopActor
public final class ScriptedService: ObjectHandler {
    /// The owner of the session. There is one at a time.
    public struct Session: Sendable {
        public var id: UInt64
        public var owner: BusName
        public var options: [BusText: Value]
        public var block: UInt64 = 1
        public var state = "listening"
    }

    private let connection: Connection
    public private(set) var session: Session?
    public private(set) var requests: [DictationRequest] = []
    /// Subscribers and their options.
    public private(set) var subscribers: [BusName: [BusText: Value]] = [:]
    /// The texts for the next Commits.
    private var utterances: [String] = []
    private var texts: [String]?
    /// What Keep was called with, in order.
    public private(set) var keeps: [Bool] = []
    private var unansweredMethods: Set<DictationMethod> = []
    private var unanswered: [MethodCall] = []
    private var refusals: [DictationMethod: DBusError] = [:]
    private var routes: [[BusText: Value]] = []
    private var engines: [(name: String, details: [BusText: Value])] = [
        ("scripted", ["available": Value(true), "languages": Value(["en-US"])])
    ]
    private var speech = "granted"
    /// What GetSession reports in addition.
    private var details: [BusText: Value] = [:]
    private var lastSession: UInt64 = 0

    public init(at address: String) async throws {
        connection = try await Connection(to: .custom(address))
        connection.export(
            DictationInterface.path,
            interfaces: [
                DictationInterface.description, DictationTypingInterface.description,
                DictationHistoryInterface.description,
            ], handler: self
        )
        try await connection.onVanished { [weak self] name in
            guard let session = self?.session, session.owner == name,
                session.options[StartOption.linger] != Value(true)
            else { return }
            self?.session = nil
        }
        _ = try await connection.requestName(DictationInterface.busName)
    }

    /// A service that is on the bus as soon as `other` has vanished, and continues its session, paused.
    public init(after other: ScriptedService, at address: String) async throws {
        connection = try await Connection(to: .custom(address))
        session = other.session
        session?.state = "paused"
        lastSession = other.lastSession
        connection.export(
            DictationInterface.path,
            interfaces: [
                DictationInterface.description, DictationTypingInterface.description,
                DictationHistoryInterface.description,
            ], handler: self
        )
        _ = try await connection.requestName(DictationInterface.busName, [])
    }

    /// Disconnects from the bus, like a service that crashes.
    public nonisolated func vanish() async {
        await connection.close()
    }

    /// Releases the name, like a service before its idle exit.
    public func releaseName() async throws {
        try await connection.releaseName(DictationInterface.busName)
    }

    /// Takes the name back, like a service that was called meanwhile.
    public func requestName() async throws {
        _ = try await connection.requestName(DictationInterface.busName)
    }

    // MARK: The script

    /// Sets the texts of the next Commits.
    public func hear(_ texts: String...) { utterances += texts }

    public func refuse(_ method: DictationMethod, _ kind: DictationErrorKind, _ message: String) {
        refusals[method] = DBusError(DictationInterface.errorName(kind), message)
    }

    /// GetSession reports these members too.
    public func report(_ details: [BusText: Value]) { self.details = details }

    /// The permission for speech; the microphone is granted.
    public func decide(_ status: String) { speech = status }

    /// Stops answering calls of this method.
    public func leaveUnanswered(_ method: DictationMethod) { unansweredMethods.insert(method) }

    /// Answers the pending calls and later ones.
    public func answerAll() {
        unansweredMethods = []
        let calls = unanswered
        unanswered = []
        for call in calls { answer(call) }
    }

    /// The number of pending calls.
    public var unansweredCount: Int { unanswered.count }

    /// The user keeps these texts, the newest first; nil: none.
    public func offer(history: [String]?) { texts = history }

    public func offer(_ routes: [[BusText: Value]]) { self.routes = routes }

    /// The engines of the property, with their details.
    public func offer(engines: [(name: String, details: [BusText: Value])]) { self.engines = engines }

    /// Sends a signal to the session's owner and to all subscribers.
    public func emit(_ signal: DictationSignal) throws {
        for listener in Set(subscribers.keys).union(session.map { [$0.owner] } ?? []) {
            try connection.emit(
                path: DictationInterface.path, interface: DictationInterface.name, member: signal.member,
                signal.body, to: listener)
        }
    }

    // MARK: The interface

    public func handle(_ call: MethodCall) {
        if call.interface == DictationTypingInterface.name {
            return call.fail(error(.notRunning))
        }
        if call.interface == DictationInterface.name, let request = try? DictationRequest(call) {
            requests.append(request)
            if unansweredMethods.contains(request.method) { return unanswered.append(call) }
        }
        answer(call)
    }

    private func answer(_ call: MethodCall) {
        do {
            if call.interface == DictationHistoryInterface.name {
                return call.reply(try answer(try DictationHistoryRequest(call)).body)
            }
            let request = try DictationRequest(call)
            if let refusal = refusals[request.method] { throw refusal }
            call.reply(try answer(request, from: call.sender).body)
        } catch {
            call.fail(error as? DBusError ?? .failed("\(error)"))
        }
    }

    public func value(of property: PropertyAccess) throws(DBusError) -> Value {
        value(of: property.name)
    }

    private func value(of property: String) -> Value {
        switch DictationProperty(rawValue: property) {
        case .version: Value(UInt32(1))
        case .engines:
            .array(engines.map { .structure([Value($0.name), Value($0.details)]) }, of: "(sa{sv})")
        case .languages: Value(["en-US"])
        case .state: Value(session?.state ?? "idle")
        case .inUse: Value(session?.state == "listening")
        case .route, nil: Value([:] as [BusText: Value])
        }
    }

    private func answer(_ request: DictationRequest, from sender: BusName) throws -> DictationReply {
        // A session that does not linger is its owner's alone.
        if let session, session.options[StartOption.linger] != Value(true), session.owner != sender {
            switch request {
            case .pause, .resume, .commit, .cancel, .stop:
                throw DBusError(DictationInterface.errorName(.notRunning), "Call Start first.")
            case .getSession: return .getSession(session: [SessionKey.state: Value("idle")])
            default: break
            }
        }
        switch request {
        case .start(let options):
            if session != nil { throw error(.alreadyRunning) }
            lastSession += 1
            session = Session(id: lastSession, owner: sender, options: options)
            try tellState("started")
            return .start(session: lastSession)
        case .pause:
            return try change(to: "paused", "paused")
        case .resume:
            return try change(to: "listening", "resumed")
        case .commit:
            let current = try running()
            let text = utterances.isEmpty ? "" : utterances.removeFirst()
            session?.block += 1
            let details: [BusText: Value] = [
                FinalKey.words: .array(
                    [.structure([Value(text), Value(0.25), Value(0.5), Value(0.75)])], of: "(sddd)")
            ]
            try emit(.final(session: current.id, block: current.block, text: text, details: details))
            return .commit(block: current.block, text: text, details: details)
        case .cancel:
            let current = try running()
            session?.block += 1
            return .cancel(block: current.block)
        case .stop:
            try end("stopped")
            return .done
        case .stopAll:
            let count: UInt32 = session == nil ? 0 : 1
            if count > 0 { try end("stopped") }
            return .stopAll(count: count)
        case .subscribe(let options):
            subscribers[sender] = options
            return .done
        case .getSession:
            return .getSession(session: report)
        case .requestPermission(let resources, _):
            return .requestPermission(
                status: Dictionary(uniqueKeysWithValues: resources.map { ($0, "granted") }))
        case .checkPermission:
            return .checkPermission(
                status: ["microphone": "granted", "speech": speech], ready: speech == "granted")
        case .listRoutes:
            return .listRoutes(routes: routes)
        case .selectRoute(let name, _):
            guard name.isEmpty || routes.contains(where: { $0[RouteKey.name] == Value(name) }) else {
                throw error(.noSource)
            }
            return .done
        }
    }

    private func answer(_ request: DictationHistoryRequest) throws -> DictationHistoryReply {
        let entries = (texts ?? []).enumerated().map { index, text in
            var details = HistoryDetails()
            details.id = UInt64((texts ?? []).count - index)
            details.time = 1_700_000_000
            details.kind = "executable"
            details.client = "/usr/bin/editor"
            details.language = "en-US"
            details.engine = "pocketsphinx"
            details.text = text
            return details
        }
        func index(_ id: UInt64) throws -> Int {
            guard let index = entries.firstIndex(where: { $0.id == id }) else {
                throw DBusError.invalidArgs("The script has no text \(id).")
            }
            return index
        }
        switch request {
        case .list:
            return .list(entries: entries.map(\.entries), lifetime: texts == nil ? 0 : 7 * 86_400)
        case .get(let id): return .get(entry: entries[try index(id)].entries)
        case .forget(let ids):
            for id in ids { texts?.remove(at: try index(id)) }
            return .forget(count: UInt32(ids.count))
        case .clear:
            texts = texts.map { _ in [] }
            return .clear(count: UInt32(entries.count))
        case .again(let id, _): return .again(entry: entries[try index(id)].entries)
        case .keep(let kept):
            keeps.append(kept)
            return .done
        }
    }

    /// Ends the session with this reason.
    public func end(_ reason: String) throws {
        try emit(.stopped(session: try running().id, reason: reason, details: [:]))
        session = nil
    }

    private func change(to state: String, _ cause: String) throws -> DictationReply {
        _ = try running()
        session?.state = state
        try tellState(cause)
        return .done
    }

    private func tellState(_ cause: String) throws {
        let current = try running()
        try emit(.stateChanged(session: current.id, state: current.state, reason: cause, details: [:]))
    }

    private func running() throws(DBusError) -> Session {
        guard let session else { throw error(.notRunning) }
        return session
    }

    private func error(_ kind: DictationErrorKind) -> DBusError {
        DBusError(DictationInterface.errorName(kind), "The script says \(kind).")
    }

    private var report: [BusText: Value] {
        guard let session else { return [SessionKey.state: Value("idle")] }
        return details.merging([
            SessionKey.session: Value(session.id), SessionKey.state: Value(session.state),
            SessionKey.block: Value(session.block), SessionKey.text: Value("so far"),
            SessionKey.finals: .array([.structure([Value(UInt64(1)), Value("before")])], of: "(ts)"),
            SessionKey.linger: Value(false), SessionKey.owner: Value(true),
        ]) { $1 }
    }
}
