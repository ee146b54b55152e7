public import DBus
import Desktop
public import DictationConfiguration
import DictationCore
import EventLoop
import Glibc
import JournalFiles
public import Logging
import Recognition
public import ServiceLifecycle
import Wyoming

/// One user's worker as a process of its own, from start to end. Runs as the user.
public struct WorkerDaemon: Service {
    private let broker: String
    private let bus: BusAddress
    private let configuration: Configuration
    private let loader: ConfigurationLoader
    private let environment: [String: String]
    private let logger: Logger

    /// - Parameters:
    ///   - broker: the path of the broker's socket.
    ///   - bus: of the user's session.
    ///   - loader: reads the configuration again when its files change.
    public init(
        broker: String, bus: BusAddress, configuration: Configuration, loader: ConfigurationLoader,
        environment: [String: String], logger: Logger
    ) {
        self.broker = broker
        self.bus = bus
        self.configuration = configuration
        self.loader = loader
        self.environment = environment
        self.logger = logger
    }

    /// Works until it is asked to end by a signal or by the broker, and then commits what is open. Throws if the bus is lost, or
    /// the broker: then the microphone is closed first, and what is not committed waits for the next worker.
    public func run() async throws {
        DescriptorLimit.raise(logger)
        try EventLoopActor.start()
        let connection = try await Connection(to: bus)
        let identifier = try await connection.busIdentifier()
        let lock = try await OwnThread.run("lock") { [environment] in
            Result { () throws(WorkerLockError) in
                try WorkerLock.acquire(identifier, environment: environment)
            }
        }.get()
        defer { withExtendedLifetime(lock) {} }
        let worker = try await worker(on: connection, identifier)
        try await worker.begin()
        logger.info("working")
        let watch = ConfigurationWatch(loader.files, userFile: loader.userFile, logger: logger) {
            try loader.load()
        } changed: { [weak worker, logger] result in
            do {
                worker?.reconfigure(try result.get())
            } catch {
                logger.error("the configuration was not read again", metadata: ["why": "\(error)"])
            }
        }
        await watch.start()
        let end = await end(of: worker, connection)
        await watch.stop()
        switch end {
        case .asked: await worker.end()
        case .brokerLost: await worker.disconnected()
        case .busLost: await worker.abandon()
        }
        await connection.close()
        if end == .busLost { throw DaemonError.busLost }
    }

    @EventLoopActor
    private func worker(on connection: Connection, _ bus: String) async throws -> Worker {
        let uid = getuid()
        let state = try StateFolder(environment: environment)
        let (journals, left) = await Journals.found(
            on: bus, environment: environment, logger)
        let microphones = ChosenMicrophones(in: state.path)
        let read = try await OwnThread.run("files") { [logger] in
            (
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
        let catalog = EngineCatalog(
            configuration, pronouncer: Pronouncer(folder: state.path),
            finalEngines: configuration.finalEngines)
        let settings = WorkerSettings(configuration)
        let supplies = WorkerSupplies(
            configuration: { settings.configuration },
            reconfigure: { settings.configuration.takeChanges(from: $0) },
            engines: catalog, lentEngines: { [] },
            preferredEngines: { settings.configuration.engine }, punctuatingEngines: { [] },
            formattingPlanner: read.0, textFilter: TextFilter(),
            desktop: LocalDesktopSession(of: uid, on: connection, environment: environment),
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
            journals: journals, left: left.filter { $0.contents.session.client.identity.uid == uid },
            recordingLender: nil, canRecordInFolders: { true })
        return Worker(
            of: uid, on: try await PeerConnection(toServerAt: broker), isOfOneUser: true, supplies,
            logger: logger)
    }

    private enum End { case asked, brokerLost, busLost }

    private func end(of worker: Worker, _ connection: Connection) async -> End {
        let (ends, continuation) = AsyncStream.makeStream(of: End.self)
        Task {
            await connection.disconnected()
            continuation.yield(.busLost)
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
