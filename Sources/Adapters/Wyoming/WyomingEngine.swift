public import DictationCore
import NIOCore
import NIOPosix

/// A speech recogniser that serves the Wyoming protocol, such as `wyoming-faster-whisper`.
///
/// Each passage has its own connection, because servers close it after an answer. Cancelling a passage closes its
/// connection, because the protocol has no message for it. See packaging/engine/wire.md.
public final class WyomingEngine: PassageEngine {
    public let name: String
    private let dialer: Dialer
    private let pongs: NIOLoopBoundBox<PongTimes>

    static let describeTimeout = Duration.seconds(2)

    /// - Parameters:
    ///   - uid: the user. Servers of this user and of root are trusted.
    ///   - mayBeRemote: whether the administrator allows audio to leave the machine.
    public init(name: String, address: WyomingAddress, uid: UInt32, mayBeRemote: Bool) {
        self.name = name
        let dialer = Dialer(address: address, uid: uid, mayBeRemote: mayBeRemote)
        self.dialer = dialer
        pongs = .makeBoxSendingValue(PongTimes(), eventLoop: dialer.loop)
    }

    public var isLocal: Bool { dialer.isLocal }

    public func describe(
        _ completion: @escaping @Sendable (Result<EngineDescription, EngineFailure>) -> Void
    ) {
        _ = exchange(
            InfoReader(), timeout: Self.describeTimeout,
            request: { () throws(EngineFailure) in try Requests.describe() }, completion)
    }

    public func open(
        _ options: PassageOptions, _ events: @escaping @Sendable (PassageEvent) -> Void
    ) -> any PassageStream {
        let stream = WyomingStream(on: dialer.loop, pongs, events)
        stream.open(options, by: dialer)
        return stream
    }

    /// The request is encoded on the engine's thread.
    private func exchange<Reader: AnswerReader>(
        _ reader: Reader, timeout: Duration,
        request: @escaping @Sendable () throws(EngineFailure) -> ByteBuffer,
        _ completion: @escaping @Sendable (Result<Reader.Answer, EngineFailure>) -> Void
    ) -> @Sendable () -> Void {
        let loop = dialer.loop
        let promise = loop.makePromise(of: Reader.Answer.self)
        // Everything on the loop: a callback that another thread adds may run after the end of the connection.
        loop.execute { [dialer] in
            let isDone = NIOLoopBoundBox(false, eventLoop: loop)
            let connection = dialer.connect { channel in
                try channel.pipeline.syncOperations.addHandler(Exchange(reader, promise))
            }
            connection.whenComplete { result in
                switch result {
                case .success(let channel):
                    // After the end send nothing; the connection is closed below.
                    guard !isDone.value else { return }
                    do throws(EngineFailure) {
                        channel.writeAndFlush(try request(), promise: nil)
                    } catch {
                        promise.fail(error)
                    }
                case .failure(let error):
                    promise.fail(error)
                }
            }
            let deadline = loop.scheduleTask(in: .nanoseconds(timeout.nanoseconds)) {
                promise.fail(EngineFailure(.tooSlow, "The engine did not answer within \(timeout)."))
            }
            promise.futureResult.whenComplete { result in
                isDone.value = true
                deadline.cancel()
                connection.whenSuccess { $0.close(promise: nil) }
                switch result {
                case .success(let answer): completion(.success(answer))
                case .failure(let error):
                    let failure = error as? EngineFailure
                    completion(.failure(failure ?? EngineFailure(.failed, "The engine failed: \(error)")))
                }
            }
        }
        return { promise.fail(EngineFailure(.cancelled, "The request was cancelled.")) }
    }
}

extension Duration {
    var nanoseconds: Int64 {
        let limit = Duration.seconds(3600)
        let (seconds, attoseconds) = Swift.min(Swift.max(self, .zero), limit).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
