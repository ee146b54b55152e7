public import DBus
import Desktop
import DictationInterface
import EventLoop
public import Logging
public import ServiceLifecycle

/// Makes a desktop session available to the dictation service of the machine, from the session's start to its end.
public struct DesktopAgent: Service {
    private let bus: BusAddress
    private let environment: [String: String]
    private let trigger: String?
    private let logger: Logger

    /// - Parameters:
    ///   - bus: where the service is.
    ///   - environment: of the desktop session.
    ///   - shortcut: the key of the global shortcut; nil for none. See ``isTrigger(_:)``.
    public init(bus: BusAddress, environment: [String: String], shortcut: String?, logger: Logger) {
        self.bus = bus
        self.environment = environment
        trigger = shortcut
        self.logger = logger
    }

    /// Runs until it is asked to end or the session ends. Throws if the service's bus cannot be reached or is lost.
    public func run() async throws {
        try EventLoopActor.start()
        let connection = try await Connection(to: bus)
        let session = await connectToSession()
        let agent = try await LentSession(
            to: connection, session: session, environment: environment, logger: logger)
        try await agent.begin()
        let shortcut = await bindShortcut(session, connection)
        let end = await end(of: connection, session)
        await shortcut?.stop()
        await agent.end()
        await session?.close()
        await connection.close()
        if case .busLost = end { throw DesktopAgentError.busLost }
    }

    /// Without a session bus there are no prompts and no players. The microphone can still be lent.
    private func connectToSession() async -> Connection? {
        do {
            return try await Connection(to: .session)
        } catch {
            logger.notice("the session has no bus: no prompts, no players", metadata: ["why": "\(error)"])
            return nil
        }
    }

    private func bindShortcut(_ session: Connection?, _ service: Connection) async -> DictationShortcut? {
        guard let trigger, let session else { return nil }
        let shortcut = await DictationShortcut(
            trigger, session: session, service: service, environment: environment, logger: logger)
        await shortcut.start()
        return shortcut
    }

    /// Whether this is a key in the format of the XDG shortcuts specification: modifiers (CTRL, ALT, SHIFT, NUM, LOGO) and the
    /// name of a key, joined by plus signs.
    public static func isTrigger(_ text: String) -> Bool {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        guard text.utf8.count <= 64, let key = parts.last else { return false }
        return parts.dropLast().allSatisfy { ["CTRL", "ALT", "SHIFT", "NUM", "LOGO"].contains($0) }
            && key.wholeMatch(of: /[A-Za-z0-9_]+/) != nil
    }

    private enum End { case asked, sessionEnded, busLost }

    private func end(of connection: Connection, _ session: Connection?) async -> End {
        let (ends, continuation) = AsyncStream.makeStream(of: End.self)
        Task {
            await connection.disconnected()
            continuation.yield(.busLost)
        }
        if let session {
            Task {
                await session.disconnected()
                continuation.yield(.sessionEnded)
            }
        }
        return await withGracefulShutdownHandler {
            for await end in ends { return end }
            return .asked
        } onGracefulShutdown: {
            continuation.yield(.asked)
        }
    }
}

public enum DesktopAgentError: Error, CustomStringConvertible {
    case busLost

    public var description: String {
        switch self {
        case .busLost: "the connection to the service's bus was lost"
        }
    }
}
