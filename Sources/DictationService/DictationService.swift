import ClientIdentity
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
    private let world: UserWorld
    private let permissions: PermissionDesk
    private let agents: AgentRegistry
    private let configuration: Configuration
    private let engines: EngineCatalog
    private let policy: AccessPolicy
    private let callers: Callers
    private var lastSession: UInt64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        connection: Connection, uid: UInt32, desktop: any DesktopSession, configuration: Configuration,
        engines: EngineCatalog, resolver: IdentityResolver, store: PermissionStore, loop: EventLoop,
        logger: Logger
    ) {
        self.loop = loop
        self.connection = connection
        self.configuration = configuration
        self.engines = engines
        policy = AccessPolicy(uid: uid)
        outlet = Outlet(connection: connection, loop: loop, logger: logger)
        let world = UserWorld(
            uid: uid, configuration: configuration, engines: engines, desktop: desktop, outlet: outlet,
            loop: loop, logger: logger)
        self.world = world
        let agents = AgentRegistry(connection: connection, loop: loop, logger: logger)
        self.agents = agents
        let prompters = PromptChain(agents: agents, desktop: desktop, logger: logger)
        permissions = PermissionDesk(
            connection: connection, store: store, rules: configuration.permissionRules, loop: loop,
            logger: logger, ask: { await prompters.ask($0) },
            status: { client in world.assumeIsolated { $0.permission(of: client) } })
        callers = Callers(connection: connection, resolver: resolver, loop: loop, logger: logger)
    }

    /// Appears on the bus. Throws where the name is taken.
    func begin() async throws {
        await world.begin()
        await permissions.begin { [weak self] news in self?.assumeIsolated { $0.take(news) } }
        await connection.export(
            DictationInterface.path,
            interfaces: [
                DictationInterface.description, DictationPermissionsInterface.description,
                DictationAgentManagerInterface.description,
            ], handler: self)
        try await connection.onVanished { [weak self] name in
            self?.assumeIsolated { $0.forget(name) }
        }
        guard try await connection.requestName(DictationInterface.busName) == .primaryOwner else {
            throw DaemonError.nameTaken
        }
    }

    /// Ends every session, and waits until all calls in progress are answered.
    func shutDown() async {
        await world.shutDown()
        await permissions.shutDown()
        await agents.releaseAll()
    }

    /// The bus is gone: lets go of the microphone.
    func abandon() async {
        await world.abandon()
        await permissions.shutDown()
    }

    private func forget(_ name: BusName) {
        guard callers.assumeIsolated({ $0.forget(name) }) else { return }
        outlet.assumeIsolated { $0.forget(name) }
        permissions.assumeIsolated { $0.forget(name) }
        agents.assumeIsolated { $0.forget(name) }
        world.assumeIsolated { $0.post(.clientVanished(ClientName(name.rawValue))) }
    }

    // MARK: Permission

    private func take(_ news: PermissionDesk.News) {
        switch news {
        case .allowedOnce(let client, let resources):
            world.assumeIsolated { $0.post(.allowedOnce(client, resources)) }
            guard let name = BusName(client.name.rawValue) else { return }
            for resource in resources { tell(resource, .granted, to: [name]) }
        case .decided(let identity, let permission, let resources):
            world.assumeIsolated { $0.post(.permission(identity, permission)) }
            let names = callers.assumeIsolated { $0.names(of: identity) }
            for resource in resources {
                tell(resource, permission[resource], to: names)
                permissions.assumeIsolated { $0.announce(identity, resource, permission[resource]) }
            }
        }
    }

    private func tell(_ resource: Resource, _ status: PermissionStatus, to names: [BusName]) {
        outlet.assumeIsolated { $0.tell(resource, status, to: names) }
    }

    /// What is known of an application is known to its world before any of its calls.
    private func introduce(_ client: Client) {
        let permission = permissions.assumeIsolated { $0.permission(of: client.identity) }
        world.assumeIsolated { $0.introduce(client.identity, permission) }
    }

    // MARK: Calls

    private func handle(_ call: MethodCall, from client: Client) {
        do throws(DBusError) {
            if let refusal = policy.refusal(of: call.member, call.interface, by: client.identity) {
                throw DBusError(refusal)
            }
            introduce(client)
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
            try perform(request, call, from: client)
        } catch {
            throw DBusError(error)
        }
    }

    private func perform(
        _ request: DictationRequest, _ call: MethodCall, from client: Client
    ) throws(Refusal) {
        switch request {
        case .start(let options): try start(options, call, from: client)
        case .pause: post(.pause, call, from: client)
        case .resume: post(.resume, call, from: client)
        case .commit: post(.commit, call, from: client)
        case .cancel: post(.cancel, call, from: client)
        case .stop: post(.stop, call, from: client)
        case .subscribe(let options):
            let text = try OptionReader(options: options).bool(SubscribeOption.text) ?? false
            post(.subscribe(text: text), call, from: client)
        case .getSession: post(.getSession, call, from: client)
        case .requestPermission(let resources, let options):
            try requestPermission(resources, options, call, from: client)
        case .checkPermission: post(.checkPermission, call, from: client)
        case .listRoutes: post(.listRoutes, call, from: client)
        case .selectRoute(let name, _):
            post(.selectRoute(name.isEmpty ? nil : NodeName(name)), call, from: client)
        }
    }

    private func post(_ request: Request, _ call: MethodCall, from client: Client) {
        let id = outlet.assumeIsolated { $0.keep(call) }
        world.assumeIsolated { $0.post(.call(id, from: client, request)) }
    }

    private func start(
        _ options: [String: Value], _ call: MethodCall, from client: Client
    ) throws(Refusal) {
        let start = try StartOptions(options, configuration: configuration)
        do throws(RecognitionError) {
            try engines.check(start.transcription)
        } catch {
            throw Refusal(error)
        }
        lastSession += 1
        let session = SessionID(rawValue: lastSession)
        if let file = try OptionReader(options: options).descriptor(StartOption.input),
            let refusal = world.assumeIsolated({ $0.keepInput(file, for: session) })
        {
            throw refusal
        }
        post(.start(session, start), call, from: client)
        world.assumeIsolated { $0.dropUnusedInput(of: session) }
        if world.assumeIsolated({ $0.hasSession(session) }) {
            permissions.assumeIsolated { $0.noteUse(of: client.identity) }
        }
    }

    private func requestPermission(
        _ words: [String], _ options: [String: Value], _ call: MethodCall, from client: Client
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
            service.callers.assumeIsolated { callers in
                callers.receive(call) { [weak self] call, client in
                    self?.assumeIsolated { $0.handle(call, from: client) }
                }
            }
        }
    }

    nonisolated func value(of access: PropertyAccess) throws(DBusError) -> Value {
        guard let property = DictationProperty(rawValue: access.name),
            let value = assumeIsolated({ $0.value(of: property) })
        else { throw DBusError(.unknownProperty, "There is no property \(access.name).") }
        return value
    }

    private func value(of property: DictationProperty) -> Value? {
        switch property {
        case .version: .uint32(1)
        case .engines:
            .array(
                engines.entries.map { .structure([.string($0.name), Value($0.details)]) }, of: "(sa{sv})")
        case .languages: Value(Set(engines.entries.flatMap(\.languages)).sorted())
        case .state, .inUse, .route: world.assumeIsolated { $0.properties }.value(of: property)
        }
    }
}
