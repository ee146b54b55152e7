import EventLoop
import Typing
import TypingRoutes

/// A route whose behaviour the test sets.
@EventLoopActor
final class ScriptedRoute: TypingRoute {
    nonisolated let name: String
    nonisolated let reportsEveryField: Bool
    /// The field that it reports when it is opened.
    var field: TextField?
    /// The error when it is opened; nil opens it.
    var failure: RouteError?
    /// The error with which it fails right after it was opened; nil for none.
    var loss: RouteError?
    private(set) var opens = 0
    private(set) var isOpen = false
    private(set) var actions: [TypingAction] = []
    private var handler: (@EventLoopActor (RouteEvent) -> Void)?

    init(
        _ name: String, field: TextField? = nil, failure: String? = nil, loss: String? = nil,
        reportsEveryField: Bool = false
    ) {
        self.name = name
        self.reportsEveryField = reportsEveryField
        self.field = field
        self.failure = failure.map { RouteError($0) }
        self.loss = loss.map { RouteError($0) }
    }

    func open(_ handler: @escaping @EventLoopActor (RouteEvent) -> Void) async throws(RouteError) {
        opens += 1
        handler(.field(field))
        if let failure { throw failure }
        isOpen = true
        self.handler = handler
        if let loss { handler(.lost(loss)) }
    }

    func perform(_ actions: [TypingAction]) { self.actions += actions }

    func lastingName(of field: TextField) -> String? { "\(name) \(field.id) \(field.visit)" }

    func send(_ event: RouteEvent) { handler?(event) }

    func close() async {
        isOpen = false
        handler = nil
    }

    var texts: [String] {
        actions.compactMap { if case .commit(let text, _) = $0 { text } else { nil } }
    }
}

extension TextField {
    static func entry(_ id: String) -> TextField { TextField(id: id, visit: 1, abilities: .commitReports) }
}
