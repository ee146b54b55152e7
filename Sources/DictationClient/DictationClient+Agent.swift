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
    /// - Parameter ask: asks the user; nil where the user decides nothing. Its task is cancelled when the question is
    ///   withdrawn.
    public func registerAgent(
        _ scope: AgentScope = [],
        ask: @escaping @Sendable (PermissionQuestion) async -> PermissionAnswer?
    ) async throws(DictationError) {
        let agent = PermissionAgent(of: proxy, on: proxy.connection.loop, ask)
        await proxy.connection.export(
            PermissionAgent.path, interfaces: [DictationAgentInterface.description], handler: agent)
        let registration = AgentRegistration(
            path: PermissionAgent.path,
            options: [
                AgentOption.own: .bool(scope.contains(.itself)),
                AgentOption.fallback: .bool(scope.contains(.fallback)),
            ])
        try await calling { try await registration.make(with: proxy) }
        await receiver.remember(registration)
    }
}

/// What makes an agent known to the service, once and again.
struct AgentRegistration: Sendable {
    let path: ObjectPath
    let options: [String: Value]

    nonisolated(nonsending) func make(with service: DictationProxy) async throws {
        let manager = DictationAgentManagerProxy(
            connection: service.connection, destination: service.destination, path: service.path)
        try await manager.register(path: path, capabilities: [AgentCapability.prompt], options: options)
    }
}
