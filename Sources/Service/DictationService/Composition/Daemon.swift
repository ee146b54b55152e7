import ClientIdentity
public import DBus
import Desktop
public import DictationConfiguration
import DictationCore
import DictationInterface
import EventLoop
import Glibc
import JournalFiles
public import Logging
import PermissionStore
import Recognition
public import ServiceLifecycle
import Wyoming

/// The whole service on one bus, from start to end.
public struct Daemon: Service {
    /// The users of a service.
    public enum Scope: Sendable {
        /// The user that it runs as, in whose desktop session it is.
        case user
        /// Every user of the machine. Agents in their desktop sessions lend it what it needs.
        case machine
    }

    private let bus: BusAddress
    private let scope: Scope
    private let timeout: Duration?
    private let configuration: Configuration
    private let loader: ConfigurationLoader?
    private let manager: ServiceManager
    private let environment: [String: String]
    private let logger: Logger

    /// - Parameters:
    ///   - timeout: how long it stays when it is unused; nil stays.
    ///   - loader: reads the configuration again when its files change; nil never.
    public init(
        bus: BusAddress, scope: Scope, timeout: Duration?, configuration: Configuration,
        loader: ConfigurationLoader? = nil, environment: [String: String], logger: Logger
    ) {
        self.bus = bus
        self.timeout = timeout
        self.scope = scope
        self.configuration = configuration
        self.loader = loader
        self.environment = environment
        self.logger = logger
        manager = ServiceManager(environment: environment)
    }

    /// Serves until it is asked to end, and then answers every call in progress. Throws if the bus cannot be reached,
    /// the name is taken, or the bus is lost; then the microphone is closed first. Ends by itself after its timeout
    /// when it is unused.
    public func run() async throws {
        DescriptorLimit.raise(logger)
        try EventLoopActor.start()
        if bus == .session, await isInstalledForTheMachine() { throw DaemonError.installedForTheMachine }
        let connection = try await Connection(to: bus)
        // SQLite would report the same, less clearly.
        guard try await connection.owner(of: DictationInterface.busName) == nil else {
            throw DaemonError.nameTaken
        }
        let store = try PermissionStore(folder: try StateFolder(environment: environment).path)
        if let file = store.setAside {
            logger.error("the permissions could not be read and were moved away", metadata: ["to": "\(file)"])
        }
        let service = try await service(on: connection, store)
        try await service.begin()
        let ready = Task { [manager] in
            // A manager that misses this would end the service.
            while !manager.notify(.ready) { try await Task.sleep(for: .milliseconds(100)) }
        }
        defer { ready.cancel() }
        let watch = loader.map { loader in
            ConfigurationWatch(loader.files, userFile: loader.userFile, logger: logger) {
                try loader.load()
            } changed: { [weak service, logger] result in
                do {
                    service?.reconfigure(try result.get())
                } catch {
                    logger.error("the configuration was not read again", metadata: ["why": "\(error)"])
                }
            }
        }
        await watch?.start()
        let watchdog = keepWatchdogQuiet()
        defer { watchdog?.cancel() }
        logger.info("listening on the bus", metadata: ["name": "\(connection.uniqueName)"])

        let end = await end(of: connection, service)
        await watch?.stop()
        switch end {
        case .asked, .unneeded:
            manager.notify(.stopping)
            logger.info("ending")
            await service.shutDown()
            await connection.close()
        case .busLost:
            await service.abandon()
            throw DaemonError.busLost
        }
    }

    /// A user has one service. Without a system bus, none is installed there.
    private func isInstalledForTheMachine() async -> Bool {
        do {
            let system = try await Connection(to: .system)
            let isInstalled = try await system.canReach(DictationInterface.busName)
            await system.close()
            return isInstalled
        } catch {
            logger.debug("the system bus does not answer", metadata: ["why": "\(error)"])
            return false
        }
    }

    @EventLoopActor
    private func service(on connection: Connection, _ store: PermissionStore) async throws -> Dictation {
        let resolver = try IdentityResolver()
        let budgets = Budgets()
        let isOfOneUser = scope == .user
        var refusalOfAgents: (@Sendable (UInt32) async -> Refusal?)?
        if !isOfOneUser { refusalOfAgents = { uid in await refusal(ofAgentsOf: uid, connection) } }
        let agents = AgentRegistry(
            connection: connection, logger: logger, budgets: budgets,
            wanted: isOfOneUser ? [.prompt] : Set(RegisteredAgent.Capability.allCases),
            allowsRemoteEngines: !isOfOneUser && configuration.allowsRemoteEngines,
            refusal: refusalOfAgents)
        let identifier: any Identifier =
            isOfOneUser
            ? OwnIdentifier(resolver: resolver) : AgentIdentifier(resolver: resolver, agents: agents)
        let workers = try await workers(on: connection, agents, store)
        let broker = Broker(
            connection: connection, uid: isOfOneUser ? getuid() : nil, rules: configuration.permissionRules,
            identifier: identifier, agents: agents, budgets: budgets, store: store, logger: logger,
            authorize: { call in
                isOfOneUser ? nil : await refusal(ofGrantBy: call, Polkit(on: connection))
            }, startWorker: { workers.start($0) }, killWorker: { workers.kill($0) })
        return try Dictation(broker: broker, workers: workers, environment: environment)
    }

