import ClientIdentity
import DBus
import Desktop
import DictationBus
import DictationConfiguration
import DictationCore
import DictationInterface
import EventLoop
import JournalFiles
import Logging
import Prompts
import Recognition

/// One user's dictation: checks the calls that the broker passes on, and dispatches them.
@EventLoopActor
final class Worker {
    let uid: UInt32
    private let peer: PeerConnection
    private let broker: DictationBrokerProxy
    let messageSender: MessageSender
    let dictation: UserDictation
    let journals: Journals
    let leftSessions: LeftSessions
    let supplies: WorkerSupplies
    var formattingPlanner: FormattingPlanner
    private(set) var engines: EngineCatalog
    /// The connections that get Changed of the history.
    var historyListeners: Set<BusName> = []
    /// Whether the bus belongs to this user alone.
    let isOfOneUser: Bool
    let logger: Logger
    /// The clients that the broker has introduced.
    var clients: [BusName: Client] = [:]
    let mailboxes: Mailboxes
    let budgets = Budgets()
    private(set) lazy var typing = InputMethodOwner(
        by: self, environment: supplies.environment, notifier: supplies.notifier)
    /// The calls of Start that are in progress, at most one of a connection.
    private var starts: [BusName: StartCall] = [:]
    private var lastSession: UInt64 = 0
    /// How many sessions keys have begun.
    private var keyCount = 0
    /// The broker has accepted this worker. It refuses whatever comes before.
    private var isAccepted = false
    private var reportedNeed = false
    private var reportedOwners: [SessionID: ClientName?] = [:]
    private var ending: Task<Void, Never>?
    private var questions: [UInt64: Task<Void, Never>] = [:]

    /// - Parameters:
    ///   - peer: the connection to the broker.
    ///   - isOfOneUser: whether the bus belongs to this user alone.
    init(
        of uid: UInt32, on peer: PeerConnection, isOfOneUser: Bool, _ supplies: WorkerSupplies, logger: Logger
    ) {
        self.uid = uid
        self.peer = peer
        self.isOfOneUser = isOfOneUser
        self.supplies = supplies
        self.logger = logger
        let broker = DictationBrokerProxy(connection: peer, destination: .peer)
        self.broker = broker
        formattingPlanner = supplies.formattingPlanner
        engines = supplies.engines
        journals = supplies.journals
        leftSessions = LeftSessions(supplies.left, bus: journals.bus, logger: logger)
        messageSender = MessageSender(peer, isOfOneUser: isOfOneUser, logger: logger) { name, completion in
            _ = Task.immediate {
                // A broker that is gone answers for nobody.
                completion((try? await broker.ping(client: BusText(name.rawValue))) ?? false)
            }
        }
        dictation = UserDictation(
            uid: uid, settings: supplies.configuration().ofDictation, engines: engines,
            desktop: supplies.desktop, indicator: supplies.indicator, routes: supplies.routes,
            storeRoutes: supplies.storeRoutes, textFilter: supplies.textFilter,
            keepText: { [history = supplies.history] in history.keep($0, $1) },
            messageSender: messageSender, logger: logger)
        mailboxes = Mailboxes(budgets: budgets) { [uid] in .connection($0, uid: uid) }
    }

