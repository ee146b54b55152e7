import DBus
import DictationCore
import EventLoop

/// A Start that is being prepared, or whose `input` is being checked.
struct PendingStart {
    /// A file or pipe that is being checked for a session.
    struct Input {
        let session: SessionID
        let world: UserWorld
        let deadline: EventLoop.Timer
    }

    let call: MethodCall
    /// Nil while the ``StartPreparation`` runs.
    var input: Input?
    /// Later calls of the connection, queued to keep the order.
    var laterCalls: [@EventLoopActor () -> Void] = []

    /// Timeout of a file system. Bus libraries wait 25 s for the reply.
    static let timeout = Duration.seconds(10)
}
