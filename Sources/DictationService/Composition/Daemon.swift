import ClientIdentity
public import DBus
import Desktop
import DictationInterface
import EventLoop
import Glibc
public import Logging
import PermissionStore
import Recognition
public import ServiceLifecycle

/// The whole service on one bus, from its start to its end.
public struct Daemon: Service {
    private let bus: BusAddress
    private let configuration: Configuration
    private let manager: ServiceManager
    private let environment: [String: String]
    private let logger: Logger

    public init(bus: BusAddress, configuration: Configuration, environment: [String: String], logger: Logger)
    {
        self.bus = bus
        self.configuration = configuration
        self.environment = environment
        self.logger = logger
        manager = ServiceManager(environment: environment)
    }

    /// Serves until it is asked to end, and then answers every call in progress. Throws where the bus cannot be
    /// reached, where the name is taken, and where the bus goes away: then the microphone is closed first.
    public func run() async throws {
        let loop = try EventLoop(name: "dictation")
        defer { loop.shutDown() }
        let connection = try await Connection(to: bus, on: loop)
        // The store would tell the same, but not as well.
        guard try await connection.owner(of: DictationInterface.busName) == nil else {
            throw DaemonError.nameTaken
        }
        let store = try PermissionStore(folder: try StateFolder(environment: environment).path)
        if let file = store.setAside {
            logger.error("the permissions could not be read, and were set aside", metadata: ["to": "\(file)"])
        }
        let desktop = LocalDesktopSession(of: getuid(), on: connection, environment: environment)
        let service = DictationService(
            connection: connection, uid: getuid(), desktop: desktop, configuration: configuration,
            engines: engines, resolver: try IdentityResolver(), store: store, loop: loop, logger: logger)
        try await service.begin()
        manager.notify(.ready)
        let watchdog = keepWatchdogQuiet(loop)
        defer { watchdog?.cancel() }
        logger.info("listening on the bus", metadata: ["name": "\(connection.uniqueName)"])

        switch await end(of: connection) {
        case .asked:
            manager.notify(.stopping)
            logger.info("ending")
            await service.shutDown()
            await connection.close()
        case .busLost:
            await service.abandon()
            throw DaemonError.busLost
        }
    }

    private var engines: EngineCatalog {
        EngineCatalog(
            engines: [PocketSphinxEngine(model: configuration.modelFolder)]
                // Nobody shall see it who has not asked for it.
                + (configuration.engine == "scripted"
                    ? [ScriptedEngine(failures: .init(onTone: ScriptedEngine.fatalTone))] : []),
            pool: DecoderPool(limit: configuration.decoderLimit, keepWarm: configuration.decoderLinger),
            keptAudio: configuration.backlogLimit)
    }

    private enum End { case asked, busLost }

    private func end(of connection: Connection) async -> End {
        let (ends, continuation) = AsyncStream.makeStream(of: End.self)
        Task {
            await connection.disconnected()
            continuation.yield(.busLost)
        }
        return await withGracefulShutdownHandler {
            for await end in ends { return end }
            return .asked
        } onGracefulShutdown: {
            continuation.yield(.asked)
        }
    }

    /// Tells the service manager's watchdog twice in its time that the loop still turns.
    private func keepWatchdogQuiet(_ loop: EventLoop) -> EventLoop.Timer? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init), microseconds > 0 else {
            return nil
        }
        let half = Duration.microseconds(microseconds / 2)
        return loop.schedule(after: half, repeating: half) { [manager] in manager.notify(.alive) }
    }
}

public enum DaemonError: Error, CustomStringConvertible {
    case busLost
    case nameTaken
    case noStateFolder

    public var description: String {
        switch self {
        case .busLost: "the bus is gone"
        case .nameTaken: "another dictation service runs on this bus"
        case .noStateFolder: "there is no place for permissions: set HOME, XDG_STATE_HOME or STATE_DIRECTORY"
        }
    }
}
