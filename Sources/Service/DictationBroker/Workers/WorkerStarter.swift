import DictationBus
import DictationCore
import EventLoop

/// Starts workers, each of which connects to the broker.
@EventLoopActor
protocol WorkerStarter: AnyObject {
    /// The broker's socket is there.
    /// - Parameters:
    ///   - path: of the socket.
    ///   - failed: called when a user's worker did not start, not from within ``start(_:)``.
    func begin(brokerAt path: String, failed: @escaping @EventLoopActor (UInt32, Refusal) -> Void)

    /// Users whose workers are needed from the beginning.
    var neededUsers: [UInt32] { get }

    /// Starts a user's worker. Throws if it is known at once that this is not possible.
    func start(_ uid: UInt32) throws(Refusal)

    /// A user's worker is not to be started again.
    func release(_ uid: UInt32)

    /// Kills a user's worker that stands still, if that is possible.
    func kill(_ uid: UInt32)

    /// Returns when no worker is left, after they were asked to end.
    func allEnded() async

    /// What helps where a worker does not start.
    var advice: String { get }
}
