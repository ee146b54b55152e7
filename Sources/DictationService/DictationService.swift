import DBus
import Desktop
import DictationCore
import DictationInterface
import EventLoop
import Logging
import Microphone
import Recognition

/// The bus object: learns who calls, decides whether they may, and hands the call to the caller's world.
actor DictationService {
    /// What is known of a connection that called.
    private enum Caller {
        /// The bus is being asked who it is; its calls wait in order.
        case unknown([MethodCall])
        case known(Client)
    }

    private let loop: EventLoop
    private let connection: Connection
    private let outlet: Outlet
    private let world: UserWorld
    private let configuration: Configuration
    private let engines: EngineCatalog
    private let policy: AccessPolicy
    private let logger: Logger
    private var callers: [BusName: Caller] = [:]
    private var lastSession: UInt64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        connection: Connection, uid: UInt32, desktop: any DesktopSession, configuration: Configuration,
        engines: EngineCatalog, loop: EventLoop, logger: Logger
    ) {
        self.loop = loop
        self.connection = connection
        self.configuration = configuration
        self.engines = engines
        self.logger = logger
        policy = AccessPolicy(uid: uid)
        outlet = Outlet(connection: connection, loop: loop, logger: logger)
        world = UserWorld(
            uid: uid, configuration: configuration, engines: engines, desktop: desktop, outlet: outlet,
            loop: loop,
            logger: logger)
    }

    /// Appears on the bus. Throws where the name is taken.
    func begin() async throws {
        await world.begin()
        await connection.export(
            DictationInterface.path, interfaces: [DictationInterface.description], handler: self)
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
    }

    /// The bus is gone: lets go of the microphone.
    func abandon() async {
        await world.abandon()
    }

    // MARK: Callers

    private func forget(_ name: BusName) {
        guard callers.removeValue(forKey: name) != nil else { return }
        outlet.assumeIsolated { $0.forget(name) }
        world.assumeIsolated { $0.post(.clientVanished(ClientName(name.rawValue))) }
    }

    private func receive(_ call: MethodCall) {
        switch callers[call.sender] {
        case .known(let client):
            handle(call, from: client)
        case .unknown(let waiting):
            callers[call.sender] = .unknown(waiting + [call])
        case nil:
            callers[call.sender] = .unknown([call])
            Task { await identify(call.sender) }
        }
    }

    private func identify(_ name: BusName) async {
        let identity: Identity?
        do {
            let credentials = try await connection.credentials(of: name)
            identity = Identity(uid: credentials.uid, kind: .executable, id: "")
        } catch {
            logger.debug(
                "a caller went before it was known", metadata: ["client": "\(name)", "why": "\(error)"])
            identity = nil
        }
        admit(name, as: identity)
    }

    private func admit(_ name: BusName, as identity: Identity?) {
        guard case .unknown(let waiting) = callers[name] else { return }
        guard let identity else {
            callers[name] = nil
            for call in waiting { call.fail(.accessDenied("The bus does not say who is calling.")) }
            return
        }
        let client = Client(name: ClientName(name.rawValue), identity: identity)
        callers[name] = .known(client)
        world.assumeIsolated { $0.post(.permission(identity, policy.permission(of: identity))) }
        for call in waiting { handle(call, from: client) }
    }

    // MARK: Calls

    private func handle(_ call: MethodCall, from client: Client) {
        do throws(DBusError) {
            let request = try DictationRequest(call)
            do throws(Refusal) {
                if let refusal = policy.refusal(of: request, by: client.identity) { throw refusal }
                try handle(request, call, from: client)
            } catch {
                throw DBusError(error)
            }
        } catch {
            call.fail(error)
        }
    }

    private func handle(_ request: DictationRequest, _ call: MethodCall, from client: Client) throws(Refusal)
    {
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
    }

    /// There is nobody to ask in this version: the policy has decided already.
    private func requestPermission(
        _ resources: [String], _ options: [String: Value], _ call: MethodCall, from client: Client
    ) throws(Refusal) {
        _ = try OptionReader(options: options).bool(RequestPermissionOption.wait)
        let permission = policy.permission(of: client.identity)
        var statuses: [String: String] = [:]
        for word in resources {
            guard let resource = Resource(rawValue: word) else {
                let known = Resource.allCases.map(\.rawValue).joined(separator: " and ")
                throw Refusal(.invalidArguments, "There is no resource '\(word)', but: \(known).")
            }
            statuses[word] = permission[resource].rawValue
        }
        call.reply(DictationReply.requestPermission(status: statuses).body)
    }
}

// MARK: - The bus object

extension DictationService: ObjectHandler {
    nonisolated func handle(_ call: MethodCall) {
        assumeIsolated { $0.receive(call) }
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
