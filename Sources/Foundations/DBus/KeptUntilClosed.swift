import EventLoop

/// What is kept until every descriptor of a received message is closed, with all duplicates of it that this process has made.
///
/// The message and the decoded descriptors share it, so it is released after the last of them.
final class KeptUntilClosed: Sendable {
    private let kept = Lock<(any Sendable)?>(nil)
    private let share = Lock<ReceivedDescriptors.Share?>(nil)

    private let replaced = Lock(false)

    /// Whether a ``DescriptorGate`` has replaced the descriptors, because their sender has too many.
    var isReplaced: Bool {
        get { replaced.withLock { $0 } }
        set { replaced.withLock { $0 = newValue } }
    }

    /// Who has sent the descriptors, once they are counted.
    var sender: BusName? { share.withLock { $0?.sender } }

    /// Keeps the count of its descriptors.
    func count(_ new: ReceivedDescriptors.Share) { share.withLock { $0 = new } }

    /// Replaces what was kept before.
    func keep(_ object: any Sendable) {
        // Released after the lock.
        _ = kept.withLock { kept in
            defer { kept = object }
            return kept
        }
    }
}
