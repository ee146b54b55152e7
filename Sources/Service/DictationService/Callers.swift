import ClientIdentity
import DBus
import DictationCore
import EventLoop
import Logging

/// The connections that have called, and who is behind each. What a connection sends waits, in order, until that is
/// known.
@EventLoopActor
final class Callers {
    /// Called with the caller; or with why the call is not taken.
    typealias Handler = @EventLoopActor (Result<Caller, DBusError>) -> Void

    private enum State {
        /// The bus and the kernel are being asked.
        case unknown(Inquiry)
        case known(KnownCaller)
    }

    /// A call that waits until it is known who makes it.
    private struct Waiting {
        let call: MethodCall
        let handle: Handler
        /// Its part of the budgets.
        var leases: [UserBudgets.Lease]
    }

    /// A connection of which somebody is asked who it is.
    private final class Inquiry {
        /// What was known before, if anything was.
        let previous: KnownCaller?
        /// Whose budgets the calls that wait use up.
        var account: UserBudgets.Account
        var waiting: [Waiting] = []

        init(_ previous: KnownCaller?, account: UserBudgets.Account) {
            self.previous = previous
            self.account = account
        }
    }

    private let connection: Connection
    private let identifier: any Identifier
    private let budgets: UserBudgets
    /// Whether somebody is there now who could tell more of this user's clients.
    private let canLearn: @EventLoopActor (UInt32) -> Bool
    private let logger: Logger
    private var callers: [BusName: State] = [:]
    /// The last caller was not known because this process lacks descriptors or memory.
    private var isShort = false

    init(
        connection: Connection, identifier: any Identifier, budgets: UserBudgets,
        logger: Logger, canLearn: @escaping @EventLoopActor (UInt32) -> Bool
    ) {
        self.connection = connection
        self.identifier = identifier
        self.budgets = budgets
        self.logger = logger
        self.canLearn = canLearn
    }

    /// - Parameters:
    ///   - mayWait: for somebody who can tell who it is and is about to come.
    ///   - handle: is called when it is known who makes the call, in the order of these calls; at once where too many
    ///     wait already.
    func receive(_ call: MethodCall, mayWait: Bool = true, _ handle: @escaping Handler) {
        switch callers[call.sender] {
        case .known(let known):
            let uid = known.caller.client.identity.uid
            guard known.mayBeAskedAbout(at: .now), canLearn(uid) else {
                return handle(.success(known.caller))
            }
            let account = UserBudgets.Account.user(uid)
            find(Inquiry(known, account: account), call, mayWait: mayWait, handle)
        case .unknown(let inquiry):
            enqueue(call, handle, in: inquiry)
        case nil:
            find(Inquiry(nil, account: .connection(call.sender)), call, mayWait: mayWait, handle)
        }
    }

    private func find(_ inquiry: Inquiry, _ call: MethodCall, mayWait: Bool, _ handle: @escaping Handler) {
        let name = call.sender
        callers[name] = .unknown(inquiry)
        enqueue(call, handle, in: inquiry)
        Task { admit(name, as: await identification(of: name, mayWait: mayWait)) }
    }

    private func enqueue(_ call: MethodCall, _ handle: @escaping Handler, in inquiry: Inquiry) {
        do throws(Refusal) {
            let leases = try budgets.leases(
                forCallOf: call.bytes, call.descriptors, by: inquiry.account)
            inquiry.waiting.append(Waiting(call: call, handle: handle, leases: leases))
        } catch {
            handle(.failure(DBusError(error)))
        }
    }

    /// The user is known before the application is: from here on the calls use up the user's budgets, however many
    /// connections there are. Those that do not fit are refused.
    private func charge(_ name: BusName, to uid: UInt32) {
        guard case .unknown(let inquiry) = callers[name], inquiry.account != .user(uid) else { return }
        inquiry.account = .user(uid)
        let waiting = inquiry.waiting
        inquiry.waiting = []
        for call in waiting {
            for lease in call.leases { lease.end() }
            enqueue(call.call, call.handle, in: inquiry)
        }
    }

    /// Nobody is being identified.
    var isIdle: Bool {
        !callers.values.contains { if case .unknown = $0 { true } else { false } }
    }

    /// Who a connection was found to be last; nil where it was never found.
    func caller(_ name: BusName) -> Caller? {
        switch callers[name] {
        case .known(let known): known.caller
        case .unknown(let inquiry): inquiry.previous?.caller
        case nil: nil
        }
    }

    /// Returns who it was found to be, and whether it had called.
    func forget(_ name: BusName) -> (hadCalled: Bool, caller: Caller?) {
        let caller = caller(name)
        return (callers.removeValue(forKey: name) != nil, caller)
    }

    /// The connections of an application that are known.
    func names(of identity: Identity) -> [BusName] {
        callers.keys.filter { caller($0)?.client.identity == identity }
    }

    private func identification(of name: BusName, mayWait: Bool) async -> Identification? {
        do {
            let credentials = try await connection.credentials(of: name)
            charge(name, to: credentials.uid)
            guard let pid = credentials.pid else {
                return Identification(
                    identity: Identity(uid: credentials.uid, kind: .unknown, id: ""), isConfined: true)
            }
            let found = await identifier.identify(
                BusCredentials(uid: credentials.uid, pid: pid, process: credentials.process),
                mayWait: mayWait
            ) { [connection] in
                let again = try await connection.credentials(of: name)
                return (again.uid, again.pid ?? 0)
            }
            note(found, of: name)
            return found
        } catch {
            logger.debug(
                "a caller went before it was known", metadata: ["client": "\(name)", "why": "\(error)"])
            return nil
        }
    }

    /// A shortage concerns every caller, and is told once until it is over.
    private func note(_ found: Identification, of name: BusName) {
        let wasShort = isShort
        isShort = found.isShort
        guard let doubt = found.doubt else { return }
        if !isShort {
            logger.notice("a caller is not known", metadata: ["client": "\(name)", "why": "\(doubt)"])
        } else if !wasShort {
            logger.error("callers are not known until the shortage is over", metadata: ["why": "\(doubt)"])
        }
    }

    private func admit(_ name: BusName, as found: Identification?) {
        guard case .unknown(let inquiry) = callers[name] else { return }
        let waiting = inquiry.waiting
        inquiry.waiting = []
        guard let found else {
            callers[name] = nil
            for call in waiting {
                call.handle(.failure(.accessDenied("The bus does not say who is calling.")))
            }
            return
        }
        let caller = Caller(
            client: Client(name: ClientName(name.rawValue), identity: found.identity),
            isConfined: found.isConfined)
        callers[name] = .known(KnownCaller(caller, found, after: inquiry.previous, at: .now))
        for call in waiting {
            for lease in call.leases { lease.end() }
            call.handle(.success(caller))
        }
    }
}
