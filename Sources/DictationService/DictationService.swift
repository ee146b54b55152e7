import DBus
import Desktop
import DictationCore
import DictationInterface
import EventLoop
import Logging
import PermissionStore
import Recognition

/// The bus object: decides whether a caller may call, and hands the call to whom it concerns.
actor DictationService {
    private let loop: EventLoop
    private let connection: Connection
    private let outlet: Outlet
    private let worlds: Worlds
    private let permissions: PermissionDesk
    private let agents: AgentRegistry
    private var configuration: Configuration
    private var desk: FormattingDesk
    private let engines: EngineCatalog
    /// Whose bus it is; nil where it is everybody's.
    private let uid: UInt32?
    private let policy: AccessPolicy
    private let callers: Callers
    private let budgets: UserBudgets
    private var pendingStarts: [BusName: PendingStart] = [:]
    private var lastSession: UInt64 = 0
    private var lastNeeded = SuspendingClock.now
    /// What waits until it is known whether this service goes on; nil where it does.
    private var held: HeldCalls?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - uid: whose bus it is; nil where it is everybody's.
    ///   - identifier: finds out who clients are.
    ///   - authorize: why a caller may not let applications dictate.
    ///   - engines: makes the engines of a world: one user's decoders are not another's to wait for.
    ///   - desktop: the desktop session of a user.
    init(
        connection: Connection, uid: UInt32?, configuration: Configuration, identifier: any Identifier,
        agents: AgentRegistry, budgets: UserBudgets, store: PermissionStore,
        authorize: @escaping @Sendable (MethodCall) async -> Refusal? = { _ in nil }, loop: EventLoop,
        logger: Logger, engines: @escaping @Sendable () -> EngineCatalog,
        desktop: @escaping @Sendable (UInt32) -> any DesktopSession
    ) {
        self.loop = loop
        self.connection = connection
        self.configuration = configuration
        desk = FormattingDesk(logger: logger)
        self.engines = engines()
        self.agents = agents
        self.budgets = budgets
        self.uid = uid
        policy = AccessPolicy(uid: uid)
        let outlet = Outlet(
            connection: connection, isOfOneUser: uid != nil, budgets: budgets, loop: loop, logger: logger)
        self.outlet = outlet
        let worlds = Worlds(
            on: loop,
            isNeeded: { owner in owner == uid || agents.assumeIsolated { $0.hasAgents(ofUser: owner) } },
            make: { owner, becameIdle in
                UserWorld(
                    uid: owner, configuration: configuration, engines: engines(), desktop: desktop(owner),
                    routes: store.routes(ofUser: owner),
                    storeRoutes: { choices in
                        do throws(PermissionStoreError) {
                            try await store.setRoutes(choices, ofUser: owner)
                            return nil
                        } catch {
                            return Refusal(error)
                        }
                    },
                    outlet: outlet, loop: loop, logger: logger, becameIdle: becameIdle)
            })
        self.worlds = worlds
        let prompters = PromptChain(agents: agents, logger: logger) { uid in await worlds[uid]?.desktop }
        permissions = PermissionDesk(
            store: store, rules: configuration.permissionRules, budgets: budgets,
            loop: loop,
            logger: logger, authorize: authorize, ask: { await prompters.ask($0) },
            status: { client in
                let world = worlds.assumeIsolated { $0[client.identity.uid] }
                return world?.assumeIsolated { $0.permission(of: client) } ?? .notDetermined
            })
        callers = Callers(
            connection: connection, identifier: identifier, budgets: budgets, loop: loop, logger: logger
        ) { user in
            // This process can ask the kernel itself about clients of its own user.
            uid != nil || agents.assumeIsolated { $0.latest(.identify, ofUser: user) } != nil
        }
    }

    /// Appears on the bus. Throws where the name is taken.
    func begin() async throws {
        if let uid { _ = try await worlds.world(of: uid) }
        await agents.begin { [weak worlds] uid in worlds?.assumeIsolated { $0.reconsider(uid) } }
        await permissions.begin { [weak self] news in self?.assumeIsolated { $0.take(news) } }
        await outlet.begin { [weak worlds] name, uid in
            let world = worlds?.assumeIsolated { $0[uid] }
            world?.assumeIsolated { $0.readerStopped(ClientName(name.rawValue)) }
        }
        await connection.export(
            DictationInterface.path,
            interfaces: [
                DictationInterface.description, DictationPermissionsInterface.description,
                DictationAgentManagerInterface.description,
            ], handler: self)
        try await connection.onVanished { [weak self] name in
            self?.assumeIsolated { $0.forget(name) }
        }
        engines.observe { [weak self] in self?.assumeIsolated { $0.tellEngines() } }
        engines.probe()
        guard try await connection.requestName(DictationInterface.busName) == .primaryOwner else {
            throw DaemonError.nameTaken
        }
    }

    /// The files of the configuration have changed. The next sessions go by the new formatting, replacements and words; the rest
    /// holds from start to end.
    func reconfigure(_ configuration: Configuration) {
        self.configuration.formatting = configuration.formatting
        self.configuration.replacements = configuration.replacements
        self.configuration.words = configuration.words
    }

    /// Ends every session, and waits until all calls in progress are answered.
    func shutDown() async {
        for name in pendingStarts.keys {
            endPendingStart(of: name, Refusal(.cancelled, "The service is ending."))
        }
        await worlds.shutDown()
        await permissions.shutDown()
        await agents.releaseAll()
    }

    /// The bus is gone: lets go of the microphone.
    func abandon() async {
        await worlds.abandon()
        await permissions.shutDown()
    }

    // MARK: Going when nobody needs it

    /// Since when nothing would have been lost if the service had ended, as far as has been looked; the present
    /// where something would be.
    func unneededSince() -> SuspendingClock.Instant {
        if !isIdle { lastNeeded = .now }
        return lastNeeded
    }

    private var isIdle: Bool {
        worlds.assumeIsolated { $0.areIdle } && outlet.assumeIsolated { $0.isIdle }
            && callers.assumeIsolated { $0.isIdle } && permissions.assumeIsolated { $0.isIdle }
            && agents.assumeIsolated { $0.isIdle } && pendingStarts.isEmpty
    }

    /// Gives the name back, so that the next call starts another service. Returns false where somebody called
    /// before that was so: then this one goes on.
    func leave() async throws -> Bool {
        // While it has a session it never gives the name back: clients would take the session for lost.
        guard isIdle else { return false }
        held = HeldCalls(budgets: budgets)
        // Behind the answer, no call can come by that name any more.
        try await connection.releaseName(DictationInterface.busName)
        if isIdle, held?.isEmpty == true { return true }
        // The bus hands over what was to start another one meanwhile.
        let reply = try await connection.requestName(DictationInterface.busName)
        let calls = held?.takeAll() ?? []
        held = nil
        for call in calls { call() }
        guard reply == .primaryOwner else { throw DaemonError.nameTaken }
        return false
    }

    /// Calls that come while it is leaving wait until it is known whether it does.
    private func admit(_ call: MethodCall, _ perform: @escaping @Sendable () -> Void) throws(DBusError) {
        lastNeeded = .now
        outlet.assumeIsolated { $0.noteCall(of: call.sender) }
        guard held != nil else { return perform() }
        do throws(Refusal) {
            try held?.add(
                size: call.bytes, descriptors: call.descriptors, of: call.sender, perform)
        } catch {
            throw DBusError(error)
        }
    }

    private func forget(_ name: BusName) {
        let (hadCalled, caller) = callers.assumeIsolated { $0.forget(name) }
        guard hadCalled else { return }
        outlet.assumeIsolated { $0.forget(name) }
        permissions.assumeIsolated { $0.forget(name) }
        agents.assumeIsolated { $0.forget(name) }
        if let pending = pendingStarts.removeValue(forKey: name) { drop(pending) }
        guard let client = caller?.client else { return }
        worldInUse(of: client.identity.uid)?.assumeIsolated { $0.post(.clientVanished(client.name)) }
    }

    /// The world of a user, where there is one.
    private func worldInUse(of uid: UInt32) -> UserWorld? {
        worlds.assumeIsolated { $0[uid] }
    }

    // MARK: Permission

    private func take(_ news: PermissionDesk.News) {
        switch news {
        case .allowedOnce(let client, let resources):
            worldInUse(of: client.identity.uid)?.assumeIsolated { $0.post(.allowedOnce(client, resources)) }
            guard let name = BusName(client.name.rawValue) else { return }
            for resource in resources { tell(resource, .granted, to: [name], of: client.identity.uid) }
        case .decided(let identity, let permission, let resources):
            worldInUse(of: identity.uid)?.assumeIsolated { $0.post(.permission(identity, permission)) }
            let names = callers.assumeIsolated { $0.names(of: identity) }
            for resource in resources {
                tell(resource, permission[resource], to: names, of: identity.uid)
                announce(identity, resource, permission[resource])
            }
        }
    }

    private func tell(
        _ resource: Resource, _ status: PermissionStatus, to names: [BusName], of uid: UInt32
    ) {
        outlet.assumeIsolated { $0.tell(resource, status, to: names, of: uid) }
    }

    /// Tells those who show the user's permissions.
    private func announce(_ identity: Identity, _ resource: Resource, _ status: PermissionStatus) {
        let change = DictationPermissionsSignal.changed(
            client: identity.details, resource: resource.rawValue, status: status.rawValue)
        let names = permissions.assumeIsolated { $0.listeners(ofUser: identity.uid) }
        outlet.assumeIsolated { $0.tell(change, to: names, of: identity.uid) }
    }

    /// What is known of an application is known to its world before any of its calls.
    private func introduce(_ client: Client, to world: UserWorld) {
        let permission = permissions.assumeIsolated { $0.permission(of: client.identity) }
        world.assumeIsolated { $0.introduce(client.identity, permission) }
    }

    // MARK: Calls

    private func handle(_ call: MethodCall, from caller: Caller) {
        do throws(DBusError) {
            if let refusal = policy.refusal(of: call.member, call.interface, by: caller) {
                throw DBusError(refusal)
            }
            let client = caller.client
            try count(call, of: client.identity.uid)
            performInOrder(call, from: client)
        } catch {
            call.fail(error)
        }
    }

    /// Performs the call, or has it wait for the Start that the connection called before.
    private func performInOrder(_ call: MethodCall, from client: Client) {
        guard pendingStarts[call.sender] != nil else { return perform(call, from: client) }
        pendingStarts[call.sender]?.laterCalls.append { [weak self] in
            self?.assumeIsolated { $0.performInOrder(call, from: client) }
        }
    }

    /// Counts the call as one of the user's until it is answered.
    private func count(_ call: MethodCall, of uid: UInt32) throws(DBusError) {
        do throws(Refusal) {
            call.keepUntilAnswered(try budgets.requireLease(.calls, of: .user(uid)))
        } catch {
            throw DBusError(error)
        }
    }

    private func perform(_ call: MethodCall, from client: Client) {
        do throws(DBusError) {
            switch call.interface {
            case DictationPermissionsInterface.name:
                let request = try DictationPermissionsRequest(call)
                permissions.assumeIsolated { $0.handle(request, call, from: client) }
            case DictationAgentManagerInterface.name:
                let request = try DictationAgentManagerRequest(call)
                agents.assumeIsolated { $0.handle(request, call, from: client) }
            default:
                let request = try DictationRequest(call)
                try handle(request, call, from: client)
            }
        } catch {
            call.fail(error)
        }
    }

    private func handle(
        _ request: DictationRequest, _ call: MethodCall, from client: Client
    ) throws(DBusError) {
        do throws(Refusal) {
            let uid = client.identity.uid
            let world = try worlds.assumeIsolated { worlds in
                Result { () throws(Refusal) in try worlds.world(of: uid) }
            }.get()
            introduce(client, to: world)
            try perform(request, call, from: client, in: world)
        } catch {
            throw DBusError(error)
        }
    }

    private func perform(
        _ request: DictationRequest, _ call: MethodCall, from client: Client, in world: UserWorld
    ) throws(Refusal) {
        func post(_ request: Request) { self.post(request, call, from: client, in: world) }
        switch request {
        case .start(let options): try start(options, call, from: client, in: world)
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
        case .requestPermission(let resources, let options):
            try requestPermission(resources, options, call, from: client)
        case .checkPermission: post(.checkPermission)
        case .listRoutes: post(.listRoutes)
        case .selectRoute(let name, _):
            let name = try name.limited(to: .microphone, "The name of a microphone")
            post(.selectRoute(name.isEmpty ? nil : NodeName(name)))
        }
    }

    private func post(_ request: Request, _ call: MethodCall, from client: Client, in world: UserWorld) {
        let id = outlet.assumeIsolated { $0.keep(call) }
        world.assumeIsolated { $0.post(.call(id, from: client, request)) }
    }

    private func start(
        _ options: [BusText: Value], _ call: MethodCall, from client: Client, in world: UserWorld
    ) throws(Refusal) {
        var start = try StartOptions(options, configuration: configuration)
        let formatting = try FormattingRequest(options, configuration: configuration)
        if start.broadcasts, uid == nil {
            throw Refusal(
                .invalidArguments, "Option 'broadcast' is for a bus that belongs to one user: call Subscribe."
            )
        }
        // Before anything is done for the caller.
        if let refusal = world.assumeIsolated({ $0.refusal(ofStart: start, by: client) }) { throw refusal }
        do throws(RecognitionError) {
            let engine = start.transcription.engine
            let names = engine.isEmpty ? configuration.engine : [engine]
            start.transcription = try world.assumeIsolated { [request = start.transcription] world in
                Result { () throws(RecognitionError) in try world.choose(request, from: names) }
            }.get()
        } catch {
            throw Refusal(error)
        }
        start.formatting = try desk.formatting(
            formatting, language: start.transcription.language, of: client.identity,
            configuration: configuration)
        start.transcription.spokenMarks = start.formatting?.lexicon.spokenMarks ?? []
        guard start.transcription.grammar != nil || !start.transcription.vocabulary.isEmpty else {
            return try begin(start, options, call, from: client, in: world)
        }
        let lease = try budgets.requireLease(.grammars, of: .user(client.identity.uid))
        pendingStarts[call.sender] = PendingStart(call: call)
        Task { [start] in
            let examined = await examine(start.transcription)
            lease.end()
            // The connection may have gone.
            guard pendingStarts[call.sender]?.call === call else { return }
            do throws(Refusal) {
                var start = start
                start.transcription = try examined.get()
                try begin(start, options, call, from: client, in: world)
            } catch {
                endPendingStart(of: call.sender, error)
            }
        }
    }

    /// The request with all its pronunciations, or why a session cannot have this grammar or vocabulary; looked at on a
    /// thread of its own.
    private func examine(_ request: TranscriptionRequest) async -> Result<TranscriptionRequest, Refusal> {
        do {
            let examined = try await OwnThread.run("examination") { [engines] in
                Result { () throws(RecognitionError) in try engines.examine(request) }
            }.get()
            return .success(examined)
        } catch let error as RecognitionError {
            return .failure(Refusal(error))
        } catch {
            return .failure(
                Refusal(.limitExceeded, "No thread can be had to examine the grammar: \(error)"))
        }
    }

    private func begin(
        _ start: StartOptions, _ options: [BusText: Value], _ call: MethodCall, from client: Client,
        in world: UserWorld
    ) throws(Refusal) {
        if let refusal = worlds.assumeIsolated({ $0.refusalOfSessions }) { throw refusal }
        lastSession += 1
        let session = SessionID(rawValue: lastSession)
        if let file = try OptionReader(options: options).descriptor(StartOption.input) {
            try examine(file, for: session, start, call, from: client, in: world)
        } else {
            begin(session, start, call, from: client, in: world)
            performLaterCalls(of: call.sender)
        }
    }

    /// The file is examined on the thread that will read it. The session begins, or the call fails, when that is done.
    private func examine(
        _ file: Descriptor, for session: SessionID, _ start: StartOptions, _ call: MethodCall,
        from client: Client, in world: UserWorld
    ) throws(Refusal) {
        let lease = try budgets.requireLease(.inputs, of: .user(client.identity.uid))
        let name = call.sender
        try world.assumeIsolated { world in
            Result { () throws(Refusal) in
                try world.examineInput(file, for: session, lease: lease) { [weak self] result in
                    self?.assumeIsolated { service in
                        switch result {
                        case .success(let isRecorded):
                            var start = start
                            start.transcription.isRecorded = isRecorded
                            service.endPendingStart(of: name, beginning: (start, client))
                        case .failure(let refusal): service.endPendingStart(of: name, refusal)
                        }
                    }
                }
            }
        }.get()
        let deadline = loop.schedule(after: PendingStart.timeout) { [weak self] in
            let refusal = Refusal(
                .timeout, "The file system of 'input' did not answer within \(PendingStart.timeout).")
            self?.assumeIsolated { $0.endPendingStart(of: name, refusal) }
        }
        pendingStarts[name, default: PendingStart(call: call)].input = PendingStart.Input(
            session: session, world: world, deadline: deadline)
    }

    /// Begins the session, or answers with the refusal; then come the connection's other calls.
    private func endPendingStart(
        of name: BusName, _ refusal: Refusal? = nil, beginning: (StartOptions, Client)? = nil
    ) {
        guard let pending = pendingStarts[name] else { return }
        if let (start, client) = beginning, let input = pending.input {
            input.deadline.cancel()
            begin(input.session, start, pending.call, from: client, in: input.world)
        } else {
            drop(pending)
            if let refusal { pending.call.fail(DBusError(refusal)) }
        }
        performLaterCalls(of: name)
    }

    private func performLaterCalls(of name: BusName) {
        let calls = pendingStarts.removeValue(forKey: name)?.laterCalls ?? []
        for call in calls { call() }
    }

    private func drop(_ pending: PendingStart) {
        guard let input = pending.input else { return }
        input.deadline.cancel()
        input.world.assumeIsolated { $0.dropUnusedInput(of: input.session) }
    }

    private func begin(
        _ session: SessionID, _ start: StartOptions, _ call: MethodCall, from client: Client,
        in world: UserWorld
    ) {
        post(.start(session, start), call, from: client, in: world)
        world.assumeIsolated { $0.dropUnusedInput(of: session) }
        if world.assumeIsolated({ $0.hasSession(session) }) {
            permissions.assumeIsolated { $0.noteUse(of: client.identity) }
        }
    }

    private func requestPermission(
        _ words: [BusText], _ options: [BusText: Value], _ call: MethodCall, from client: Client
    ) throws(Refusal) {
        let waits = try OptionReader(options: options).bool(RequestPermissionOption.wait) ?? true
        var resources: [Resource] = []
        for word in words {
            let resource = try Resource(word: word)
            if !resources.contains(resource) { resources.append(resource) }
        }
        permissions.assumeIsolated { [resources] in
            $0.request(resources, waits: waits, call, from: client)
        }
    }
}

