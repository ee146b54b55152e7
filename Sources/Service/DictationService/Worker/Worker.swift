import DBus
import Desktop
import DictationConfiguration
import DictationCore
import DictationInterface
import EventLoop
import JournalFiles
import Logging
import PermissionStore
import Recognition

/// The bus object: checks whether a caller may call, and dispatches the call.
@EventLoopActor
final class DictationService {
    private let connection: Connection
    let messageSender: MessageSender
    let worlds: Worlds
    let agents: AgentRegistry
    let permissions: PermissionManager
    let journals: Journals
    let leftSessions: LeftSessions
    private let configurations: UserConfigurations
    private var formattingPlanner: FormattingPlanner
    /// The engines that every user has.
    let engines: EngineCatalog
    /// The engines that agents lend; nil on a session bus.
    private let lentEngines: LentEngines?
    /// The user of a session bus; nil on the system bus.
    let uid: UInt32?
    private let policy: AccessPolicy
    let callers: Callers
    let mailboxes: Mailboxes
    let budgets: Budgets
    var pendingStarts: [BusName: PendingStart] = [:]
    private var lastSession: UInt64
    private var lastNeeded = SuspendingClock.now

    /// - Parameters:
    ///   - uid: the user of a session bus; nil on the system bus.
    ///   - identifier: identifies clients.
    ///   - authorize: returns why a caller may not grant permissions.
    ///   - left: the journals that the last service left.
    ///   - engines: makes the engines of a world. Users do not share decoders.
    ///   - lentEngines: the engines that agents lend.
    ///   - desktop: the desktop session of a user.
    init(
        connection: Connection, uid: UInt32?, configuration: Configuration, identifier: any Identifier,
        agents: AgentRegistry, budgets: Budgets, store: PermissionStore, journals: Journals,
        left: [LeftJournal],
        authorize: @escaping @Sendable (MethodCall) async -> Refusal? = { _ in nil },
        logger: Logger, engines: @escaping @EventLoopActor () -> EngineCatalog,
        lentEngines: LentEngines? = nil,
        desktop: @escaping @EventLoopActor (UInt32) -> any DesktopSession
    ) {
        self.connection = connection
        let configurations = UserConfigurations(configuration, agents: agents)
        self.configurations = configurations
        formattingPlanner = FormattingPlanner(logger: logger)
        self.engines = engines()
        self.lentEngines = lentEngines
        self.agents = agents
        self.budgets = budgets
        self.uid = uid
        self.journals = journals
        leftSessions = LeftSessions(left, bus: journals.bus, logger: logger)
        lastSession = leftSessions.lastSession
        policy = AccessPolicy(uid: uid)
        let messageSender = MessageSender(
            connection: connection, isOfOneUser: uid != nil, budgets: budgets, logger: logger)
        self.messageSender = messageSender
        let worlds = Worlds(
            isNeeded: { owner in owner == uid || agents.hasAgents(ofUser: owner) },
            make: { owner, becameIdle in
                let settings = configurations.sentSettings(of: owner) ?? UserSettings()
                let world = UserWorld(
                    uid: owner, userSettings: settings,
                    settings: configurations.configuration(of: owner, settings).ofDictation,
                    engines: engines(), desktop: desktop(owner), routes: store.routes(ofUser: owner),
                    storeRoutes: { choices in
                        do throws(PermissionStoreError) {
                            try await store.setRoutes(choices, ofUser: owner)
                            return nil
                        } catch {
                            return Refusal(error)
                        }
                    },
                    messageSender: messageSender, logger: logger, becameIdle: becameIdle)
                if let lentEngines { world.lend(lentEngines.engines(of: owner)) }
                return world
            })
        self.worlds = worlds
        let prompters = PromptChain(agents: agents, logger: logger) { uid in await worlds[uid]?.desktop }
        permissions = PermissionManager(
            store: store, rules: configuration.permissionRules, budgets: budgets,
            logger: logger, authorize: authorize, ask: { await prompters.ask($0) },
            status: { client in
                worlds[client.identity.uid]?.permission(of: client) ?? .notDetermined
            })
        let callers = Callers(connection: connection, identifier: identifier, logger: logger) { user in
            // The kernel lets this process read about clients of its own user.
            uid != nil || agents.latest(.identify, ofUser: user) != nil
        }
        self.callers = callers
        mailboxes = Mailboxes(budgets: budgets) { callers.payer($0) }
    }

