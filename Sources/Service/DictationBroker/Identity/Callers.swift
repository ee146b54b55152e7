import ClientIdentity
import DBus
import DictationBus
import DictationCore
import EventLoop
import Logging

/// The connections that have called, and their identities.
@EventLoopActor
final class Callers {
    private enum State {
        /// The bus and the kernel are being asked.
        case unknown(Inquiry)
        case known(KnownCaller)
    }

    /// A connection that is being identified.
    private struct Inquiry {
        /// The earlier result, if there is one.
        var previous: KnownCaller?
        /// The user is known before the application.
        var uid: UInt32?
    }

    /// What the service does with the results.
    struct Handlers {
        /// The user of a connection is known.
        let userKnown: @EventLoopActor (BusName) -> Void
        /// Identification has ended: ``Callers/identifiedCaller(_:)`` returns the result, unless there is an error.
        let identified: @EventLoopActor (BusName, DBusError?) -> Void
    }

    private let connection: Connection
    private let identifier: any Identifier
    private let logger: Logger
    private var handlers: Handlers?
    private var callers: [BusName: State] = [:]
    /// Whether the last identification failed because this process lacks descriptors, memory or threads.
    private var isShort = false

    init(connection: Connection, identifier: any Identifier, logger: Logger) {
        self.connection = connection
        self.identifier = identifier
        self.logger = logger
    }

    func begin(_ handlers: Handlers) { self.handlers = handlers }

    /// The caller; nil while it is being identified.
    func identifiedCaller(_ name: BusName) -> Caller? {
        switch callers[name] {
        case .known(let known):
            guard known.mayBeAskedAbout(at: .now) else { return known.caller }
            find(name, Inquiry(previous: known, uid: known.caller.client.identity.uid))
        case .unknown: break
        case nil: find(name, Inquiry())
        }
        return nil
    }

    /// The callers that could not be identified without their user's worker are asked about with their next calls.
    func workerStarted(of uid: UInt32) {
        for case (let name, .known(var known)) in callers where known.caller.client.identity.uid == uid {
            known.workerStarted(at: .now)
            callers[name] = .known(known)
        }
    }

    private func find(_ name: BusName, _ inquiry: Inquiry) {
        callers[name] = .unknown(inquiry)
        Task { admit(name, as: await identification(of: name)) }
    }

    /// Whose budget the calls of a connection use that wait.
    func payer(_ name: BusName) -> Budgets.Payer {
        switch callers[name] {
        case .known(let known): .caller(known.caller.client.identity, name)
        case .unknown(let inquiry):
            inquiry.previous.map { .caller($0.caller.client.identity, name) }
                ?? .connection(name, uid: inquiry.uid)
        case nil: .connection(name)
        }
    }

    /// The identified connections.
    var known: [Caller] { callers.keys.compactMap { caller($0) } }

    /// The identities of the connections that have called.
    var identities: Set<Identity> { Set(callers.keys.compactMap { caller($0)?.client.identity }) }

    private func userKnown(_ uid: UInt32, of name: BusName) {
        guard case .unknown(var inquiry) = callers[name], inquiry.uid != uid else { return }
        inquiry.uid = uid
        callers[name] = .unknown(inquiry)
        handlers?.userKnown(name)
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

    private func identification(of name: BusName) async -> Identification? {
        do {
            let credentials = try await connection.credentials(of: name)
            userKnown(credentials.uid, of: name)
            guard let pid = credentials.pid else {
                return .unidentifiable(
                    .init(uid: credentials.uid, reason: "the bus does not know its process", isConfined: true)
                )
            }
            let found = await identifier.identify(
                BusCredentials(uid: credentials.uid, pid: pid, process: credentials.process)
            ) { [connection] in
                let again = try await connection.credentials(of: name)
                return (again.uid, again.pid ?? 0)
            }
            logFailure(found, of: name)
            return found
        } catch {
            logger.debug(
                "a caller disconnected before it was identified",
                metadata: ["client": "\(name)", "why": "\(error)"])
            return nil
        }
    }

    /// A shortage concerns every caller, and is logged once until it is over.
    private func logFailure(_ found: Identification, of name: BusName) {
        let wasShort = isShort
        isShort = found.failure == .shortage
        guard let reason = found.unidentified?.reason else { return }
        if !isShort {
            logger.notice(
                "a caller could not be identified", metadata: ["client": "\(name)", "why": "\(reason)"])
        } else if !wasShort {
            logger.error(
                "callers cannot be identified until the shortage is over", metadata: ["why": "\(reason)"])
        }
    }

    private func admit(_ name: BusName, as found: Identification?) {
        guard case .unknown(let inquiry) = callers[name] else { return }
        guard let found else {
            // A connection that was known may have a session, which ends with it.
            callers[name] = inquiry.previous.map { .known($0) }
            handlers?.identified(name, .accessDenied("The bus does not say who is calling."))
            return
        }
        callers[name] = .known(
            KnownCaller(ClientName(name.rawValue), found, after: inquiry.previous, at: .now))
        handlers?.identified(name, nil)
    }
}
