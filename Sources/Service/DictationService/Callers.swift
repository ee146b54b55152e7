import ClientIdentity
import DBus
import DictationCore
import EventLoop
import Logging

/// The connections that have called, and their identities. A connection's calls wait, in order, until it is identified.
@EventLoopActor
final class Callers {
    /// Called with the caller, or with the reason why the call is refused.
    typealias Handler = @EventLoopActor (Result<Caller, DBusError>) -> Void

    private enum State {
        /// The bus and the kernel are being asked.
        case unknown(Inquiry)
        case known(KnownCaller)
    }

    /// A call that waits until its caller is identified.
    private struct Waiting {
        let call: MethodCall
        let handle: Handler
        /// Its part of the budgets.
        var leases: [UserBudgets.Lease]
    }

    /// A connection that is being identified.
    private final class Inquiry {
        /// The earlier result, if there is one.
        let previous: KnownCaller?
        /// The user whose budgets the waiting calls use.
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
    /// Whether an agent is registered that could identify this user's clients.
    private let canLearn: @EventLoopActor (UInt32) -> Bool
    private let logger: Logger
    private var callers: [BusName: State] = [:]
    /// Whether the last identification failed because this process lacks descriptors or memory.
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
    ///   - mayWait: whether to wait for an agent that is about to register.
    ///   - handle: called when the caller is identified, in the order of these calls; at once if too many wait already.
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

    /// The user is known before the application. From then on the calls use the user's budgets, for all connections
    /// together. Calls that do not fit are refused.
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

    /// No identification is in progress.
    var isIdle: Bool {
        !callers.values.contains { if case .unknown = $0 { true } else { false } }
    }

    /// The last identity of a connection; nil if it was never identified.
    func caller(_ name: BusName) -> Caller? {
        switch callers[name] {
        case .known(let known): known.caller
        case .unknown(let inquiry): inquiry.previous?.caller
        case nil: nil
        }
    }

    /// Returns its identity, and whether it had called.
    func forget(_ name: BusName) -> (hadCalled: Bool, caller: Caller?) {
        let caller = caller(name)
        return (callers.removeValue(forKey: name) != nil, caller)
    }

    /// The known connections of an application.
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
                "a caller disconnected before it was identified",
                metadata: ["client": "\(name)", "why": "\(error)"])
            return nil
        }
    }

    /// A shortage concerns every caller, and is logged once until it is over.
    private func note(_ found: Identification, of name: BusName) {
        let wasShort = isShort
        isShort = found.isShort
        guard let failure = found.failure else { return }
        if !isShort {
            logger.notice(
                "a caller could not be identified", metadata: ["client": "\(name)", "why": "\(failure)"])
        } else if !wasShort {
            logger.error(
                "callers cannot be identified until the shortage is over", metadata: ["why": "\(failure)"])
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