    /// Requests the name on the bus. Throws if it is taken.
    func begin() async throws {
        if let uid { _ = try worlds.world(of: uid) }
        agents.begin(
            AgentRegistry.Handlers { [weak worlds] uid in
                worlds?.reconsider(uid)
            } registrationBegan: { [mailboxes] name in
                mailboxes.suspend(name, .registration)
            } registrationEnded: { [mailboxes] name in
                mailboxes.resume(name, .registration)
            })
        permissions.begin { [weak self] change in self?.apply(change) }
        callers.begin(
            Callers.Handlers { [mailboxes] name in
                mailboxes.charge(name)
            } identified: { [mailboxes] name, error in
                if let error { mailboxes.fail(name, error) }
                mailboxes.resume(name, .identification)
                // Those that still wait count for the application now.
                mailboxes.charge(name)
            })
        leftSessions.resume = { [mailboxes] name in mailboxes.resume(name, .restoring) }
        messageSender.begin { [weak worlds] name, uid in
            worlds?[uid]?.readerStopped(ClientName(name.rawValue))
        }
        connection.export(
            DictationInterface.path,
            interfaces: [
                DictationInterface.description, DictationPermissionsInterface.description,
                DictationAgentManagerInterface.description,
            ], handler: self)
        try await connection.onVanished { [weak self] name in self?.forget(name) }
        leftSessions.begin { [connection] name in try await connection.owner(of: name) != nil }
        engines.observe { [weak self] in
            EventLoopActor.executeNowIfCurrent { [weak self] in self?.signalEngines() }
        }
        engines.probe()
        lentEngines?.begin { [weak self] uid in self?.enginesChanged(of: uid) }
        let throttle = UserThrottle { [weak self] uid in self?.applySettings(ofUser: uid) ?? false }
        agents.observeAll { [worlds, configurations] uid in
            guard let sent = configurations.sentSettings(of: uid) else { return }
            worlds[uid]?.userSettings = sent
            throttle.request(uid)
        }
        guard try await connection.requestName(DictationInterface.busName) == .primaryOwner else {
            throw DaemonError.nameTaken
        }
    }

    /// The configuration files have changed.
    func reconfigure(_ configuration: Configuration) {
        configurations.update(configuration)
        let running = worlds.users.compactMap { worlds[$0]?.identities }
        permissions.update(
            configuration.permissionRules, for: running.reduce(callers.identities) { $0.union($1) })
        for uid in worlds.users { _ = applySettings(ofUser: uid) }
    }

    /// Settings that do not wait for the next session. Returns whether they have changed.
    private func applySettings(ofUser uid: UInt32) -> Bool {
        guard let world = worlds[uid] else { return false }
        let settings = configurations.configuration(of: uid, world.userSettings).ofDictation
        guard settings != world.settings else { return false }
        world.post(.settings(settings))
        return true
    }

    /// Ends every session, and waits until all calls in progress are answered.
    func shutDown() async {
        for name in pendingStarts.keys {
            endPendingStart(of: name, Refusal(.cancelled, "The service is ending."))
        }
        for name in leftSessions.leave() {
            mailboxes.fail(name, DBusError(Refusal(.cancelled, "The service is ending.")))
        }
        await worlds.shutDown()
        await permissions.shutDown()
        await agents.releaseAll()
    }

    /// The connection to the bus was lost: closes the microphone.
    func abandon() async {
        leftSessions.removeAll()
        await worlds.abandon()
        await permissions.shutDown()
    }

    // MARK: Engines

    /// The engines of a user.
    func catalog(of uid: UInt32?) -> EngineCatalog {
        guard let uid, let lentEngines else { return engines }
        var catalog = engines
        catalog.lentEngines = lentEngines.engines(of: uid)
        return catalog
    }

    /// Names of engines in order of preference, for calls that name none. The administrator's setting takes precedence.
    func preferredEngines(of uid: UInt32?) -> [String] {
        let preference = uid.flatMap { lentEngines?.preference(of: $0) } ?? []
        return preference.isEmpty || configurations.common.administered.contains("engine")
            ? configurations.common.engine : preference
    }

    private func enginesChanged(of uid: UInt32) {
        worlds[uid]?.lend(lentEngines?.engines(of: uid) ?? [])
        signalEngines(of: uid)
    }

    // MARK: Going when nobody needs it

