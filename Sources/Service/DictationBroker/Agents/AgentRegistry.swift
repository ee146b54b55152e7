import DBus
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
import Logging

/// The registered agents: programs that ask users for permission.
@EventLoopActor
final class AgentRegistry {
    private let connection: Connection
    private let logger: Logger
    private let budgets: Budgets
    /// In order of registration.
    private var agents: [RegisteredAgent] = []
    private var lastNumber: UInt64 = 0

    /// Maximum number of registrations of one connection, and of one user.
    private static let limit = 8
    private static let userLimit = 64

    init(connection: Connection, logger: Logger, budgets: Budgets) {
        self.connection = connection
        self.logger = logger
        self.budgets = budgets
    }

    func handle(_ request: DictationAgentManagerRequest, _ call: MethodCall, from client: Client) {
        do throws(Refusal) {
            switch request {
            case .register(let path, let capabilities, let options):
                try register(agent(client, path, capabilities, options))
            case .unregister(let path):
                guard agents.contains(where: { $0.name == call.sender && $0.path == path }) else {
                    throw Refusal(.notRunning, "No agent is registered at \(path).")
                }
                remove { $0.name == call.sender && $0.path == path }
            }
            call.reply(DictationAgentManagerReply.done.body)
        } catch {
            call.fail(DBusError(error))
        }
    }

    private func agent(
        _ client: Client, _ path: ObjectPath, _ capabilities: [BusText], _ options: [BusText: Value]
    ) throws(Refusal) -> RegisteredAgent {
        guard capabilities.contains(AgentCapability.prompt), let name = BusName(client.name.rawValue) else {
            throw Refusal(
                .invalidArguments, "An agent needs the capability '\(AgentCapability.prompt.string)'.")
        }
        let options = OptionReader(options: options)
        lastNumber += 1
        return RegisteredAgent(
            number: lastNumber, client: client, name: name,
            proxy: DictationAgentProxy(connection: connection, destination: name, path: path),
            isFallback: try options.bool(AgentOption.fallback) ?? false,
            isForItself: try options.bool(AgentOption.own) ?? false)
    }

    private func register(_ agent: RegisteredAgent) throws(Refusal) {
        let others = agents.filter { $0.name != agent.name || $0.path != agent.path }
        guard others.count(where: { $0.name == agent.name }) < Self.limit,
            others.count(where: { $0.uid == agent.uid }) < Self.userLimit
        else {
            throw Refusal(
                .limitExceeded,
                "A connection may register \(Self.limit) agents, a user \(Self.userLimit).")
        }
        remove { $0.name == agent.name && $0.path == agent.path }
        agents.append(agent)
        logger.info("an agent registered", metadata: ["client": "\(agent.name)"])
    }

    /// A connection has gone.
    func forget(_ name: BusName) { remove { $0.name == name } }

    /// Passes the questions of these agents to others.
    private func remove(where isRemoved: (RegisteredAgent) -> Bool) {
        for agent in agents where isRemoved(agent) { agent.questions.end() }
        agents.removeAll(where: isRemoved)
    }

    /// Calls Release of every agent.
    func releaseAll() async {
        await withTaskGroup { [logger] group in
            for agent in agents {
                group.addTask { [proxy = agent.proxy] in
                    do {
                        try await proxy.release(timeout: .seconds(1))
                    } catch {
                        logger.debug(
                            "an agent did not answer",
                            metadata: ["client": "\(proxy.destination)", "why": "\(error)"])
                    }
                }
            }
        }
        remove { _ in true }
    }

    /// The agents that can be asked about an application, the latest first.
    func prompters(for identity: Identity, fallback: Bool) -> [AgentPrompter] {
        agents.reversed()
            .filter { $0.uid == identity.uid && $0.isFallback == fallback }
            .filter { !$0.isForItself || $0.client.identity == identity }
            .map { AgentPrompter(agent: $0, agents: self) }
    }

    /// Calls an agent, and waits for the reply until it comes or the task is cancelled.
    ///
    /// The bus keeps a slot for each reply until it comes or the agent's connection ends, and has 128 such slots for all users
    /// together. So the call counts against the user's budget as long as that.
    /// - Parameter body: makes the call.
    func call<Output: Sendable>(
        _ agent: RegisteredAgent,
        _ body: @escaping @Sendable (DictationAgentProxy) async throws -> Output
    ) async throws -> Output {
        guard agents.contains(where: { $0.number == agent.number }) else {
            throw DBusError(.serviceUnknown, "the agent \(agent.name) is no longer registered")
        }
        guard let lease = budgets.lease(.agentCalls, of: .user(agent.uid)) else {
            throw DBusError.limitsExceeded("too many calls to the user's agents are unanswered")
        }
        let result = FirstResult<Output>()
        // Not a child of this task, because the slot is taken until the reply comes.
        Task {
            let reply: Result<Output, any Error>
            do {
                reply = .success(try await body(agent.proxy))
            } catch {
                reply = .failure(error)
            }
            lease.end()
            _ = result.settle(reply)
        }
        return try await withTaskCancellationHandler {
            try await result.value
        } onCancel: {
            _ = result.settle(.failure(CancellationError()))
        }
    }
}
