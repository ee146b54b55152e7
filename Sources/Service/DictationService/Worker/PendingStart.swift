import DBus
import DictationCore
import EventLoop

/// A Start that is being prepared, or whose `input` or `record` is being checked. The later calls of its connection wait in the
/// ``Mailboxes``.
struct PendingStart {
    /// A descriptor that is being checked for a session.
    struct Check {
        let session: SessionID
        let deadline: EventLoop.Timer
    }

    let call: MethodCall
    /// Nil while the ``StartPreparation`` runs.
    var check: Check?

    /// Timeout of a file system. Bus libraries wait 25 s for the reply.
    static let timeout = Duration.seconds(10)
}
