import DBus
import DictationCore
import EventLoop

/// The limits of what one user may use at the same time. All limits for each user are here, except the number of
/// sessions, which is configured (`session-limit`).
///
/// A ``Lease`` counts until it is ended or released, so that every path returns it.
final class UserBudgets: Sendable {
    /// Whose use is counted.
    enum Account: Hashable, Sendable {
        case user(UInt32)
        /// A connection whose user is not known yet, or whose calls must not depend on those of others.
        case connection(BusName)
    }

    /// The counted items.
    enum Item: String, Hashable, Sendable, CaseIterable {
        /// Calls that were not answered yet, except those that stop dictation.
        case calls = "calls in progress"
        /// Calls of one connection that stop dictation and were not answered yet.
        case stoppingCalls = "calls to stop in progress"
        /// Calls whose caller is not identified yet.
        case waitingCalls = "calls that wait for identification"
        /// Their size.
        case waitingBytes = "bytes of calls that wait for identification"
        /// Descriptors in calls that are waiting or in progress.
        case descriptors = "descriptors in calls"
        /// Files and pipes that are being read, or whose file system does not answer.
        case inputs = "files and pipes being read"
        /// Recordings that are being written, or whose file system does not answer.
        case recordings = "recordings being written"
        /// Starts that are being prepared, each on its own thread.
        case preparations = "sessions being prepared"
        /// Calls of the service to the user's agents for which the bus waits for a reply.
        case agentCalls = "unanswered calls to agents"
        /// Requests to an agent for connections to the user's engines; each counts as one of ``agentCalls`` too.
        case engineConnections = "connections to engines being opened"
        /// Calls to polkit and logind about the user.
        case systemQuestions = "questions to polkit and logind"
        /// Pings of clients that have not replied: see ``SignalQueue``.
        case pings = "unanswered pings"

        /// Of one account.
        var limit: Int {
            switch self {
            case .calls: 256
            case .stoppingCalls: 16
            case .waitingCalls: 256
            case .waitingBytes: 4 << 20
            case .descriptors: 32
            // Each has a thread.
            case .inputs: 32
            // Each has a thread and up to 8 MiB of sound.
            case .recordings: 8
            case .preparations: 4
            // As many as there may be pending questions, plus calls that do not wait for the user.
            case .agentCalls: QuestionMachine.limit + 4
            case .engineConnections: 4
            case .systemQuestions: 4
            case .pings: 8
            }
        }

        /// Of all accounts together; nil if unlimited.
        var totalLimit: Int? {
            switch self {
            case .calls, .stoppingCalls, .waitingCalls, .engineConnections: nil
            case .waitingBytes: 64 << 20
            case .descriptors: 256
            case .inputs: 128
            case .recordings: 32
            case .preparations: 32
            // The default system bus keeps 128 unanswered calls of a connection: these three together are fewer.
            case .agentCalls: 76
            case .systemQuestions: 20
            case .pings: 24
            }
        }
    }

    private struct Counts {
        var used: [Account: [Item: Int]] = [:]
        var totals: [Item: Int] = [:]
    }

    private let counts = Lock(Counts())

    /// Counts `amount` of `item` until the lease ends. Returns nil if that exceeds a limit.
    func lease(_ item: Item, _ amount: Int = 1, of account: Account) -> Lease? {
        let fits = counts.withLock { counts in
            let used = counts.used[account]?[item] ?? 0
            let total = counts.totals[item] ?? 0
            guard amount <= item.limit - used else { return false }
            // The last quarter of a shared limit is reserved for accounts that have used nothing of it.
            if let limit = item.totalLimit {
                guard amount <= (used == 0 ? limit : limit * 3 / 4) - total else { return false }
            }
            counts.used[account, default: [:]][item] = used + amount
            counts.totals[item] = total + amount
            return true
        }
        guard fits else { return nil }
        return Lease { [weak self] in self?.giveBack(item, amount, of: account) }
    }

    /// Like ``lease(_:_:of:)``, but throws the error for the caller.
    func requireLease(_ item: Item, _ amount: Int = 1, of account: Account) throws(Refusal) -> Lease {
        if let lease = lease(item, amount, of: account) { return lease }
        throw Refusal(.limitExceeded, "There are too many \(item.rawValue): wait for replies first.")
    }

    /// The budget that a waiting call uses.
    /// - Parameters:
    ///   - size: bytes of its arguments.
    ///   - descriptors: descriptors in them.
    func leases(
        forCallOf size: Int, _ descriptors: Int, by account: Account
    ) throws(Refusal) -> [Lease] {
        var leases = [
            try requireLease(.waitingCalls, of: account),
            try requireLease(.waitingBytes, size + Self.callBytes, of: account),
        ]
        if descriptors > 0 { leases.append(try requireLease(.descriptors, descriptors, of: account)) }
        return leases
    }

    /// Approximate bytes of a waiting call in addition to its arguments.
    private static let callBytes = 1024

    func used(_ item: Item, of account: Account) -> Int {
        counts.withLock { $0.used[account]?[item] ?? 0 }
    }

    private func giveBack(_ item: Item, _ amount: Int, of account: Account) {
        counts.withLock { counts in
            counts.totals[item, default: 0] -= amount
            let rest = (counts.used[account]?[item] ?? 0) - amount
            counts.used[account]?[item] = rest == 0 ? nil : rest
            if counts.used[account]?.isEmpty == true { counts.used[account] = nil }
        }
    }

    /// A part of a budget in use. Ends by ``end()``, or when the last reference is released.
    final class Lease: Sendable {
        private let giveBack: Lock<(@Sendable () -> Void)?>

        fileprivate init(_ giveBack: @escaping @Sendable () -> Void) {
            self.giveBack = Lock(giveBack)
        }

        deinit { end() }

        func end() {
            giveBack.withLock { $0.take() }?()
        }
    }
}