    /// A user's own service has its worker as a child process. The service of the machine has all workers within itself.
    @EventLoopActor
    private func workers(
        on connection: Connection, _ agents: AgentRegistry, _ store: PermissionStore
    ) async throws -> any WorkerStarter {
        switch scope {
        case .user:
            return try ChildWorkers(workerArguments, environment: environment, logger: logger)
        case .machine:
            let (journals, left) = await Journals.found(
                on: try await connection.busIdentifier(), environment: environment, logger)
            // Shared by all users, so that learning happens once.
            let pronouncer = Pronouncer(folder: try StateFolder(environment: environment).path)
            let finalEngines = configuration.finalEngines
            return LocalWorkers(
                LocalWorkers.Shared(
                    configurations: UserConfigurations(configuration, agents: agents),
                    engines: { [configuration] in
                        EngineCatalog(configuration, pronouncer: pronouncer, finalEngines: finalEngines)
                    },
                    // If the administrator has set the engines, users have no others.
                    lentEngines: configuration.administered.contains("engines")
                        ? nil
                        : LentEngines(
                            agents: agents, reservedNames: Set(configuration.engines.map(\.name)),
                            engineWait: configuration.engineWait),
                    formattingPlanner: FormattingPlanner(logger: logger), agents: agents, store: store,
                    journals: journals,
                    desktop: { [bus, logger] uid in
                        RemoteDesktopSession(of: uid, agents: agents, systemBus: bus, logger: logger)
                    }, logger: logger),
                left: left)
        }
    }

    /// The worker reads the same files, and is in the same session.
    private var workerArguments: [String] {
        let bus =
            switch bus {
            case .session: "session"
            case .system: "system"
            case .custom(let address): address
            }
        return ["--bus", bus] + (loader?.explicitFile.map { ["--config", $0] } ?? [])
            + (logger.logLevel <= .debug ? ["--verbose"] : [])
    }

    /// Only users at this machine may have agents, because agents lend microphones of this machine.
    private func refusal(ofAgentsOf uid: UInt32, _ connection: Connection) async -> Refusal? {
        do {
            if try await LocalSessions(on: connection).exist(ofUser: uid) { return nil }
            return Refusal(.accessDenied, "Agents are for users who have a session at this machine.")
        } catch {
            logger.notice("an agent was refused", metadata: ["why": "\(error)"])
            return Refusal(.accessDenied, "logind does not say whether the user is at this machine.")
        }
    }

    /// polkit asks the user to confirm that an application may dictate, because any of the user's programs can make the
    /// call.
    private func refusal(ofGrantBy call: MethodCall, _ polkit: Polkit) async -> Refusal? {
        do {
            let answer = try await polkit.answer(
                "org.example.dictation.manage-permissions", for: call.sender,
                mayAskUser: call.flags.contains(.interactiveAuthorization))
            switch answer {
            case .allowed: return nil
            case .needsUser:
                return Refusal(
                    .accessDenied,
                    "The user has to confirm this: call with interactive authorisation allowed.")
            case .refused: return Refusal(.accessDenied, "The user has not confirmed this.")
            }
        } catch is CancellationError {
            return Refusal(.cancelled, "The service is ending.")
        } catch {
            logger.error("polkit does not answer", metadata: ["why": "\(error)"])
            return Refusal(.accessDenied, "polkit, which asks the user to confirm this, does not answer.")
        }
    }

    private enum End { case asked, busLost, unneeded }

    private func end(of connection: Connection, _ service: Dictation) async -> End {
        let (ends, continuation) = AsyncStream.makeStream(of: End.self)
        Task {
            await connection.disconnected()
            continuation.yield(.busLost)
        }
        let leaving = timeout.map { timeout in
            Task {
                do {
                    try await leave(service, after: timeout)
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("the idle exit failed", metadata: ["why": "\(error)"])
                }
                continuation.yield(.unneeded)
            }
        }
        defer { leaving?.cancel() }
        return await withGracefulShutdownHandler {
            for await end in ends { return end }
            return .asked
        } onGracefulShutdown: {
            continuation.yield(.asked)
        }
    }

    /// Returns when the service is unused and its name was released.
    private func leave(_ service: Dictation, after timeout: Duration) async throws {
        var isStopping = false
        while true {
            var rest = timeout - (SuspendingClock.now - (await service.unneededSince()))
            if isStopping {
                manager.notify(.stillNeeded)
                rest = min(rest, .seconds(30))
            }
            if rest > .zero {
                try await Task.sleep(for: rest, clock: .suspending)
                continue
            }
            // Before releasing the name: a manager that believes this service is running would not start another.
            manager.notify(.stopping)
            isStopping = true
            if try await service.leave() { return }
        }
    }

    /// Notifies the service manager's watchdog at half its interval, from the loop.
    private func keepWatchdogQuiet() -> EventLoop.Timer? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init), microseconds > 0 else {
            return nil
        }
        let half = Duration.microseconds(microseconds / 2)
        return EventLoopActor.schedule(after: half, repeating: half) { [manager] in manager.notify(.alive) }
    }
}

public enum DaemonError: Error, CustomStringConvertible {
    case busLost
    case installedForTheMachine
    case nameTaken
    case noStateFolder

    public var description: String {
        switch self {
        case .busLost: "the connection to the bus was lost"
        case .installedForTheMachine:
            "the service is installed for the whole machine: call it on the system bus. A second one on the session bus "
                + "would not share its sessions and permissions. To serve this bus anyway, give --bus its address"
        case .nameTaken: "another dictation service runs on this bus"
        case .noStateFolder: "there is no folder for permissions: set HOME, XDG_STATE_HOME or STATE_DIRECTORY"
        }
    }
}
