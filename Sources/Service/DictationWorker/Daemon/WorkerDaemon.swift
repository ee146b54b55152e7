import ClientIdentity
public import DBus
import Desktop
import DictationBus
public import DictationConfiguration
import DictationCore
import EventLoop
import Glibc
import HistoryFiles
import JournalFiles
public import Logging
import Recognition
public import ServiceLifecycle
import Wyoming

/// One user's worker as a process of its own, from start to end. Runs as the user.
public struct WorkerDaemon: Service {
    /// How it finds its broker.
    public enum Broker: Sendable {
        /// The process that has started it, of the same user, listens at this socket.
        case parent(socket: String)
        /// The service of the machine asks for it with this file; nil is the usual one.
        case machine(request: String?)
    }

    private let broker: Broker
    private let bus: BusAddress
    private let loader: ConfigurationLoader
    private let configurationWatch: ConfigurationWatch
    private let manager: ServiceManager
    private let environment: [String: String]
    private let logger: Logger

    /// - Parameters:
    ///   - bus: of the user's session.
    ///   - loader: reads the configuration, and reads it again when its files change.
    public init(
        broker: Broker, bus: BusAddress, loader: ConfigurationLoader, environment: [String: String],
        logger: Logger
    ) {
        self.broker = broker
        self.bus = bus
        self.loader = loader
        configurationWatch = ConfigurationWatch(loader, logger: logger)
        self.environment = environment
        self.logger = logger
        manager = ServiceManager(environment: environment)
    }

    /// Works until it is asked to end by a signal or by the broker, and then commits what is open. Returns at once if it is not
    /// requested. Throws if the bus is lost, or the broker: then the microphone is closed first, and what is not committed waits
    /// for the next worker.
    public func run() async throws {
        DescriptorLimit.raise(logger)
        try EventLoopActor.start()
        // It may end at once, which is no failure.
        let ready = manager.notifyReady()
        defer { ready.cancel() }
        let watchdog = manager.keepWatchdogQuiet()
        defer { watchdog?.cancel() }
        switch broker {
        case .parent(let socket):
            let connection = try await Connection(to: bus)
            let place = Place(
                socket: socket, bus: try await connection.busIdentifier(), isOfOneUser: true)
            try await work(at: place, connection)
        case .machine(let other):
            let path = other ?? WorkerRequest.path(ofUser: getuid())
            guard let request = try await request(path) else {
                return logger.info("nobody needs this worker")
            }
            try await work(
                at: Place(socket: request.socket, bus: request.bus, isOfOneUser: false), sessionConnection())
            // Without an error, it would be started again without a pause.
            if try await self.request(path) != nil { throw WorkerError.isStillRequested }
        }
    }

    private struct Place {
        /// The broker's.
        let socket: String
        /// The GUID of the service's bus.
        let bus: String
        /// Whether the service's bus is that of the user's session.
        let isOfOneUser: Bool
    }

    private func request(_ path: String) async throws -> WorkerRequest? {
        try await OwnThread.run("request") { Result { try WorkerRequest.read(path) } }.get()
    }

    /// Nil where there is none. The microphone works without it.
    private func sessionConnection() async -> Connection? {
        do {
            return try await Connection(to: bus)
        } catch {
            logger.notice("the session has no bus: no dialogs, no players", metadata: ["why": "\(error)"])
            return nil
        }
    }

    private func work(at place: Place, _ connection: Connection?) async throws {
        let lock = try await OwnThread.run("lock") { [environment] in
            Result { () throws(WorkerLockError) in
                try WorkerLock.acquire(place.bus, environment: environment)
            }
        }.get()
        defer { withExtendedLifetime(lock) {} }
        let service = await serviceConnection(place, connection)
        let worker = try await worker(at: place, connection, service)
        try await worker.begin()
        logger.info("working")
        await configurationWatch.start { [weak worker] in worker?.reconfigure($0) }
        let end = await end(of: worker, connection, isOfOneUser: place.isOfOneUser)
        await configurationWatch.stop()
        switch end {
        case .asked: await worker.end()
        case .brokerLost: await worker.disconnected()
        case .busLost: await worker.abandon()
        }
        await connection?.close()
        if service !== connection { await service?.close() }
        if end == .busLost { throw WorkerError.busLost }
    }

    /// For the indicator, whose menu calls the service. Nil where there is none.
    private func serviceConnection(_ place: Place, _ session: Connection?) async -> Connection? {
        guard session != nil, !place.isOfOneUser else { return session }
        do {
            return try await Connection(to: .system)
        } catch {
            logger.notice("dictation is not shown", metadata: ["why": "\(error)"])
            return nil
        }
    }

    /// The settings of the files, and what could not be read. A key with an error has its default, so that the user can
    /// dictate.
    private func configuration() -> (settings: Configuration, errors: [ConfigurationError]) {
        let (configuration, errors) = loader.loadSkippingErrors()
        for error in errors.prefix(Self.errorLimit) {
            logger.error("a setting is not used", metadata: ["why": "\(error)"])
        }
        return (configuration, errors)
    }

    private func confine() {
        do throws(EventLoopError) {
            try Confinement.forbidPrograms(except: RouteChoice.programs)
        } catch {
            logger.notice("the worker may start programs", metadata: ["why": "\(error)"])
        }
    }

    /// Maximum number of errors that are logged.
    private static let errorLimit = 8

