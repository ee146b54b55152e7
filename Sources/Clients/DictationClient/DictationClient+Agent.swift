import DBus
import DictationInterface

extension DictationClient {
    /// The questions that an agent gets.
    public struct AgentScope: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Only those about the program's own application.
        public static let itself = AgentScope(rawValue: 1)
        /// Only those for which the desktop's own dialog fails.
        public static let fallback = AgentScope(rawValue: 2)
    }

    /// Registers this program as an agent that asks the user, until it disconnects. Renewed after restarts of the
    /// service. Programs in a sandbox are refused.
    /// - Parameter ask: asks the user; nil if the user did not decide. If it throws, the user could not be asked, and
    ///   the service tries another prompter. Its task is cancelled when the question is withdrawn.
    public func registerAgent(
        _ scope: AgentScope = [],
        ask: @escaping @Sendable (PermissionQuestion) async throws -> PermissionAnswer?
    ) async throws(DictationError) {
        let agent = PermissionAgent(of: proxy, on: connection, ask)
        await connection.export(
            PermissionAgent.path, interfaces: [DictationAgentInterface.description], handler: agent)
        let registration = AgentRegistration(
            path: PermissionAgent.path, agent: agent,
            options: [
                AgentOption.own: .bool(scope.contains(.itself)),
                AgentOption.fallback: .bool(scope.contains(.fallback)),
            ])
        try await calling { try await registration.make(with: proxy) }
        await receiver.remember(registration)
    }

    /// Ends ``registerAgent(_:ask:)``: the service uses another prompter.
    public func unregisterAgent() async throws(DictationError) {
        await receiver.forgetAgent()
        let manager = AgentRegistration.manager(of: proxy)
        try await calling { try await manager.unregister(path: PermissionAgent.path) }
    }
}

/// The arguments for registering the agent, now and after restarts of the service.
struct AgentRegistration: Sendable {
    let path: ObjectPath
    let agent: PermissionAgent
    let options: [BusText: Value]

    nonisolated(nonsending) func make(with service: DictationProxy) async throws {
        try await Self.manager(of: service)
            .register(path: path, capabilities: [AgentCapability.prompt], options: options)
    }

    static func manager(of service: DictationProxy) -> DictationAgentManagerProxy {
        DictationAgentManagerProxy(
            connection: service.connection, destination: service.destination, path: service.path)
    }
}
