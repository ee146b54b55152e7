import ClientIdentity
import DBus
import DictationCore
import EventLoop
import Logging

/// The connections that have called, and who is behind each. What a connection sends waits, in order, until that is
/// known.
actor Callers {
    typealias Handler = @Sendable (MethodCall, Client) -> Void

    private enum Caller {
        /// The bus and the kernel are being asked.
        case unknown([(MethodCall, Handler)])
        case known(Client)
    }

    private let loop: EventLoop
    private let connection: Connection
    private let resolver: IdentityResolver
    private let logger: Logger
    private var callers: [BusName: Caller] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(connection: Connection, resolver: IdentityResolver, loop: EventLoop, logger: Logger) {
        self.connection = connection
        self.resolver = resolver
        self.loop = loop
        self.logger = logger
    }

    /// - Parameter handle: is given the call, on the loop, when it is known whose it is.
    func receive(_ call: MethodCall, _ handle: @escaping Handler) {
        switch callers[call.sender] {
        case .known(let client):
            handle(call, client)
        case .unknown(let waiting):
            callers[call.sender] = .unknown(waiting + [(call, handle)])
        case nil:
            callers[call.sender] = .unknown([(call, handle)])
            Task { admit(call.sender, as: await identity(of: call.sender)) }
        }
    }

    /// Whether the connection had called.
    func forget(_ name: BusName) -> Bool {
        callers.removeValue(forKey: name) != nil
    }

    /// The connections of an application that are known.
    func names(of identity: Identity) -> [BusName] {
        callers.compactMap { name, caller in
            if case .known(let client) = caller, client.identity == identity { name } else { nil }
        }
    }

    private func identity(of name: BusName) async -> Identity? {
        do {
            let credentials = try await connection.credentials(of: name)
            guard let pid = credentials.pid else {
                return Identity(uid: credentials.uid, kind: .unknown, id: "")
            }
            let finding = await resolver.finding(
                BusCredentials(uid: credentials.uid, pid: pid, process: credentials.process)
            ) {
                let again = try await connection.credentials(of: name)
                return (again.uid, again.pid ?? 0)
            }
            if let doubt = finding.doubt {
                logger.notice("a caller is not known", metadata: ["client": "\(name)", "why": "\(doubt)"])
            }
            return finding.identity
        } catch {
            logger.debug(
                "a caller went before it was known", metadata: ["client": "\(name)", "why": "\(error)"])
            return nil
        }
    }

    private func admit(_ name: BusName, as identity: Identity?) {
        guard case .unknown(let waiting) = callers[name] else { return }
        guard let identity else {
            callers[name] = nil
            for (call, _) in waiting { call.fail(.accessDenied("The bus does not say who is calling.")) }
            return
        }
        let client = Client(name: ClientName(name.rawValue), identity: identity)
        callers[name] = .known(client)
        for (call, handle) in waiting { handle(call, client) }
    }
}