    /// Since when the service could have ended without losing anything; now, if it could not end.
    func unneededSince() -> SuspendingClock.Instant {
        if !isIdle { lastNeeded = .now }
        return lastNeeded
    }

    private var isIdle: Bool {
        worlds.areIdle && messageSender.isIdle && callers.isIdle && permissions.isIdle && agents.isIdle
            && pendingStarts.isEmpty && leftSessions.isEmpty && mailboxes.isIdle
            && !connection.hasWaitingCalls
    }

    /// Releases the name, so that the next call starts another service. Returns false if a call came before that: then
    /// this service goes on.
    func leave() async throws -> Bool {
        // With a session it never releases the name, because clients would take the session for lost.
        guard isIdle else { return false }
        mailboxes.hold()
        // After the reply, no call can arrive by that name.
        try await connection.releaseName(DictationInterface.busName)
        if isIdle { return true }
        // Meanwhile the bus delivers calls that would have started another service.
        let reply = try await connection.requestName(DictationInterface.busName)
        mailboxes.release()
        guard reply == .primaryOwner else { throw DaemonError.nameTaken }
        return false
    }

    func noteCall(of name: BusName) {
        lastNeeded = .now
        messageSender.noteCall(of: name)
    }

    private func forget(_ name: BusName) {
        mailboxes.forget(name)
        leftSessions.vanished(name)
        let (hadCalled, caller) = callers.forget(name)
        guard hadCalled else { return }
        permissions.forget(name)
        agents.forget(name)
        if let pending = pendingStarts.removeValue(forKey: name) { drop(pending) }
        if let client = caller?.client { worlds[client.identity.uid]?.post(.clientVanished(client.name)) }
        // Last, because the above may still send signals to it.
        messageSender.forget(name)
    }

    // MARK: Permission

    /// Passes an application's stored permissions to its world before its first call.
    func introduce(_ client: Client, to world: UserWorld) {
        world.introduce(client.identity, permissions.permission(of: client.identity).ofDictation)
    }

    // MARK: Calls

    func handle(_ call: MethodCall, from caller: Caller) -> Mailboxes.Progress {
        do throws(DBusError) {
            if let refusal = policy.refusal(of: call.member, call.interface, by: caller) {
                throw DBusError(refusal)
            }
            let client = caller.client
            if restoresFirst(call, from: client) { return .waits(for: .restoring) }
            try count(call, of: client)
            perform(call, from: client)
        } catch {
            call.fail(error)
        }
        return .taken
    }

    private static let stoppingMethods: Set<DictationMethod> = [.pause, .cancel, .stop, .stopAll]

    /// Counts the call against the budgets of its application and its user. Calls that stop dictation, and those that wait for
    /// the user, have budgets of their own, so that neither keeps the others from being made.
    private func count(_ call: MethodCall, of client: Client) throws(DBusError) {
        let method =
            call.interface == DictationInterface.name ? DictationMethod(rawValue: call.member.rawValue) : nil
        let item: Budgets.Item =
            switch method {
            case .requestPermission: .permissionRequests
            case let method? where Self.stoppingMethods.contains(method): .stoppingCalls
            default: .calls
            }
        do throws(Refusal) {
            try budgets.count(call, as: item, of: .caller(client.identity, call.sender))
        } catch {
            throw DBusError(error)
        }
    }