    /// Greets the broker, which passes calls on from then on.
    func begin() async throws {
        dictation.begin { [weak self] in
            self?.updateNeed()
        } follow: { [weak self] signal, session in
            self?.typing.follow(signal, of: session)
        } ended: { [weak self] session in
            self?.typing.sessionEnded(session)
        }
        messageSender.begin { [weak dictation, logger] name in
            logger.notice("a client does not read its signals", metadata: ["client": "\(name)"])
            dictation?.readerStopped(ClientName(name.rawValue))
        }
        leftSessions.begin { [mailboxes] name in
            mailboxes.resume(name, .restoring)
        } changed: { [weak self] in
            self?.updateNeed()
        } showLost: { [weak self] in
            self?.typing.showLost($0)
        }
        beginUsingEngines()
        supplies.history.begin { [weak self] in self?.signalHistoryChange() }
        supplies.indicator?.show { [history = supplies.history] in history.last(5, before: nil) }
        peer.export(
            DictationInterface.path,
            interfaces: [
                DictationInterface.description, DictationTypingInterface.description,
                DictationPermissionsInterface.description, DictationHistoryInterface.description,
                DictationAgentManagerInterface.description,
            ], handler: self)
        peer.export(
            DictationWorkerInterface.path, interfaces: [DictationWorkerInterface.description],
            handler: BrokerCalls(to: self))
        // Calls may come before this function goes on.
        mailboxes.hold()
        let greeting = try await broker.hello(worker: [
            WorkerKey.protocol: .uint32(WorkerGreeting.version), WorkerKey.uid: .uint32(uid),
            WorkerKey.session: .uint64(leftSessions.lastSession),
            WorkerKey.owners: .array(
                leftSessions.connections.map { owner in
                    .structure([
                        .string(owner.name.rawValue), .string(owner.identity.kind.rawValue),
                        .string(owner.identity.id.rawValue),
                    ])
                }, of: "(sss)"),
            WorkerKey.applications: .array(
                leftSessions.identitiesOfDesktop.union(supplies.history.history.identities).map { identity in
                    .structure([.string(identity.kind.rawValue), .string(identity.id.rawValue)])
                }, of: "(ss)"),
        ])
        lastSession = max(
            leftSessions.lastSession, greeting[BrokerKey.session].flatMap { UInt64($0) } ?? 0)
        for name in greeting[BrokerKey.vanished].flatMap({ [BusText]($0) }) ?? [] {
            if let name = BusName(name) { leftSessions.vanished(name) }
        }
        // First, so that the need for a session is reported before the reply to its Start.
        isAccepted = true
        mailboxes.release()
        updateNeed()
        restoreDesktop()
    }

    /// The user's settings have changed. Those that do not wait for the next session count now.
    /// - Returns: whether any have.
    @discardableResult
    func settingsChanged() -> Bool {
        let settings = supplies.configuration().ofDictation
        guard settings != dictation.settings else { return false }
        dictation.post(.settings(settings))
        return true
    }

    /// The configuration files have changed.
    func reconfigure(_ configuration: Configuration) {
        let before = supplies.configuration()
        supplies.reconfigure(configuration)
        settingsChanged()
        let after = supplies.configuration()
        supplies.history.use(after.history)
        guard after.engines != before.engines || after.engine != before.engine else { return }
        engines.finalEngines = after.finalEngines
        dictation.use(engines)
        beginUsingEngines()
        signalEngines()
    }

    private func beginUsingEngines() {
        engines.observe { [weak self] in
            EventLoopActor.executeNowIfCurrent { [weak self] in self?.signalEngines() }
        }
        engines.probe()
    }

    /// Ends every session, answers every call, and closes the connection.
    func end() async {
        if ending == nil { ending = Task { await shutDown() } }
        await ending?.value
    }

    private func shutDown() async {
        for start in starts.values { start.end(Refusal(.cancelled, "The service is ending.")) }
        for name in leftSessions.leave() {
            mailboxes.fail(name, DBusError(Refusal(.cancelled, "The service is ending.")))
        }
        await dictation.shutDown()
        await typing.shutDown()
        await supplies.history.end()
        await cancelQuestions()
        do {
            try await broker.bye(timeout: .seconds(5))
        } catch {
            logger.debug("the broker is gone", metadata: ["why": "\(error)"])
        }
        await peer.close()
    }

    /// Returns when the connection to the broker is closed.
    func linkEnded() async { await peer.disconnected() }

    /// The connection to the broker is closed. Without having ended before, nobody is left to answer.
    func disconnected() async {
        if let ending { await ending.value } else { await leave() }
    }

    /// Nobody is left to answer. What is not committed waits in the journals for the next worker.
    private func leave() async {
        _ = leftSessions.leave()
        dictation.endOwnSessions()
        await dictation.leave()
        await typing.shutDown(abandons: true)
        await supplies.history.end()
        await cancelQuestions()
    }

    /// The bus is lost: closes the microphone.
    func abandon() async {
        leftSessions.removeAll()
        await dictation.abandon()
        await typing.shutDown(abandons: true)
        await peer.close(within: .zero)
    }