// MARK: - The bus object

extension DictationService: ObjectHandler {
    nonisolated func handle(_ call: MethodCall) {
        assumeIsolated { service in
            do throws(DBusError) {
                try service.admit(call) { [weak self] in self?.receive(call) }
            } catch {
                call.fail(error)
            }
        }
    }

    private nonisolated func receive(_ call: MethodCall) {
        assumeIsolated { service in
            service.callers.assumeIsolated { callers in
                // An agent is not to wait for itself.
                let mayWait = call.interface != DictationAgentManagerInterface.name
                callers.receive(call, mayWait: mayWait) { [weak self] result in
                    switch result {
                    case .success(let caller): self?.assumeIsolated { $0.handle(call, from: caller) }
                    case .failure(let error): call.fail(error)
                    }
                }
            }
        }
    }

    /// Whose properties they are has to be known.
    nonisolated func prepareProperties(
        for call: MethodCall, _ proceed: @escaping @Sendable (Result<Void, DBusError>) -> Void
    ) {
        assumeIsolated { service in
            do throws(DBusError) {
                try service.admit(call) { [callers = service.callers] in
                    callers.assumeIsolated { callers in
                        callers.receive(call) { proceed($0.map { _ in () }) }
                    }
                }
            } catch {
                proceed(.failure(error))
            }
        }
    }

