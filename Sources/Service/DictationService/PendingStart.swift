import DBus
import DictationCore
import EventLoop

/// A call of Start that is being prepared, or whose `input` is being examined.
struct PendingStart {
    /// A file or pipe that is being examined for a session.
    struct Input {
        let session: SessionID
        let world: UserWorld
        let deadline: EventLoop.Timer
    }

    let call: MethodCall
    /// Nil while the ``StartPreparation`` runs.
    var input: Input?
    /// What the connection called since. It waits, so that a connection's calls take effect in their order.
    var laterCalls: [@EventLoopActor () -> Void] = []

    /// How long a file system may take. Bus libraries wait 25 s for the reply.
    static let timeout = Duration.seconds(10)
}