    /// Whether something would be lost or missed if this worker ended.
    private var isNeeded: Bool {
        !dictation.isIdle || !messageSender.isIdle || !starts.isEmpty || !leftSessions.isEmpty
            || !mailboxes.isIdle || !questions.isEmpty || supplies.history.isBusy
            || !historyListeners.isEmpty || typing.isNeeded
    }

    /// Reports changes of ``isNeeded`` and of the sessions to the broker.
    func updateNeed() {
        guard isAccepted else { return }
        if reportedNeed != isNeeded {
            reportedNeed = isNeeded
            notify(.needed, [.bool(reportedNeed)])
        }
        let owners = dictation.owners
        guard owners != reportedOwners else { return }
        reportedOwners = owners
        let sessions = Array(owners)
        notify(
            .sessions,
            [Value(sessions.map(\.key.rawValue)), Value(sessions.map { BusText($0.value?.rawValue ?? "") })])
    }

    private func notify(_ method: DictationBrokerMethod, _ body: [Value]) {
        do throws(DBusError) {
            try peer.callWithoutReply(
                destination: .peer, path: DictationBrokerInterface.path,
                interface: DictationBrokerInterface.name,
                member: MemberName(stringLiteral: method.rawValue), body)
        } catch {
            logger.debug("the broker is gone", metadata: ["why": "\(error)"])
        }
    }

    // MARK: Questions

    /// Asks the user by the desktop's own dialog.
    func ask(_ prompt: Prompt, _ cookie: UInt64, _ call: MethodCall) {
        questions[cookie] = Task {
            do throws(DesktopError) {
                let decision = try await supplies.desktop.ask(prompt)
                call.reply(DictationWorkerReply.ask(decision: decision?.rawValue ?? "").body)
            } catch {
                call.fail(.failed("\(error)"))
            }
            questions[cookie] = nil
            updateNeed()
        }
        updateNeed()
    }

    /// Identifies the application of a process for the broker, which holds the process.
    func identify(_ process: UInt32, _ call: MethodCall) {
        guard let resolver = supplies.resolver else {
            return call.fail(.failed("The broker of one user identifies clients itself."))
        }
        Task {
            let finding = await resolver.finding(pid: process, uid: uid)
            if let error = finding.error {
                // The broker asks again after an error, but not after the answer that the client is unknown.
                if error.isShortage { return call.fail(.failed("\(error)")) }
                logger.info(
                    "a client could not be identified", metadata: ["pid": "\(process)", "why": "\(error)"])
            }
            call.reply(
                DictationWorkerReply.identify(client: [
                    ClientKey.kind: .string(finding.identity.kind.rawValue),
                    ClientKey.id: .string(finding.identity.id.rawValue),
                ]).body)
        }
    }

    func cancelQuestion(_ cookie: UInt64) { questions[cookie]?.cancel() }

    /// Returns when every dialog is closed.
    private func cancelQuestions() async {
        for question in questions.values { question.cancel() }
        for question in questions.values { await question.value }
    }

    // MARK: Clients

    /// A connection has left the bus.
    func forget(_ name: BusName) {
        mailboxes.forget(name)
        leftSessions.vanished(name)
        historyListeners.remove(name)
        dictation.endOwnSessions(of: name)
        starts[name]?.abandon()
        guard let client = clients.removeValue(forKey: name) else { return updateNeed() }
        typing.forget(client)
        dictation.post(.clientVanished(client.name))
        // Last, because the above may still send signals to it.
        messageSender.forget(name)
        updateNeed()
    }

    /// A decision about an application.
    func decided(_ identity: Identity, _ permission: Permission) {
        dictation.post(.permission(identity, permission))
        typing.permissionChanged()
        if let refusal = permission.refusal(of: Resource.dictation) {
            dictation.endOwnSessions(of: identity, refusal)
        }
        let isDenied = Resource.dictation.contains { [.denied, .restricted].contains(permission[$0]) }
        if isDenied { leftSessions.remove(of: identity) }
        // What an application may not do any more, it has not done. With the greeting an application has no decision also if it
        // was allowed once.
        if isDenied || isAccepted && permission.refusal(of: Resource.dictation) != nil {
            supplies.history.forget(identity)
        }
    }

