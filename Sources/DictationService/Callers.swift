import ClientIdentity
import DBus
import DictationCore
import EventLoop
import Logging

/// A connection that has called, and what is known of who is behind it.
struct Caller: Hashable, Sendable {
    let client: Client
    /// See ``Identification/isConfined``.
    var isConfined = false
}

/// The connections that have called, and who is behind each. What a connection sends waits, in order, until that is
/// known.
actor Callers {
    /// Called on the loop with the caller; or with why it remains unknown.
    typealias Handler = @Sendable (Result<Caller, DBusError>) -> Void

    private enum State {
        /// The bus and the kernel are being asked. What was known before, if anything was.
        case unknown([Handler], Caller?)
        case known(Caller, isProvisional: Bool)
    }

    private let loop: EventLoop
    private let connection: Connection
    private let identifier: any Identifier
    /// Whether somebody is there now who could tell more of this user's clients.
    private let canLearn: @Sendable (UInt32) -> Bool
    private let logger: Logger
    private var callers: [BusName: State] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        connection: Connection, identifier: any Identifier, loop: EventLoop, logger: Logger,
        canLearn: @escaping @Sendable (UInt32) -> Bool
    ) {
        self.connection = connection
        self.identifier = identifier
        self.loop = loop
        self.logger = logger
        self.canLearn = canLearn
    }

    /// - Parameters:
    ///   - mayWait: for somebody who can tell who it is and is about to come.
    ///   - handle: is called when it is known whose `name` is, in the order of these calls.
    func receive(from name: BusName, mayWait: Bool = true, _ handle: @escaping Handler) {
        switch callers[name] {
        case .known(let caller, let isProvisional):
            guard isProvisional, canLearn(caller.client.identity.uid) else { return handle(.success(caller)) }
            find(name, mayWait: mayWait, handle, caller)
        case .unknown(let waiting, let caller):
            callers[name] = .unknown(waiting + [handle], caller)
        case nil:
            find(name, mayWait: mayWait, handle, nil)
        }
    }

    private func find(_ name: BusName, mayWait: Bool, _ handle: @escaping Handler, _ caller: Caller?) {
        callers[name] = .unknown([handle], caller)
        Task { admit(name, as: await identification(of: name, mayWait: mayWait)) }
    }

    /// Nobody is being identified.
    var isIdle: Bool {
        !callers.values.contains { if case .unknown = $0 { true } else { false } }
    }

    /// Who a connection was found to be last; nil where it was never found.
    func caller(_ name: BusName) -> Caller? {
        switch callers[name] {
        case .known(let caller, _): caller
        case .unknown(_, let caller): caller
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
            if let doubt = found.doubt {
                logger.notice("a caller is not known", metadata: ["client": "\(name)", "why": "\(doubt)"])
            }
            return found
        } catch {
            logger.debug(
                "a caller went before it was known", metadata: ["client": "\(name)", "why": "\(error)"])
            return nil
        }
    }

    private func admit(_ name: BusName, as found: Identification?) {
        guard case .unknown(let waiting, _) = callers[name] else { return }
        guard let found else {
            callers[name] = nil
            for handle in waiting {
                handle(.failure(.accessDenied("The bus does not say who is calling.")))
            }
            return
        }
        let caller = Caller(
            client: Client(name: ClientName(name.rawValue), identity: found.identity),
            isConfined: found.isConfined)
        callers[name] = .known(caller, isProvisional: found.isProvisional)
        for handle in waiting { handle(.success(caller)) }
    }
}
