public import EventLoop
public import Typing

/// A way for text into the field with the focus: an input method, a virtual keyboard, the clipboard.
@EventLoopActor
public protocol TypingRoute: AnyObject, Sendable {
    /// What people call it, as in "by IBus".
    var name: String { get }

    /// Begins to tell what has the focus, and to be able to type.
    /// - Parameter handler: called on the loop. First with ``RouteEvent/field(_:)``, at once or when the route knows.
    /// - Throws: why the route does not work here. The route is closed then.
    func open(_ handler: @escaping @EventLoopActor (RouteEvent) -> Void) async throws(RouteError)

    /// Does all this in one turn of the loop, in this order. What cannot be done any more, because the field has gone, is
    /// left out.
    func perform(_ actions: [TypingAction])

    /// Removes live text and gives everything back. Returns when that is done, within a second or two. The handler is not
    /// called any more.
    func close() async
}

/// What a route tells.
public enum RouteEvent: Hashable, Sendable {
    /// The field that has the focus, whole, whenever anything of it changes; nil where there is none.
    case field(TextField?)
    /// What became of a commit, from routes whose fields have ``TextField/Abilities/commitReports``.
    case committed(token: UInt64, Arrival)
    /// The route works no longer. Nothing follows.
    case lost(RouteError)
}

/// Why a route does not work.
public struct RouteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence.
    public var problem: String
    /// What to install or to do, as a sentence; nil where nothing is known to help.
    public var remedy: String?

    public init(_ problem: String, remedy: String? = nil) {
        self.problem = problem
        self.remedy = remedy
    }

    public var description: String { remedy.map { "\(problem) \($0)" } ?? problem }
}
