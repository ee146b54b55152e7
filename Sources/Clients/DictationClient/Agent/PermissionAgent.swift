import DBus
import DictationInterface
import EventLoop

/// Answers the service's questions by calling `ask`. Refuses other callers.
@EventLoopActor
final class PermissionAgent: ObjectHandler {
    typealias Ask = @Sendable (PermissionQuestion) async throws -> PermissionAnswer?

    private let service: DictationProxy
    private let connection: Connection
    private let ask: Ask
    /// By cookie.
    private var open: [UInt64: Task<Void, Never>] = [:]

    nonisolated static let path: ObjectPath = "/org/example/Dictation/Agent"

    nonisolated init(of service: DictationProxy, on connection: Connection, _ ask: @escaping Ask) {
        self.service = service
        self.connection = connection
        self.ask = ask
    }

    func handle(_ call: MethodCall) {
        _ = Task.immediate { await answer(call) }
    }

    private func answer(_ call: MethodCall) async {
        do {
            let owner = try await connection.owner(of: service.destination)
            guard call.sender == owner else {
                throw DBusError.accessDenied("Only the dictation service may ask.")
            }
            switch try DictationAgentRequest(call) {
            case .requestPermission(let cookie, let client, let resources, let details):
                guard let application = Application(client) else {
                    throw DBusError.invalidArgs("The client is not named.")
                }
                begin(PermissionQuestion(application, resources, details), cookie, call)
                return
            case .cancel(let cookie): open.removeValue(forKey: cookie)?.cancel()
            case .release: abandon()
            }
            call.reply(DictationAgentReply.done.body)
        } catch let error as DBusError {
            call.fail(error)
        } catch {
            call.fail(.failed("\(error)"))
        }
    }

    private func begin(_ question: PermissionQuestion, _ cookie: UInt64, _ call: MethodCall) {
        open[cookie] = Task {
            defer { open[cookie] = nil }
            do {
                let answer = try await ask(question)
                call.reply(DictationAgentReply.requestPermission(decision: answer?.rawValue ?? "").body)
            } catch {
                call.fail(.failed("\(error)"))
            }
        }
    }

    /// Cancels the pending questions.
    func abandon() {
        for task in open.values { task.cancel() }
        open = [:]
    }
}
