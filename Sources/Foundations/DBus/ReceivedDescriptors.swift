import EventLoop

/// Counts the descriptors that each sender's calls have brought, until they are closed. Closing can take as long as their sender
/// wants, also for calls that were refused.
final class ReceivedDescriptors: Sendable {
    private let counts = Lock<[BusName: Int]>([:])

    /// Maximum number of one sender's descriptors. Further calls with descriptors are refused.
    static let limit = 64

    /// Open descriptors of one message. Ends when it is released.
    final class Share: Sendable {
        let sender: BusName
        private let count: Int
        private let counts: ReceivedDescriptors

        fileprivate init(_ count: Int, of sender: BusName, in counts: ReceivedDescriptors) {
            self.sender = sender
            self.count = count
            self.counts = counts
        }

        deinit { counts.remove(count, of: sender) }
    }

    func add(_ count: Int, of sender: BusName) -> Share {
        counts.withLock { $0[sender, default: 0] += count }
        return Share(count, of: sender, in: self)
    }

    func isWithinLimit(_ sender: BusName) -> Bool {
        counts.withLock { $0[sender, default: 0] <= Self.limit }
    }

    private func remove(_ count: Int, of sender: BusName) {
        counts.withLock { counts in
            let rest = counts[sender, default: 0] - count
            counts[sender] = rest > 0 ? rest : nil
        }
    }
}
