import DBus
import Desktop
import DictationCore
import DictationInterface
import EventLoop
import Logging

/// The programs that have registered to do something for the service.
actor AgentRegistry {
    private let connection: Connection
    private let loop: EventLoop
    private let logger: Logger
    /// In order of registration.
    private var agents: [Agent] = []

    /// Registrations of one connection.
    private static let limit = 8

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(connection: Connection, loop: EventLoop, logger: Logger) {
        self.connection = connection
        self.loop = loop
        self.logger = logger
    }

    func handle(_ request: DictationAgentManagerRequest, _ call: MethodCall, from client: Client) {
        do throws(Refusal) {
            try perform(request, call, from: client)
            call.reply(DictationAgentManagerReply.done.body)
        } catch {
            call.fail(DBusError(error))
        }
    }

    private func perform(
        _ request: DictationAgentManagerRequest, _ call: MethodCall, from client: Client
    ) throws(Refusal) {
        switch request {
        case .register(let path, let capabilities, let options):
            let options = OptionReader(options: options)
            try register(
                Agent(
                    client: client, name: call.sender, path: path,
                    isFallback: options.bool(AgentOption.fallback) ?? false,
                    isForItself: options.bool(AgentOption.own) ?? false),
                capabilities)
        case .unregister(let path):
            guard let index = agents.firstIndex(where: { $0.name == call.sender && $0.path == path }) else {
                throw Refusal(.notRunning, "No agent is registered at \(path).")
            }
            agents.remove(at: index).questions.end()
        }
    }

    private func register(_ agent: Agent, _ capabilities: [String]) throws(Refusal) {
        guard capabilities.contains(AgentCapability.prompt) else {
            throw Refusal(
                .invalidArguments, "An agent needs a capability that is known: '\(AgentCapability.prompt)'.")
        }
        if let index = agents.firstIndex(where: { $0.name == agent.name && $0.path == agent.path }) {
            agents.remove(at: index).questions.end()
        }
        guard agents.count(where: { $0.name == agent.name }) < Self.limit else {
            throw Refusal(.limitExceeded, "A connection may register \(Self.limit) agents.")
        }
        agents.append(agent)
        logger.info("an agent registered", metadata: ["client": "\(agent.name)"])
    }

    /// A connection is gone.
    func forget(_ name: BusName) {
        agents.removeAll { $0.name == name }
    }

    /// Tells every agent that it is registered no more.
    func releaseAll() async {
        await withTaskGroup { [logger] group in
            for agent in agents {
                let proxy = proxy(of: agent)
                group.addTask {
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
        agents = []
    }

    /// Who can be asked about an application, the latest to register first.
    func prompters(for identity: Identity, fallback: Bool) -> [AgentPrompter] {
        agents.reversed()
            .filter { $0.client.identity.uid == identity.uid && $0.isFallback == fallback }
            .filter { !$0.isForItself || $0.client.identity == identity }
            .map {
                AgentPrompter(proxy: proxy(of: $0), program: $0.client.identity.id, questions: $0.questions)
            }
    }

    private func proxy(of agent: Agent) -> DictationAgentProxy {
        DictationAgentProxy(connection: connection, destination: agent.name, path: agent.path)
    }
}

/// One registration.
private struct Agent {
    let client: Client
    let name: BusName
    let path: ObjectPath
    /// It is asked only when the desktop's own dialog cannot.
    let isFallback: Bool
    /// It is asked only about its own application.
    let isForItself: Bool
    let questions = AgentQuestions()
}
