import ClientIdentity
public import DBus
import Desktop
import DictationBus
public import DictationConfiguration
import DictationCore
import DictationInterface
import EventLoop
import Glibc
public import Logging
import PermissionStore
public import ServiceLifecycle

/// The whole service on one bus, from start to end.
public struct Daemon: Service {
    /// The users of a service.
    public enum Scope: Sendable {
        /// The user that it runs as, in whose desktop session it is.
        case user
        /// Every user of the machine. Their service managers start the workers.
        case machine
    }

    private let bus: BusAddress
    private let scope: Scope
    private let timeout: Duration?
    private let configuration: Configuration
    private let explicitConfigurationFile: String?
    private let configurationWatch: ConfigurationWatch
    private let manager: ServiceManager
    private let environment: [String: String]
    private let logger: Logger

    /// - Parameters:
    ///   - timeout: how long it stays when it is unused; nil stays.
    ///   - loader: reads the configuration, and reads it again when its files change.
    public init(
        bus: BusAddress, scope: Scope, timeout: Duration?, loader: ConfigurationLoader,
        environment: [String: String], logger: Logger
    ) throws(ConfigurationError) {
        self.bus = bus
        self.timeout = timeout
        self.scope = scope
        configurationWatch = ConfigurationWatch(loader, logger: logger)
        configuration = try loader.load()
        explicitConfigurationFile = loader.explicitFile
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
        // A user's descriptors are that user's own problem, unless others share the service.
        let connection = try await Connection(to: bus, limitsDescriptors: scope == .machine)
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
        let ready = manager.notifyReady()
        defer { ready.cancel() }
        await configurationWatch.start { [weak service] in service?.reconfigure($0) }
        let watchdog = manager.keepWatchdogQuiet()
        defer { watchdog?.cancel() }
        logger.info("listening on the bus", metadata: ["name": "\(connection.uniqueName)"])

        let end = await end(of: connection, service)
        await configurationWatch.stop()
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
        let workers = try await workers(on: connection, resolver)
        let socket = try BrokerSocket(in: runtimeFolder, isOfOneUser: scope == .user, workers: workers)
        let identifier: any Identifier =
            switch scope {
            case .user: OwnIdentifier(resolver: resolver)
            case .machine: WorkerIdentifier(resolver: resolver) { try await workers.require($0) }
            }
        let broker = Broker(
            connection: connection, uid: scope == .user ? getuid() : nil,
            rules: configuration.permissionRules, ownPrograms: try OwnPrograms.paths(),
            identifier: identifier, workers: workers, store: store, logger: logger,
            authorize: { call in
                scope == .user ? nil : await refusal(ofGrantBy: call, Polkit(on: connection))
            })
        return Dictation(broker: broker, socket: socket)
    }

    /// A user's own service has its worker as a child process. The service of the machine asks the users' service managers for
    /// workers.
    @EventLoopActor
    private func workers(on connection: Connection, _ resolver: IdentityResolver) async throws -> Workers {
        let starter: any WorkerStarter
        switch scope {
        case .user: starter = try ChildWorkers(workerArguments, environment: environment, logger: logger)
        case .machine:
            guard let folder = runtimeFolder else { throw DaemonError.noRuntimeFolder }
            starter = try RequestedWorkers(
                in: folder, bus: try await connection.busIdentifier(), logger: logger)
        }
        let owner = scope == .user ? getuid() : nil
        return Workers(starter: starter, owner: owner, logger: logger) { process, uid in
            guard process.uid == uid else { return false }
            // A program of the user could start a worker of its own. An application in a sandbox must not be one.
            if owner == uid { return true }
            return await resolver.isUnconfined(process.pid, ofUser: uid)
        }
    }

    /// The folder of systemd.exec(5), or a folder of the user's own.
    private var runtimeFolder: String? {
        if let folder = environment["RUNTIME_DIRECTORY"], folder.hasPrefix("/") { return folder }
        guard scope == .user, let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else {
            return nil
        }
        return "\(runtime)/dictation"
    }

    /// The worker reads the same files, and is in the same session.
    private var workerArguments: [String] {
        let bus =
            switch bus {
            case .session: "session"
            case .system: "system"
            case .custom(let address): address
            }
        return ["--bus", bus] + (explicitConfigurationFile.map { ["--config", $0] } ?? [])
            + (logger.logLevel <= .debug ? ["--verbose"] : [])
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
}

public enum DaemonError: Error, CustomStringConvertible {
    case busLost
    case installedForTheMachine
    case nameTaken
    case noRuntimeFolder

    public var description: String {
        switch self {
        case .busLost: "the connection to the bus was lost"
        case .installedForTheMachine:
            "the service is installed for the whole machine: call it on the system bus. A second one on the session bus "
                + "would not share its sessions and permissions. To serve this bus anyway, give --bus its address"
        case .nameTaken: "another dictation service runs on this bus"
        case .noRuntimeFolder: "there is no folder for requests: set RUNTIME_DIRECTORY, as systemd does"
        }
    }
}
