import DBus
import DictationConfiguration
import EventLoop

/// Starts workers, each of which connects to the broker.
@EventLoopActor
protocol WorkerStarter: AnyObject {
    /// The broker's socket is there.
    /// - Parameters:
    ///   - path: of the socket.
    ///   - failed: called when a user's worker did not start.
    func begin(brokerAt path: String, failed: @escaping @EventLoopActor (UInt32, DBusError) -> Void)

    /// Users whose workers are needed from the beginning.
    var neededUsers: [UInt32] { get }

    /// Starts a user's worker.
    func start(_ uid: UInt32)

    /// Kills a user's worker that stands still, if it is a process of its own.
    func kill(_ uid: UInt32)

    /// The broker's configuration files have changed.
    func reconfigure(_ configuration: Configuration)

    /// Returns when no worker is left, after they were asked to end.
    func allEnded() async

    /// The bus is lost: closes every microphone.
    func abandon() async
}