    nonisolated func value(of access: PropertyAccess) throws(DBusError) -> Value {
        guard let property = DictationProperty(rawValue: access.name),
            let value = assumeIsolated({ $0.value(of: property, for: access.sender) })
        else { throw DBusError(.unknownProperty, "There is no property \(access.name).") }
        return value
    }

    /// Who has no world is told what is so in one where nothing happens.
    private func value(of property: DictationProperty, for name: BusName) -> Value? {
        switch property {
        case .version: .uint32(3)
        case .engines, .languages: value(ofGlobal: property)
        case .state, .inUse, .route: properties(for: name).value(of: property)
        }
    }

    private func value(ofGlobal property: DictationProperty) -> Value? {
        switch property {
        case .engines:
            .array(
                engines.entries.map { .structure([.string($0.name), Value($0.details)]) }, of: "(sa{sv})")
        case .languages: Value(Set(engines.entries.flatMap(\.languages)).sorted())
        default: nil
        }
    }

    /// Engines in other processes come and go.
    private func tellEngines() {
        var changed: [BusText: Value] = [:]
        for property in [DictationProperty.engines, .languages] {
            changed[BusText(property.rawValue)] = value(ofGlobal: property)
        }
        outlet.assumeIsolated { [worlds] outlet in
            outlet.tell(changed, toSubscribers: worlds.assumeIsolated { $0.subscribers })
        }
    }

    private func properties(for name: BusName) -> WorldProperties {
        guard let caller = callers.assumeIsolated({ $0.caller(name) }) else { return .idle }
        return worldInUse(of: caller.client.identity.uid)?.assumeIsolated { $0.properties } ?? .idle
    }
}
