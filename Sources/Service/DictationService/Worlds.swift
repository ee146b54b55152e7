import DictationCore
import EventLoop

/// The worlds of the users. One is made on first use, and ends some time after its last use.
@EventLoopActor
final class Worlds {
    /// Makes a user's world, which calls `becameIdle` when it could end without losing anything.
    typealias Make =
        @EventLoopActor (_ uid: UInt32, _ becameIdle: @escaping @EventLoopActor () -> Void) -> UserWorld

    private let make: Make
    /// Whether anything other than sessions and subscribers needs a user's world.
    private let isNeeded: @EventLoopActor (UInt32) -> Bool
    private var worlds: [UInt32: UserWorld] = [:]
    private var ends: [UInt32: EventLoop.Timer] = [:]
    /// No world is made any more.
    private var isEnding = false

    /// Maximum number of users at the same time.
    private static let limit = 64
    /// Maximum number of sessions of all users together.
    private static let sessionLimit = 256
    /// How long a world is kept after its last use: an agent that restarts finds the same state.
    private static let linger = Duration.seconds(5)

    init(isNeeded: @escaping @EventLoopActor (UInt32) -> Bool, make: @escaping Make) {
        self.isNeeded = isNeeded
        self.make = make
    }

    /// The user's world, if there is one.
    subscript(_ uid: UInt32) -> UserWorld? { worlds[uid] }

    /// The user's world, made if there is none.
    func world(of uid: UInt32) throws(Refusal) -> UserWorld {
        if let world = worlds[uid] { return world }
        if isEnding {
            throw Refusal(.cancelled, "The service is shutting down: call again to start it anew.")
        }
        guard worlds.count < Self.limit else {
            throw Refusal(.limitExceeded, "\(Self.limit) users are being served.")
        }
        let world = make(uid) { [weak self] in self?.reconsider(uid) }
        worlds[uid] = world
        world.begin()
        reconsider(uid)
        return world
    }

    var users: [UInt32] { Array(worlds.keys) }

    /// The subscribers, by user.
    var subscribers: [UInt32: [ClientName]] {
        worlds.mapValues(\.subscribers)
    }

    /// Whether all worlds could end without losing anything.
    var areIdle: Bool { worlds.values.allSatisfy(\.isIdle) }

    /// Sessions of all users.
    var sessionCount: Int { worlds.values.reduce(0) { $0 + $1.sessionCount } }

    /// Why no session of any user may begin now; nil if one may.
    var refusalOfSessions: Refusal? {
        sessionCount < Self.sessionLimit
            ? nil : Refusal(.limitExceeded, "\(Self.sessionLimit) sessions of all users are running.")
    }

    /// Call when a world may no longer be needed.
    func reconsider(_ uid: UInt32) {
        guard ends[uid] == nil, let world = worlds[uid], canEnd(world) else { return }
        ends[uid] = EventLoopActor.schedule(after: Self.linger) { [weak self] in self?.end(uid) }
    }

    /// Ends all at once, so that no user's microphone stays open while another's commits are finished.
    func shutDown() async {
        await withTaskGroup { group in
            for world in takeAll() { group.addTask { await world.shutDown() } }
        }
    }

    func abandon() async {
        await withTaskGroup { group in
            for world in takeAll() { group.addTask { await world.abandon() } }
        }
    }

    private func takeAll() -> [UserWorld] {
        isEnding = true
        for timer in ends.values { timer.cancel() }
        ends = [:]
        // Pending replies still use them.
        return Array(worlds.values)
    }

    private func end(_ uid: UInt32) {
        ends[uid] = nil
        guard let world = worlds[uid], canEnd(world) else { return }
        worlds[uid] = nil
        Task { await world.shutDown() }
    }

    private func canEnd(_ world: UserWorld) -> Bool {
        !isNeeded(world.uid) && world.isIdle
    }
}
