public import DBus
import DictationCore
import DictationInterface
public import EventLoop
public import Logging
import Desktop
import Microphone
import Recognition

/// The bus object: learns who calls, decides whether they may, and hands the call to the caller's world.
public actor DictationService {
    /// What is known of a connection that called.
    private enum Caller {
        /// The bus is being asked who it is; its calls wait in order.
        case unknown([MethodCall])
        case known(Client)
    }

    private let loop: EventLoop
    private let connection: Connection
    private let outlet: Outlet
    private let configuration: Configuration
    private let engines: EngineCatalog
    private let policy: AccessPolicy
    private let desktop: any DesktopSession
    private let logger: Logger
    private var callers: [BusName: Caller] = [:]
    private let world: UserWorld
    private var lastSession: UInt64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    // MARK: Calls

    private func receive(_ call: MethodCall) {
        switch callers[call.sender] {
        case .known(let client):
            handle(call, from: client)
        case .unknown(let waiting):
            callers[call.sender] = .unknown(waiting + [call])
        case nil:
            callers[call.sender] = .unknown([call])
            Task { await identify(call.sender) }
        }
    }

    private func identify(_ name: BusName) async {
        var identity: Identity?
        do {
            let credentials = try await connection.credentials(of: name)
            identity = Identity(uid: credentials.uid, kind: .executable, id: "")
        } catch {
            logger.debug("a caller went before it was known", metadata: ["client": "\(name)"])
        }
        guard case .unknown(let waiting) = callers[name] else { return }
        guard let identity else {
            callers[name] = nil
            for call in waiting { call.fail(.accessDenied("The bus does not say who is calling.")) }
            return
        }
        let client = Client(name: ClientName(name.rawValue), identity: identity)
        callers[name] = .known(client)
        for call in waiting { handle(call, from: client) }
    }

    private func handle(_ call: MethodCall, from client: Client) {
        do {
            let request = try DictationRequest(call)
            if let refusal = policy.refusal(of: request, by: client.identity) { throw refusal }
            try handle(request, call, from: client)
        } catch let refusal as Refusal {
            call.fail(DBusError(refusal))
        } catch {
            call.fail(error)
        }
    }
}
