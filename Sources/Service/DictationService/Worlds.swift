import DictationCore
import EventLoop

/// The worlds of the users. One is made when it is first needed, and ends some time after nobody needs it any more.
@EventLoopActor
final class Worlds {
    /// Makes a user's world, which calls `becameIdle` whenever nothing would be lost if it ended.
    typealias Make =
        @EventLoopActor (_ uid: UInt32, _ becameIdle: @escaping @EventLoopActor () -> Void) -> UserWorld

    private let make: Make
    /// Whether something other than its own sessions and subscribers needs a user's world.
    private let isNeeded: @EventLoopActor (UInt32) -> Bool
    private var worlds: [UInt32: UserWorld] = [:]
    private var ends: [UInt32: EventLoop.Timer] = [:]

    /// Users that are served at the same time.
    private static let limit = 64
    /// Sessions of all users together.
    private static let sessionLimit = 256
    /// How long a world outlives its use: an agent that is started anew finds it as it was.
    private static let linger = Duration.seconds(5)

    init(isNeeded: @escaping @EventLoopActor (UInt32) -> Bool, make: @escaping Make) {
        self.isNeeded = isNeeded
        self.make = make
    }

    /// The user's world, where there is one.
    subscript(_ uid: UInt32) -> UserWorld? { worlds[uid] }

    /// The user's world, made where there is none.
    func world(of uid: UInt32) throws(Refusal) -> UserWorld {
        if let world = worlds[uid] { return world }
        guard worlds.count < Self.limit else {
            throw Refusal(.limitExceeded, "\(Self.limit) users are being served.")
        }
        let world = make(uid) { [weak self] in self?.reconsider(uid) }
        worlds[uid] = world
        world.begin()
        reconsider(uid)
        return world
    }

    /// Those who subscribed, by user.
    var subscribers: [UInt32: [ClientName]] {
        worlds.mapValues(\.subscribers)
    }

    /// Nothing would be lost if all ended.
    var areIdle: Bool { worlds.values.allSatisfy(\.isIdle) }

    /// Sessions of all users.
    var sessionCount: Int { worlds.values.reduce(0) { $0 + $1.sessionCount } }

    /// Why no session may begin now, of whatever user; nil where one may.
    var refusalOfSessions: Refusal? {
        sessionCount < Self.sessionLimit
            ? nil : Refusal(.limitExceeded, "\(Self.sessionLimit) sessions of all users are running.")
    }

    /// To be told when a world may no longer be needed.
    func reconsider(_ uid: UInt32) {
        guard ends[uid] == nil, let world = worlds[uid], canEnd(world) else { return }
        ends[uid] = EventLoopActor.schedule(after: Self.linger) { [weak self] in self?.end(uid) }
    }

    /// Ends all at once: no user's microphone stays open while another's commits are being finished.
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
        for timer in ends.values { timer.cancel() }
        ends = [:]
        // Calls that are still answered find them.
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