    private func perform(_ call: MethodCall, from client: Client) {
        do throws(DBusError) {
            switch call.interface {
            case DictationPermissionsInterface.name:
                let request = try DictationPermissionsRequest(call)
                permissions.handle(request, call, from: client)
            case DictationAgentManagerInterface.name:
                let request = try DictationAgentManagerRequest(call)
                agents.handle(request, call, from: client)
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
            let world = try worlds.world(of: uid)
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
        world.post(.call(messageSender.keep(call), from: client, request))
    }

    private func start(
        _ options: [BusText: Value], _ call: MethodCall, from client: Client, in world: UserWorld
    ) throws(Refusal) {
        let preparation = try preparation(options, from: client, in: world)
        let (start, plan) = (preparation.start, preparation.plan)
        guard preparation.isNeeded else { return try begin(start, options, call, from: client, in: world) }
        let lease = try budgets.requireLease(.preparations, of: .caller(client.identity, call.sender))
        suspend(PendingStart(call: call))
        Task {
            let prepared = await preparation.run(with: engines)
            lease.end()
            if let plan, case .success(let start) = prepared, let formatting = start.formatting {
                formattingPlanner.keep(formatting, for: plan)
            }
            // The connection may have gone.
            guard pendingStarts[call.sender]?.call === call else { return }
            do throws(Refusal) {
                // The world may have ended meanwhile, because nothing else needed it.
                let world = try worlds.world(of: client.identity.uid)
                introduce(client, to: world)
                try begin(try prepared.get(), options, call, from: client, in: world)
            } catch {
                endPendingStart(of: call.sender, error)
            }
        }
    }

    /// The options of a session, if its client may start it, and what remains to be prepared.
    func preparation(
        _ options: [BusText: Value], from client: Client, in world: UserWorld
    ) throws(Refusal) -> StartPreparation {
        let configuration = configurations.configuration(of: world.uid, world.userSettings)
        var start = try StartOptions(options, configuration: configuration)
        let formatting = try FormattingRequest(options, configuration: configuration)
        if start.broadcasts, uid == nil {
            throw Refusal(
                .invalidArguments, "Option 'broadcast' is for a bus that belongs to one user: call Subscribe."
            )
        }
        // Before any work for the caller.
        if let refusal = world.refusal(ofStart: start, by: client) { throw refusal }
        do throws(RecognitionError) {
            let engine = start.transcription.engine
            let preferred = preferredEngines(of: client.identity.uid)
            start.transcription = try world.choose(
                start.transcription, from: engine.isEmpty ? preferred : [engine], previewsFrom: preferred)
        } catch {
            throw Refusal(error)
        }
        let plan = try formattingPlanner.plan(
            formatting,
            languages: [start.transcription.language] + start.transcription.otherLanguages,
            of: client.identity, configuration: configuration,
            punctuatingEngines: lentEngines?.punctuating(of: client.identity.uid) ?? [])
        if let plan, let lexicons = formattingPlanner.lexicons(for: plan) {
            start.format(by: plan, with: lexicons)
        }
        return StartPreparation(start: start, plan: start.formatting == nil ? plan : nil)
    }

    private func begin(
        _ start: StartOptions, _ options: [BusText: Value], _ call: MethodCall, from client: Client,
        in world: UserWorld
    ) throws(Refusal) {
        if let refusal = worlds.refusalOfSessions { throw refusal }
        lastSession += 1
        let session = SessionID(rawValue: lastSession)
        let journal = JournalSession(session, of: client, start, options, bus: journals.bus)
            .map { journals.journal(of: $0) }
        let reader = OptionReader(options: options)
        if let file = try reader.descriptor(StartOption.input) {
            try examine(file, for: session, start, call, from: client, in: world)
        } else if let target = try reader.descriptor(StartOption.record), let recording = start.recording {
            try examine(target, for: recording, session, start, call, from: client, in: world)
            world.keep(journal, of: session)
        } else {
            world.keep(journal, of: session)
            begin(session, start, call, from: client, in: world)
            resume(call.sender)
        }
    }

    /// The later calls of the connection wait until the Start is over.
    func suspend(_ pending: PendingStart) {
        pendingStarts[pending.call.sender] = pending
        mailboxes.suspend(pending.call.sender, .start)
    }

    private func resume(_ name: BusName) {
        pendingStarts[name] = nil
        mailboxes.resume(name, .start)
    }

    /// Begins the session, or replies with the refusal; then the connection's later calls continue.
    func endPendingStart(
        of name: BusName, _ refusal: Refusal? = nil, beginning: (StartOptions, Client)? = nil
    ) {
        guard let pending = pendingStarts[name] else { return }
        if let (start, client) = beginning, let check = pending.check {
            check.deadline.cancel()
            begin(check.session, start, pending.call, from: client, in: check.world)
        } else {
            drop(pending)
            if let refusal { pending.call.fail(DBusError(refusal)) }
        }
        resume(name)
    }

    private func drop(_ pending: PendingStart) {
        guard let check = pending.check else { return }
        check.deadline.cancel()
        check.world.dropUnusedInput(of: check.session)
    }

    private func begin(
        _ session: SessionID, _ start: StartOptions, _ call: MethodCall, from client: Client,
        in world: UserWorld
    ) {
        post(.start(session, start), call, from: client, in: world)
        world.dropUnusedInput(of: session)
        guard world.hasSession(session) else { return }
        permissions.noteUse(of: client.identity)
    }
}
