import DBus
import Desktop
import DictationConfiguration
import DictationCore
import EventLoop
import Glibc
import JournalFiles
import Logging
import PermissionStore
import Recognition

/// Workers that run in the broker's process. Each is connected to the broker as a process of its own would be. Agents in the
/// users' desktop sessions lend what they need.
@EventLoopActor
final class LocalWorkers: WorkerStarter {
    /// What all workers share.
    struct Shared {
        let configurations: UserConfigurations
        /// Users do not share decoders.
        let engines: @EventLoopActor () -> EngineCatalog
        /// The engines that agents lend; nil if the administrator does not allow it.
        let lentEngines: LentEngines?
        let formattingPlanner: FormattingPlanner
        let agents: AgentRegistry
        let store: PermissionStore
        let journals: Journals
        /// The desktop session of a user.
        let desktop: @EventLoopActor (UInt32) -> any DesktopSession
        let logger: Logger
    }

    private let shared: Shared
    /// The broker's socket.
    private var path = ""
    /// By user.
    private var left: [UInt32: [LeftJournal]]
    private var workers: [UInt32: Worker] = [:]
    /// What each user's agent has sent last. Kept while no agent has sent others, so that a restart of the agent changes nothing.
    private var settings: [UInt32: UserSettings] = [:]
    private var failed: @EventLoopActor (UInt32, DBusError) -> Void = { _, _ in }

    init(_ shared: Shared, left: [LeftJournal]) {
        self.shared = shared
        self.left = Dictionary(grouping: left) { $0.contents.session.client.identity.uid }
    }

    func begin(brokerAt path: String, failed: @escaping @EventLoopActor (UInt32, DBusError) -> Void) {
        self.path = path
        self.failed = failed
        shared.lentEngines?.begin { [weak self] uid in self?.workers[uid]?.lentEnginesChanged() }
        let throttle = UserThrottle { [weak self] uid in self?.workers[uid]?.settingsChanged() ?? false }
        shared.agents.observeAll { [weak self, configurations = shared.configurations] uid in
            guard let self, let sent = configurations.sentSettings(of: uid) else { return }
            settings[uid] = sent
            throttle.request(uid)
        }
    }

    /// Those with sessions that the last service left.
    var neededUsers: [UInt32] { Array(left.keys) }

    func reconfigure(_ configuration: Configuration) {
        shared.configurations.update(configuration)
        for worker in workers.values { worker.settingsChanged() }
    }

    func start(_ uid: UInt32) {
        Task {
            do {
                try await run(uid)
            } catch let error as DBusError {
                failed(uid, error)
            } catch {
                failed(uid, .failed("\(error)"))
            }
        }
    }

    func kill(_ uid: UInt32) {}

    private func run(_ uid: UInt32) async throws {
        let peer = try await PeerConnection(toServerAt: path)
        let worker = Worker(
            of: uid, on: peer, isOfOneUser: false, supplies(of: uid), logger: shared.logger)
        workers[uid] = worker
        defer { if workers[uid] === worker { workers[uid] = nil } }
        try await worker.begin()
        await peer.disconnected()
        await worker.disconnected()
    }

    /// Their connections have ended, and with them their work.
    func allEnded() async {}

    func abandon() async {
        await withTaskGroup { group in
            for worker in workers.values { group.addTask { await worker.abandon() } }
        }
    }

    private func supplies(of uid: UInt32) -> WorkerSupplies {
        let (agents, store, configurations) = (shared.agents, shared.store, shared.configurations)
        let lent = shared.lentEngines
        return WorkerSupplies(
            configuration: { [weak self] in
                let sent = configurations.sentSettings(of: uid) ?? self?.settings[uid]
                return configurations.configuration(of: uid, sent ?? UserSettings())
            },
            reconfigure: { _ in },
            engines: shared.engines(),
            lentEngines: { lent?.engines(of: uid) ?? [] },
            preferredEngines: {
                let preference = lent?.preference(of: uid) ?? []
                return preference.isEmpty || configurations.common.administered.contains("engine")
                    ? configurations.common.engine : preference
            },
            punctuatingEngines: { lent?.punctuating(of: uid) ?? [] },
            formattingPlanner: shared.formattingPlanner,
            desktop: shared.desktop(uid),
            routes: store.routes(ofUser: uid),
            storeRoutes: { choices in
                do throws(PermissionStoreError) {
                    try await store.setRoutes(choices, ofUser: uid)
                    return nil
                } catch {
                    return Refusal(error)
                }
            },
            journals: shared.journals, left: left.removeValue(forKey: uid) ?? [],
            recordingLender: LentRecordings(agents: agents, uid: uid),
            canRecordInFolders: { agents.latest(.recordings, ofUser: uid) != nil })
    }
}
