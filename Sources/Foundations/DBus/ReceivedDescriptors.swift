import EventLoop

/// Counts the descriptors that each sender's messages have brought, until they are closed. Closing can take as long as their sender
/// wants, also for calls that were refused.
final class ReceivedDescriptors: Sendable {
    private struct Counts {
        var senders: [BusName: Int] = [:]
        /// All whose user is not known count as one.
        var users: [UInt32?: Int] = [:]
        var all = 0
        /// The users of senders.
        var owners: [BusName: UInt32] = [:]

        mutating func add(_ count: Int, of sender: BusName) -> UInt32? {
            let uid = owners[sender]
            senders[sender, default: 0] += count
            users[uid, default: 0] += count
            all += count
            return uid
        }
    }

    private let counts = Lock(Counts())

    /// Maximum number of one sender's descriptors. Further calls with descriptors are refused.
    static let limit = 64
    /// Maximum number of one user's descriptors, and of all users': a ``DescriptorGate`` passes no more on.
    static let userLimit = 256
    static let limitOfAll = 1024
    /// Senders whose user is known.
    private static let mostOwners = 4096

    /// Open descriptors of one message. Ends when it is released.
    final class Share: Sendable {
        let sender: BusName
        let uid: UInt32?
        private let count: Int
        private let counts: ReceivedDescriptors

        fileprivate init(_ count: Int, of sender: BusName, _ uid: UInt32?, in counts: ReceivedDescriptors) {
            self.sender = sender
            self.uid = uid
            self.count = count
            self.counts = counts
        }

        deinit { counts.remove(count, of: self) }
    }

    /// The user of a sender is known.
    func setUser(_ uid: UInt32, of sender: BusName) {
        counts.withLock { counts in
            if counts.owners.count >= Self.mostOwners { counts.owners = [:] }
            counts.owners[sender] = uid
        }
    }

    func add(_ count: Int, of sender: BusName) -> Share {
        let uid = counts.withLock { $0.add(count, of: sender) }
        return Share(count, of: sender, uid, in: self)
    }

    /// Nil if that is too many.
    func addWithinLimits(_ count: Int, of sender: BusName) -> Share? {
        let added = counts.withLock { counts -> (uid: UInt32?, isAdded: Bool) in
            let uid = counts.owners[sender]
            // The last quarter is for users that have none.
            let most = counts.users[uid] == nil ? Self.limitOfAll : Self.limitOfAll * 3 / 4
            guard counts.senders[sender, default: 0] + count <= Self.limit,
                counts.users[uid, default: 0] + count <= Self.userLimit, counts.all + count <= most
            else { return (uid, false) }
            return (counts.add(count, of: sender), true)
        }
        return added.isAdded ? Share(count, of: sender, added.uid, in: self) : nil
    }

    func isWithinLimit(_ sender: BusName) -> Bool {
        counts.withLock { $0.senders[sender, default: 0] <= Self.limit }
    }

    private func remove(_ count: Int, of share: Share) {
        counts.withLock { counts in
            counts.all -= count
            let rest = counts.senders[share.sender, default: 0] - count
            counts.senders[share.sender] = rest > 0 ? rest : nil
            let restOfUser = counts.users[share.uid, default: 0] - count
            counts.users[share.uid] = restOfUser > 0 ? restOfUser : nil
        }
    }
}
