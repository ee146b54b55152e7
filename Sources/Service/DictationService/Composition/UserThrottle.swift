import EventLoop

/// Limits how often something happens for each user, because agents can ask for it at any rate. The last request is always
/// carried out.
@EventLoopActor
final class UserThrottle {
    private let interval: Duration
    /// Returns false if there was nothing to do.
    private let act: @EventLoopActor (UInt32) -> Bool
    /// When it last happened, and the timer of a postponed request.
    private var users: [UInt32: (last: SuspendingClock.Instant, next: EventLoop.Timer?)] = [:]

    /// - Parameter interval: the minimum time between two actions of a user.
    init(_ interval: Duration = .milliseconds(500), act: @escaping @EventLoopActor (UInt32) -> Bool) {
        self.interval = interval
        self.act = act
    }

    func request(_ uid: UInt32) {
        guard let user = users[uid] else { return perform(uid) }
        guard user.next == nil else { return }
        let rest = interval - (SuspendingClock.now - user.last)
        guard rest > .zero else { return perform(uid) }
        users[uid]?.next = EventLoopActor.schedule(after: rest) { [weak self] in
            self?.users[uid]?.next = nil
            self?.perform(uid)
        }
    }

    private func perform(_ uid: UInt32) {
        if act(uid) { users[uid] = (.now, nil) }
    }
}
