import DBus
import Desktop
import DictationBus
import DictationInterface
import EventLoop
import Glibc
package import Logging
public import ServiceLifecycle

/// Stays as long as the desktop session. Starts the user's worker whenever the service of the machine asks for it, where no service
/// manager of the user does, and has the global shortcuts and the tray's item while nobody dictates.
public struct StayingWorker: Service {
    private let request: String
    private let isOfMachine: Bool
    private let arguments: [String]
    private let wishes: ShortcutWishes
    private let environment: [String: String]
    private let manager: ServiceManager
    private let logger: Logger

    /// - Parameters:
    ///   - request: the file by which the service of the machine asks for the worker; nil is the usual one. If it is named, the
    ///     service is that of the machine.
    ///   - arguments: the worker's program and its arguments.
    ///   - shortcuts: the keys of the global shortcuts.
    ///   - environment: of the desktop session.
    package init(
        request: String?, arguments: [String], shortcuts: ShortcutWishes, environment: [String: String],
        logger: Logger
    ) {
        self.request = request ?? WorkerRequest.path(ofUser: getuid())
        isOfMachine = request != nil
        self.arguments = arguments
        wishes = shortcuts
        // The service manager's messages are for this process.
        self.environment = environment.filter {
            !["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"].contains($0.key)
        }
        manager = ServiceManager(environment: environment)
        self.logger = logger
    }

    /// Runs until it is asked to end or a bus is lost.
    public func run() async throws {
        try EventLoopActor.start()
        let ready = manager.notifyReady()
        defer { ready.cancel() }
        let watchdog = manager.keepWatchdogQuiet()
        defer { watchdog?.cancel() }
        let session = await sessionConnection()
        let service = try await serviceConnection(session)
        let keeper = await WorkerKeeper(
            request, arguments, environment: environment, logger: logger)
        try await keeper.begin(on: service)
        let shortcuts = await bindShortcuts(session, service)
        let indicator = await showLastTexts(session, service)
        logger.info("staying")
        await end(of: [session, service].compactMap(\.self))
        await indicator?.stop()
        await shortcuts?.stop()
        await keeper.end()
        await service.close()
        await session?.close()
    }

    /// Nil where there is none, as on a text console.
    private func sessionConnection() async -> Connection? {
        do {
            return try await Connection(to: .session)
        } catch {
            logger.notice("the session has no bus: no shortcut", metadata: ["why": "\(error)"])
            return nil
        }
    }

    private func serviceConnection(_ session: Connection?) async throws -> Connection {
        if isOfMachine { return try await Connection(to: .system) }
        let system: Connection
        do {
            system = try await Connection(to: .system)
            if try await system.canReach(DictationInterface.busName) { return system }
        } catch {
            guard let session else { throw error }
            logger.debug("the system bus does not answer", metadata: ["why": "\(error)"])
            return session
        }
        guard let session else { return system }
        await system.close()
        return session
    }

    private func bindShortcuts(_ session: Connection?, _ service: Connection) async -> DictationShortcuts? {
        guard let session else { return nil }
        let status = await ShortcutStatus(
            failure: wishes.isEmpty
                ? "the settings have no 'shortcut'" : "the desktop has not answered: does it show a dialog?")
        do {
            try await status.publish(on: session)
        } catch {
            logger.warning("others cannot ask about the shortcuts", metadata: ["why": "\(error)"])
        }
        guard !wishes.isEmpty else { return nil }
        let shortcuts = await DictationShortcuts(
            wishes, status: status, session: session, service: service, environment: environment,
            logger: logger)
        await shortcuts.start()
        return shortcuts
    }

    private func showLastTexts(_ session: Connection?, _ service: Connection) async -> IdleIndicator? {
        guard let session else { return nil }
        let indicator = await IdleIndicator(bus: .session, session: session, service: service, logger: logger)
        await indicator.start()
        return indicator
    }

    private func end(of connections: [Connection]) async {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        for connection in connections {
            Task {
                await connection.disconnected()
                continuation.yield()
            }
        }
        await withGracefulShutdownHandler {
            for await _ in ends { return }
        } onGracefulShutdown: {
            continuation.yield()
        }
    }
}
