import DBus
import DictationInterface

extension DictationClient {
    /// What questions an agent takes.
    public struct AgentScope: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Only those about the program's own application.
        public static let itself = AgentScope(rawValue: 1)
        /// Only those that the desktop's own dialog cannot ask.
        public static let fallback = AgentScope(rawValue: 2)
    }

    /// Has this program ask the user for the service, as long as it is connected. Holds over restarts of the service.
    /// Refused to programs in a sandbox.
    /// - Parameter ask: asks the user; nil where the user decides nothing. Where it throws, the user could not be
    ///   asked, and the service asks in another way. Its task is cancelled when the question is withdrawn.
    public func registerAgent(
        _ scope: AgentScope = [],
        ask: @escaping @Sendable (PermissionQuestion) async throws -> PermissionAnswer?
    ) async throws(DictationError) {
        let agent = PermissionAgent(of: proxy, ask)
        await proxy.connection.export(
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

    /// Ends what ``registerAgent(_:ask:)`` began: the service asks in another way.
    public func unregisterAgent() async throws(DictationError) {
        await receiver.forgetAgent()
        let manager = AgentRegistration.manager(of: proxy)
        try await calling { try await manager.unregister(path: PermissionAgent.path) }
    }
}

/// What makes an agent known to the service, once and again.
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
