public import EventLoop
public import Typing

/// A way to type text into the field with the focus: an input method, a virtual keyboard, the clipboard.
@EventLoopActor
public protocol TypingRoute: AnyObject, Sendable {
    /// Its name for people, as in "by IBus".
    var name: String { get }

    /// Whether it reports every field of the desktop: while it reports none, no other route has one.
    nonisolated var reportsEveryField: Bool { get }

    /// Starts reporting the focus and accepting edits.
    /// - Parameter handler: called on the loop. First with ``RouteEvent/field(_:)``, at once or when the route knows.
    /// - Throws: the reason why the route does not work here. It is closed then.
    func open(_ handler: @escaping @EventLoopActor (RouteEvent) -> Void) async throws(RouteError)

    /// Carries out these edits in one turn of the loop, in this order. Skips those whose field is gone.
    func perform(_ actions: [TypingAction])

    /// Names a field for as long as the desktop runs, so that after a failure of this process it is known whether it still has
    /// the focus. No other field gets the name, nor the same one after it has lost the focus. Nil if the route cannot know.
    func lastingName(of field: TextField) -> String?

    /// Removes live text and restores the user's input method. Returns when that is done, within a second or two. The handler
    /// is not called afterwards.
    func close() async
}

extension TypingRoute {
    public nonisolated var reportsEveryField: Bool { false }

    public func lastingName(of field: TextField) -> String? { nil }
}

/// An event of a route.
public enum RouteEvent: Hashable, Sendable {
    /// The field with the focus, after every change of it; nil if there is none.
    case field(TextField?)
    /// The result of a commit, from routes whose fields have ``TextField/Abilities/commitReports``.
    case committed(token: UInt64, Arrival)
    /// The route has failed. The last event.
    case lost(RouteError)
}

/// Why a route does not work.
public struct RouteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence.
    public var problem: String
    /// What to install or to do, as a sentence; nil if nothing is known to help.
    public var remedy: String?

    public init(_ problem: String, remedy: String? = nil) {
        self.problem = problem
        self.remedy = remedy
    }

    public var description: String { remedy.map { "\(problem) \($0)" } ?? problem }
}