    @EventLoopActor
    private func worker(
        at place: Place, _ session: Connection?, _ service: Connection?
    ) async throws -> Worker {
        let uid = getuid()
        let (configuration, errors) = configuration()
        // Code that decodes sound cannot start a program either, except those of ``RouteChoice``. The user's own filter is one.
        let startsPrograms = !configuration.filter.isEmpty
        if !startsPrograms { confine() }
        let state = try StateFolder(environment: environment)
        let (journals, left) = await Journals.found(
            on: place.bus, environment: environment, logger)
        let microphones = ChosenMicrophones(in: state.path)
        let read = try await OwnThread.run("files") { [logger] in
            state.make()
            return (
                FormattingPlanner(logger: logger),
                Result { () throws(ChosenMicrophonesError) in try microphones.read() }
            )
        }
        let routes: RouteChoices
        do throws(ChosenMicrophonesError) {
            routes = try read.1.get()
        } catch {
            logger.error("the chosen microphones are not known", metadata: ["why": "\(error)"])
            routes = RouteChoices()
        }
        let history = HistoryKeeper(in: HistoryFolder(state.path + "/history", uid: uid), logger: logger)
        if !errors.contains(where: \.concernsHistory) { history.use(configuration.history) }
        // Its applications are in the greeting.
        await history.settle()
        let catalog = EngineCatalog(
            configuration, pronouncer: Pronouncer(folder: state.path),
            finalEngines: configuration.finalEngines)
        let settings = WorkerSettings(configuration)
        let indicator = session.flatMap { session in
            service.map { DictationIndicator(bus: bus, session: session, service: $0, logger: logger) }
        }
        await indicator?.start()
        let supplies = WorkerSupplies(
            configuration: { settings.configuration },
            reconfigure: { settings.configuration.adoptChanges(from: $0) },
            engines: catalog, formattingPlanner: read.0, textFilter: startsPrograms ? TextFilter() : nil,
            desktop: LocalDesktopSession(
                of: uid, on: session, absence: place.isOfOneUser ? .present : .away,
                environment: environment),
            indicator: indicator,
            notifier: session.map { DesktopNotifier($0, logger: logger) }, environment: environment,
            resolver: place.isOfOneUser ? nil : try IdentityResolver(),
            routes: routes,
            storeRoutes: { choices in
                do {
                    return try await OwnThread.run("microphones") { () -> Refusal? in
                        do throws(ChosenMicrophonesError) {
                            state.make()
                            try microphones.write(choices)
                            return nil
                        } catch {
                            return Refusal(.fileWrite, error.description)
                        }
                    }
                } catch {
                    return Refusal(.limitExceeded, "No thread could be started: \(error)")
                }
            },
            history: history, journals: journals,
            left: left.filter { $0.contents.session.client.identity.uid == uid })
        return Worker(
            of: uid, on: try await PeerConnection(toServerAt: place.socket), isOfOneUser: place.isOfOneUser,
            supplies, logger: logger)
    }

    private enum End { case asked, brokerLost, busLost }

    /// - Parameter isOfOneUser: whether the service's bus is that of the session. Otherwise the end of the session's bus is that
    ///   of the session.
    private func end(of worker: Worker, _ session: Connection?, isOfOneUser: Bool) async -> End {
        let (ends, continuation) = AsyncStream.makeStream(of: End.self)
        if let session {
            Task {
                await session.disconnected()
                continuation.yield(isOfOneUser ? .busLost : .asked)
            }
        }
        Task {
            await worker.linkEnded()
            continuation.yield(.brokerLost)
        }
        return await withGracefulShutdownHandler {
            for await end in ends { return end }
            return .asked
        } onGracefulShutdown: {
            continuation.yield(.asked)
        }
    }
}

public enum WorkerError: Error, CustomStringConvertible {
    case busLost
    case isStillRequested

    public var description: String {
        switch self {
        case .busLost: "the connection to the bus was lost"
        case .isStillRequested: "the service still needs this worker: it has to be started again"
        }
    }
}

extension ConfigurationError {
    /// Whether the user may have chosen something else about the history: then nothing of it may be erased.
    fileprivate var concernsHistory: Bool {
        key.map { ["applications", "history", "history-sound"].contains($0) } ?? true
    }
}

/// The settings of a worker's files.
@EventLoopActor
private final class WorkerSettings {
    var configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }
}

extension EngineCatalog {
    /// The engines of a configuration, with a pool of decoders of their own.
    @EventLoopActor
    init(_ configuration: Configuration, pronouncer: Pronouncer, finalEngines: [FinalEngine]) {
        self.init(
            engines: [
                PocketSphinxEngine(
                    model: configuration.modelFolder, models: configuration.models, pronouncer: pronouncer)
            ]
                // Only callers that ask for it get it.
                + (configuration.engine.contains("scripted")
                    ? [ScriptedEngine(failures: .init(onTone: ScriptedEngine.fatalTone))] : []),
            finalEngines: finalEngines,
            pool: DecoderPool(limit: configuration.decoderLimit, keepWarm: configuration.decoderLinger),
            keptAudio: configuration.backlogLimit)
    }
}

extension Configuration {
    /// The configured engines in other processes.
    @EventLoopActor
    var finalEngines: [FinalEngine] {
        engines.map { engine in
            FinalEngine(
                WyomingEngine(
                    name: engine.name, address: engine.address, uid: getuid(),
                    mayBeRemote: allowsRemoteEngines),
                fallback: engine.fallback, commitTimeout: engineWait, on: EventLoopActor.loop)
        }
    }
}
