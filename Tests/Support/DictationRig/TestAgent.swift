public import DBus
public import DictationInterface
import DictationTestKit
import EventLoop

/// A permission agent. The test gives the user's answers.
public final class TestAgent: ObjectHandler {
    public let connection: Connection
    private let questions = Lock<[(cookie: UInt64, call: MethodCall)]>([])
    private let withdrawn = Lock<[UInt64]>([])
    private static let path: ObjectPath = "/test/agent"

    public init(on rig: Rig, options: [BusText: Value] = [:]) async throws {
        connection = try await Connection(to: .custom(rig.bus.address))
        await connection.export(
            Self.path, interfaces: [DictationAgentInterface.description], handler: self)
        try await manager.register(
            path: Self.path, capabilities: [AgentCapability.prompt], options: options)
    }

    public var manager: DictationAgentManagerProxy {
        DictationAgentManagerProxy(connection: connection, destination: DictationInterface.busName)
    }

    public func handle(_ call: MethodCall) {
        switch try? DictationAgentRequest(call) {
        case .requestPermission(let cookie, _, _, _): questions.withLock { $0.append((cookie, call)) }
        case .cancel(let cookie):
            withdrawn.withLock { $0.append(cookie) }
            call.reply()
            for question in questions.withLock({ $0 }) where question.cookie == cookie {
                question.call.reply(DictationAgentReply.requestPermission(decision: "").body)
            }
        case .release, nil: call.reply()
        }
    }

    /// Questions so far, answered or not.
    public var asked: Int { questions.withLock { $0.count } }
    public var withdrawals: Int { withdrawn.withLock { $0.count } }

    /// The question with this number, when it comes.
    public func question(_ index: Int = 0) async throws -> DictationAgentRequest {
        try await eventually("question \(index)") { asked > index }
        let call = questions.withLock { $0[index].call }
        return try DictationAgentRequest(call)
    }

    /// Waits for a question and answers it.
    public func answer(_ word: String, _ index: Int = 0) async throws {
        _ = try await question(index)
        questions.withLock { $0[index].call }
            .reply(DictationAgentReply.requestPermission(decision: word).body)
    }

    /// Disconnects with pending questions.
    public func vanish() async {
        await connection.close()
    }
}
