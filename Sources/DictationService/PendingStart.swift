import DBus
import DictationCore
import EventLoop

/// A call of Start whose `input` is being examined.
struct PendingStart {
    let session: SessionID
    let world: UserWorld
    let call: MethodCall
    let deadline: EventLoop.Timer
    /// What the connection called since. It waits, so that a connection's calls take effect in their order.
    var laterCalls: [@Sendable () -> Void] = []

    /// How long a file system may take. Bus libraries wait 25 s for the reply.
    static let timeout = Duration.seconds(10)
}
