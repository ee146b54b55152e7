package import DBus
package import DictationCore
import EventLoop

/// What one application and one user may use at the same time, so that what one causes is not paid for by the others. All
/// these limits are in the table of ``Item/limits``, except for sessions (`session-limit`), open questions
/// (`QuestionMachine`) and subscriptions (`DictationMachine`).
///
/// A ``Lease`` counts until it is ended or released, so that every path returns it.
package final class Budgets: Sendable {
    /// Who uses something. It is counted for each of its accounts.
    package struct Payer: Hashable, Sendable {
        fileprivate let connection: BusName?
        fileprivate let application: Application?
        fileprivate let uid: UInt32?

        /// A connection whose application is not known yet. It counts as an application of its own.
        /// - Parameter uid: nil if not even the user is known.
        package static func connection(_ name: BusName, uid: UInt32? = nil) -> Payer {
            Payer(connection: name, application: .unidentified(name), uid: uid)
        }

        /// An identified caller. A program that could not be identified counts as an application of its own.
        package static func caller(_ identity: Identity, _ name: BusName) -> Payer {
            Payer(
                connection: name, application: identity.isKnown ? .known(identity) : .unidentified(name),
                uid: identity.uid)
        }

        /// The service itself, for a user.
        package static func user(_ uid: UInt32) -> Payer {
            Payer(connection: nil, application: nil, uid: uid)
        }
    }

    fileprivate enum Application: Hashable, Sendable {
        case known(Identity)
        case unidentified(BusName)
    }

    fileprivate enum Account: Hashable, Sendable {
        case connection(BusName)
        case application(Application)
        case user(UInt32)
    }

    /// Of a connection, an application, a user and all users; nil if unlimited.
    package struct Limits: Sendable {
        package var connection: Int?
        package var application: Int?
        package var user: Int?
        package var all: Int?
    }

    /// The counted items.
    package enum Item: String, Hashable, Sendable, CaseIterable {
        /// Calls that were not answered yet, except those of the next two.
        case calls = "calls in progress"
        /// Calls of RequestPermission that wait for the user.
        case permissionRequests = "requests for permission in progress"
        /// Calls that stop dictation and were not answered yet.
        case stoppingCalls = "calls to stop in progress"
        /// Calls whose caller is not identified yet, or that wait behind others of their connection.
        case waitingCalls = "calls that wait"
        /// Bytes of waiting calls and of calls in progress.
        case callBytes = "bytes in calls"
        /// Descriptors in calls, until they are closed.
        case descriptors = "descriptors in calls"
        /// Files and pipes that are being read, or whose file system does not answer.
        case inputs = "files and pipes being read"
        /// Recordings that are being written, or whose file system does not answer.
        case recordings = "recordings being written"
        /// Starts that are being prepared, each on its own thread.
        case preparations = "sessions being prepared"
        /// Calls of the service to the user's agents for which the bus waits for a reply.
        case agentCalls = "unanswered calls to agents"
        /// Calls to polkit about the user.
        case systemQuestions = "questions to polkit"
        /// Pings of clients that have not replied: see ``SignalQueue``.
        case pings = "unanswered pings"

        /// What the caller can do about a limit.
        fileprivate var remedy: String {
            switch self {
            case .descriptors, .inputs, .recordings: "stop a session that uses one"
            default: "wait for replies"
            }
        }

        package var limits: Limits {
            switch self {
            case .calls: Limits(application: 128, user: 512)
            // Each is small, and all of an application are one question.
            case .permissionRequests: Limits(application: 128, user: 512)
            // Programs with too many calls must not keep others from stopping.
            case .stoppingCalls: Limits(connection: 128)
            case .waitingCalls: Limits(application: 128, user: 512)
            // An application can make at least one call of any size.
            case .callBytes: Limits(application: 2 << 20, user: 8 << 20, all: 64 << 20)
            // At least those of the inputs and recordings.
            case .descriptors: Limits(application: 24, user: 48, all: 256)
            // Each has a thread.
            case .inputs: Limits(application: 20, user: 32, all: 128)
            // Each has a thread and up to 8 MiB of sound.
            case .recordings: Limits(application: 4, user: 8, all: 32)
            case .preparations: Limits(application: 4, user: 6, all: 32)
            // As many as there may be pending questions, and some that are withdrawn.
            case .agentCalls: Limits(user: QuestionMachine.limit + 4, all: 76)
            // The default system bus keeps 128 unanswered calls of a connection: these two and those to agents are fewer.
            case .systemQuestions: Limits(application: 2, user: 4, all: 20)
            case .pings: Limits(user: 8, all: 24)
            }
        }
    }

    private struct Counts {
        var used: [Account: [Item: Int]] = [:]
        var totals: [Item: Int] = [:]
        /// Of users who were not admitted.
        var strangers: [Item: Int] = [:]
        var admitted: Set<UInt32> = []
    }

    private let counts = Lock(Counts())
    private let limitsStrangers: Bool

    /// - Parameter limitsStrangers: whether users who were not admitted have at most a quarter of what all users have, all of them
    ///   together. One user may be able to become many others.
    package init(limitsStrangers: Bool = false) {
        self.limitsStrangers = limitsStrangers
    }

    /// This user is not one that anybody can become.
    package func admit(_ uid: UInt32) {
        counts.withLock { _ = $0.admitted.insert(uid) }
    }

    /// Counts `amount` of `item` until the lease ends. Returns nil if that exceeds a limit.
    package func lease(_ item: Item, _ amount: Int = 1, of payer: Payer) -> Lease? {
        let limits = item.limits
        let accounts = payer.accounts(within: limits)
        let lease = counts.withLock { counts -> (fits: Bool, isOfStranger: Bool) in
            let isStranger = limitsStrangers && payer.uid.map { !counts.admitted.contains($0) } ?? false
            let refused = (false, isStranger)
            for (account, limit) in accounts where amount > limit - (counts.used[account]?[item] ?? 0) {
                return refused
            }
            if let all = limits.all {
                if isStranger, amount > all / 4 - (counts.strangers[item] ?? 0) { return refused }
                // The last quarter is reserved for users that have used nothing of it.
                let isFirst = accounts.allSatisfy { counts.used[$0.account]?[item] == nil }
                guard amount <= (isFirst ? all : all * 3 / 4) - (counts.totals[item] ?? 0) else {
                    return refused
                }
            }
            for (account, _) in accounts { counts.used[account, default: [:]][item, default: 0] += amount }
            counts.totals[item, default: 0] += amount
            if isStranger { counts.strangers[item, default: 0] += amount }
            return (true, isStranger)
        }
        guard lease.fits else { return nil }
        return Lease { [weak self] in
            self?.giveBack(item, amount, of: accounts.map(\.account), isOfStranger: lease.isOfStranger)
        }
    }

    /// Like ``lease(_:_:of:)``, but throws the error for the caller.
    package func requireLease(_ item: Item, _ amount: Int = 1, of payer: Payer) throws(Refusal) -> Lease {
        if let lease = lease(item, amount, of: payer) { return lease }
        throw Refusal(.limitExceeded, "There are too many \(item.rawValue): \(item.remedy) first.")
    }

    /// What a waiting call uses.
    /// - Parameters:
    ///   - size: bytes of its arguments.
    ///   - descriptors: descriptors in them.
    package func leases(forCallOf size: Int, _ descriptors: Int, by payer: Payer) throws(Refusal) -> [Lease] {
        var leases = [
            try requireLease(.waitingCalls, of: payer),
            try requireLease(.callBytes, size + Self.callBytes, of: payer),
        ]
        if descriptors > 0 { leases.append(try requireLease(.descriptors, descriptors, of: payer)) }
        return leases
    }

    /// Counts a call until it is answered, and its descriptors until they are closed, which may be long after that.
    /// - Parameter item: the kind of call.
    package func count(_ call: MethodCall, as item: Item, of payer: Payer) throws(Refusal) {
        if call.descriptors > 0 {
            call.keepUntilClosed(try requireLease(.descriptors, call.descriptors, of: payer))
        }
        call.keepUntilAnswered(try requireLease(item, of: payer))
        call.keepUntilAnswered(try requireLease(.callBytes, call.bytes + Self.callBytes, of: payer))
    }

    /// Approximate bytes of a call in addition to its arguments.
    private static let callBytes = 1024

    /// What all accounts of this payer have used, the largest.
    package func used(_ item: Item, of payer: Payer) -> Int {
        let accounts = payer.accounts(within: item.limits)
        return counts.withLock { counts in
            accounts.map { counts.used[$0.account]?[item] ?? 0 }.max() ?? 0
        }
    }

    private func giveBack(_ item: Item, _ amount: Int, of accounts: [Account], isOfStranger: Bool) {
        counts.withLock { counts in
            counts.totals[item, default: 0] -= amount
            if isOfStranger { counts.strangers[item, default: 0] -= amount }
            for account in accounts {
                let rest = (counts.used[account]?[item] ?? 0) - amount
                counts.used[account]?[item] = rest == 0 ? nil : rest
                if counts.used[account]?.isEmpty == true { counts.used[account] = nil }
            }
        }
    }

    /// A part of a budget in use. Ends by ``end()``, or when the last reference is released.
    package final class Lease: Sendable {
        private let giveBack: Lock<(@Sendable () -> Void)?>

        fileprivate init(_ giveBack: @escaping @Sendable () -> Void) {
            self.giveBack = Lock(giveBack)
        }

        deinit { end() }

        package func end() {
            giveBack.withLock { $0.take() }?()
        }
    }
}

extension Budgets.Payer {
    fileprivate func accounts(
        within limits: Budgets.Limits
    ) -> [(account: Budgets.Account, limit: Int)] {
        var accounts: [(Budgets.Account, Int)] = []
        if let connection, let limit = limits.connection { accounts.append((.connection(connection), limit)) }
        if let application, let limit = limits.application {
            accounts.append((.application(application), limit))
        }
        if let uid, let limit = limits.user { accounts.append((.user(uid), limit)) }
        return accounts
    }
}