    // MARK: Calls

    func handle(_ call: MethodCall, from client: Client) -> Mailboxes.Progress {
        if call.interface == DictationHistoryInterface.name {
            handleHistory(call, from: client)
            return .taken
        }
        if restoresFirst(call, from: client) { return .waits(for: .restoring) }
        do {
            if call.interface == DictationTypingInterface.name {
                try typing.handle(call, from: client)
            } else {
                try perform(try DictationRequest(call), call, from: client)
            }
        } catch let error as DBusError {
            call.fail(error)
        } catch let refusal as Refusal {
            call.fail(DBusError(refusal))
        } catch {
            call.fail(.failed("\(error)"))
        }
        return .taken
    }

    private func perform(
        _ request: DictationRequest, _ call: MethodCall, from client: Client
    ) throws(Refusal) {
        func post(_ request: Request) { self.post(request, call, from: client) }
        switch request {
        case .start(let options): start(StartCall(options, call, from: client, by: self), call.sender)
        case .pause: post(.pause)
        case .resume: post(.resume)
        case .commit: post(.commit)
        case .cancel: post(.cancel)
        case .stop: post(.stop)
        case .stopAll: post(.stopAll)
        case .subscribe(let options):
            let text = try OptionReader(options: options).bool(SubscribeOption.text) ?? false
            post(.subscribe(text: text))
        case .getSession: post(.getSession)
        case .requestPermission, .checkPermission:
            throw Refusal(.notSupported, "The broker answers this.")
        case .listRoutes: post(.listRoutes)
        case .selectRoute(let name, _):
            let name = try name.limited(to: .microphone, "The name of a microphone")
            post(.selectRoute(name.isEmpty ? nil : NodeName(name)))
        }
    }

    func post(_ request: Request, _ call: MethodCall, from client: Client) {
        dictation.post(.call(messageSender.keep(call), from: client, request))
    }

    // MARK: Start

    /// A key begins a session into windows, which belongs to no connection.
    func startForDesktop(_ options: [BusText: Value], _ call: MethodCall, from caller: Client) {
        let client = nextClientOfDesktop(caller.identity)
        let granted = { (client: Client, resource: Resource) in
            self.dictation.permission(of: client)[resource] == .granted
        }
        let once = Resource.allCases.filter { granted(caller, $0) && !granted(client, $0) }
        if !once.isEmpty { dictation.post(.allowedOnce(client, once)) }
        start(StartCall(options, call, from: client, by: self, isForDesktop: true), call.sender)
    }

    private func nextClientOfDesktop(_ identity: Identity) -> Client {
        keyCount += 1
        return Client(name: .ofDesktop(lastSession, keyCount), identity: identity)
    }

    /// The end of a session into windows: if no connection had it, nobody else ends its client.
    func retire(_ client: Client) {
        if client.isOfDesktop { dictation.post(.clientVanished(client.name)) }
    }

    private func start(_ start: StartCall, _ name: BusName) {
        starts[name] = start
        mailboxes.suspend(name, .start)
        Task.immediate { await start.run() }
        updateNeed()
    }

    /// A Start was answered: its connection's later calls continue.
    func startEnded(of name: BusName) {
        starts[name] = nil
        mailboxes.resume(name, .start)
        updateNeed()
    }

    func newSession() -> SessionID {
        lastSession += 1
        return SessionID(rawValue: lastSession)
    }
}

extension Client {
    /// Whether a key has begun its session.
    var isOfDesktop: Bool { name.isOfDesktop }
}

extension ClientName {
    private static let desktopPrefix = "key-"

    /// Of a session that a key begins. No connection has such a name.
    /// - Parameters:
    ///   - session: a number that no earlier worker has given.
    ///   - key: a number that this worker has not given before.
    fileprivate static func ofDesktop(_ session: UInt64, _ key: Int) -> ClientName {
        ClientName("\(desktopPrefix)\(session)-\(key)")
    }

    var isOfDesktop: Bool { rawValue.hasPrefix(Self.desktopPrefix) }
}
