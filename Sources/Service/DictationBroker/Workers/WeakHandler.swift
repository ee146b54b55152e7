import DBus
import EventLoop

/// Passes the calls of a connection on to an object that has the connection, and is not kept by it.
final class WeakHandler: ObjectHandler {
    @EventLoopActor private weak var handler: (any ObjectHandler & AnyObject)?

    @EventLoopActor
    init(_ handler: any ObjectHandler & AnyObject) { self.handler = handler }

    @EventLoopActor
    func handle(_ call: MethodCall) {
        guard let handler else { return call.fail(.noReply("The connection has ended.")) }
        handler.handle(call)
    }
}
