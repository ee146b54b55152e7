public import EventLoop

/// A connection to an audio server that is made to be lent to somebody who is trusted less: it can look at the graph
/// and capture from it, and nothing else. What the server has taken from a client, the client cannot take back.
@EventLoopActor
public final class LentConnection {
    private let connection: PipeWireConnection
    private let timeout: Duration
    private var waiting: (number: Int32, continuation: CheckedContinuation<Void, any Error>)?

    /// PipeWire binds a connection to the thread that makes it: the event loop's.
    /// - Parameter timeout: how long the server may take for each answer.
    private init(_ socket: Descriptor, timeout: Duration) throws {
        self.timeout = timeout
        connection = try PipeWireConnection(socket)
    }

    /// Restricts a connection.
    /// - Parameter socket: connected to the server, and not spoken on yet. Must not be used any longer.
    /// - Returns: the socket to be lent, on which can be spoken as if it were new.
    public static func restrict(
        _ socket: Descriptor, timeout: Duration = .seconds(3)
    ) async throws -> Descriptor {
        try await LentConnection(socket, timeout: timeout).restricted()
    }

    private func restricted() async throws -> Descriptor {
        let watch = try EventLoopActor.watch(connection.descriptor, for: .readable) { [weak self] _ in
            self?.follow()
        }
        defer { watch.cancel() }
        do {
            // All there is has been told,
            try await roundTrip()
            try connection.restrict()
            // and has been taken away.
            try await roundTrip()
            return try connection.takeSocket()
        } catch {
            connection.close()
            throw error
        }
    }

    private func roundTrip() async throws {
        guard let number = connection.beginRoundTrip() else {
            throw MicrophoneError(.disconnected, message: "a question could not be sent")
        }
        let deadline = EventLoopActor.schedule(after: timeout) { [weak self, timeout] in
            self?.end(.failure(MicrophoneError(.noAnswer, message: "nothing came for \(timeout)")))
        }
        defer { deadline.cancel() }
        try await withCheckedThrowingContinuation { waiting = (number, $0) }
    }

    private func follow() {
        for event in connection.takeEvents() {
            switch event {
            case .roundTripDone(let number) where number == waiting?.number: end(.success(()))
            case .failed(let trouble) where trouble.isLoss:
                end(.failure(MicrophoneError(.disconnected, message: trouble.message)))
            default: break
            }
        }
    }

    private func end(_ result: Result<Void, any Error>) {
        let waiting = self.waiting.take()
        waiting?.continuation.resume(with: result)
    }
}
