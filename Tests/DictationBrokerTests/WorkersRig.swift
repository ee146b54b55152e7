import DictationCore
import DictationInterface
import DictationTestKit
import EventLoop
import Glibc
import Logging
import Testing

@testable import DBus
@testable import DictationBroker
@testable import DictationBus

/// The workers of a broker, a scripted starter, and scripted workers with real connections.
@EventLoopActor
final class WorkersRig {
    let workers: Workers
    let path: String
    let starter: ScriptedStarter
    var started: [UInt32] { starter.started }
    var resumed: [BusName] = []
    var errors: [DBusError] = []
    /// Users whose workers were asked to end.
    var ends: [UInt32] = []
    /// Calls with a reply.
    var answered: [MethodCall] = []
    var permissions: [[Value]] = []
    /// Users whose workers have greeted.
    var greeted: [UInt32] = []
    /// Whose worker has sent each signal.
    var signals: [UInt32] = []
    /// Whether workers answer Restore.
    var restores = true
    /// Users whose workers have replaced others, and the sessions of the others.
    var replaced: [UInt32] = []
    var lost: [WorkerSession] = []
    /// What the broker has logged.
    var logged: [String] { log.messages.list.withLock { $0 } }
    private let log = LoggedMessages()
    private var unanswered: [MethodCall] = []
    private var peers: [PeerConnection] = []
    private let server: PeerServer

    init(
        in folder: String, linger: Duration, endTimeout: Duration, mostUnread: Int,
        owns: @escaping @EventLoopActor (BusName) async throws -> Bool
    ) throws {
        path = folder + "/broker"
        let logger = Logger(label: "test") { [log] _ in log }
        let starter = ScriptedStarter()
        self.starter = starter
        let workers = Workers(
            starter: starter, owner: getuid(), linger: linger, endTimeout: endTimeout,
            mostUnread: mostUnread, logger: logger,
            accepts: { process, uid in process.uid == getuid() && uid != 99 })
        self.workers = workers
        server = try PeerServer(
            at: path, limits: PeerConnection.Limits(bytes: 1 << 16, descriptors: 0),
            accept: { workers.connected($0) })
        workers.begin(
            brokerAt: path,
            Workers.Handlers { [unowned self] names, error in
                resumed += names
                if let error { errors.append(error) }
            } answered: { [unowned self] call, _ in
                answered.append(call)
            } signalled: { [unowned self] link, _ in
                signals.append(link.uid)
            } ping: { _, _, completion in
                completion(true)
            } permission: { identity in
                identity.id == "/bin/allowed" ? .granted : .notDetermined
            } owns: { name in
                try await owns(name)
            } started: { [unowned self] link, sessions in
                greeted.append(link.uid)
                guard let sessions else { return }
                replaced.append(link.uid)
                lost += sessions
                link.restore(sessions)
            })
    }

    /// A worker's connection.
    func connect() async throws -> PeerConnection {
        let peer = try await PeerConnection(toServerAt: path)
        peers.append(peer)
        return peer
    }

    func hello(
        _ uid: UInt32, version: UInt32 = WorkerGreeting.version, session: UInt64 = 0,
        owners: [String] = [], over peer: PeerConnection
    ) async throws -> [BusText: Value] {
        peer.export(
            DictationWorkerInterface.path, interfaces: [DictationWorkerInterface.description],
            handler: ScriptedWorker { [weak self] call in
                if call.member == "End" { self?.ends.append(uid) }
                if call.member == "Permission", let body = try? call.body() {
                    self?.permissions.append(body)
                }
                if call.member == "Restore", self?.restores == false {
                    self?.unanswered.append(call)
                } else {
                    call.reply()
                }
            })
        return try await DictationBrokerProxy(connection: peer, destination: .peer).hello(worker: [
            WorkerKey.protocol: .uint32(version), WorkerKey.uid: .uint32(uid),
            WorkerKey.session: .uint64(session), WorkerKey.applications: .array([], of: "(ss)"),
            WorkerKey.owners: .array(
                owners.map { .structure([.string($0), .string("executable"), .string("/bin/allowed")]) },
                of: "(sss)"),
        ])
    }

    func greet(_ uid: UInt32) async throws -> PeerConnection {
        let peer = try await connect()
        _ = try await hello(uid, over: peer)
        return peer
    }

    func end() async {
        for peer in peers { await peer.close() }
        server.stop()
    }
}

@EventLoopActor
final class ScriptedStarter: WorkerStarter {
    var started: [UInt32] = []
    /// Users whose workers are not to be started again.
    var released: [UInt32] = []
    let neededUsers: [UInt32] = []
    let advice = "See its log."
    var failed: @EventLoopActor (UInt32, Refusal) -> Void = { _, _ in }
    /// Why no worker can be started.
    var refusal: Refusal?

    func begin(brokerAt path: String, failed: @escaping @EventLoopActor (UInt32, Refusal) -> Void) {
        self.failed = failed
    }

    func start(_ uid: UInt32) throws(Refusal) {
        if let refusal { throw refusal }
        started.append(uid)
    }
    func release(_ uid: UInt32) { released.append(uid) }
    func kill(_ uid: UInt32) {}
    func allEnded() async {}
}

/// Keeps messages of any level.
private struct LoggedMessages: LogHandler {
    final class Messages: Sendable {
        let list = Lock<[String]>([])
    }

    let messages = Messages()
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { messages.list.withLock { $0.append(event.message.description) } }
}

private struct ScriptedWorker: ObjectHandler {
    let perform: @EventLoopActor @Sendable (MethodCall) -> Void

    @EventLoopActor func handle(_ call: MethodCall) { perform(call) }
}

/// - Parameters:
///   - linger: how long workers are kept after their last use.
///   - mostUnread: the memory of messages that a worker may leave unread.
@EventLoopActor
func withWorkers(
    linger: Duration = .seconds(600), endTimeout: Duration = .seconds(5),
    mostUnread: Int = WorkerLink.usualUnread,
    owns: @escaping @EventLoopActor (BusName) async throws -> Bool = { _ in true },
    _ body: @EventLoopActor (WorkersRig) async throws -> Void
) async throws {
    let folder = try TemporaryDirectory()
    let rig = try WorkersRig(
        in: folder.path, linger: linger, endTimeout: endTimeout, mostUnread: mostUnread, owns: owns)
    var failure: (any Error)?
    do {
        try await body(rig)
    } catch {
        failure = error
    }
    await rig.end()
    if let failure { throw failure }
}
