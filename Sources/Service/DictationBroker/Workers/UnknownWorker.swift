import DBus
import DictationBus
import DictationInterface
import EventLoop

/// A process that has connected, and whose worker it is has not been proved. Only its Hello counts: whatever else it sends is
/// refused or dropped. Once it is accepted, a ``WorkerLink`` takes its connection over.
@EventLoopActor
final class UnknownWorker: ObjectHandler {
    struct Handlers {
        /// It has said Hello, which is answered later.
        let greeted: @EventLoopActor (UnknownWorker, WorkerGreeting, MethodCall) -> Void
        /// The connection is closed.
        let ended: @EventLoopActor (UnknownWorker) -> Void
    }

    let peer: PeerConnection
    /// The user and the process at the other end, by the kernel.
    let process: WorkerLink.Process
    private let handlers: Handlers

    /// Memory of replies that it has not read.
    private static let mostUnread = 256 << 10

    init(_ peer: PeerConnection, _ process: WorkerLink.Process, _ handlers: Handlers) {
        self.peer = peer
        self.process = process
        self.handlers = handlers
        peer.export(
            DictationBrokerInterface.path, interfaces: [DictationBrokerInterface.description],
            handler: WeakHandler(self))
        // Signals and replies.
        peer.receiveForOthers = { _ in }
        peer.queued = { [weak peer] memory in
            guard let peer, memory > Self.mostUnread else { return }
            Task { await peer.close(within: .zero) }
        }
        peer.ended = { [weak self] in
            guard let self else { return }
            handlers.ended(self)
        }
    }

    func close() async { await peer.close(within: .seconds(1)) }

    func handle(_ call: MethodCall) {
        do throws(DBusError) {
            guard call.member.rawValue == DictationBrokerMethod.hello.rawValue,
                case .hello(let worker) = try DictationBrokerRequest(call)
            else { throw DBusError.accessDenied("The first call is Hello.") }
            handlers.greeted(self, try WorkerGreeting(worker), call)
        } catch {
            call.fail(error)
        }
    }
}
