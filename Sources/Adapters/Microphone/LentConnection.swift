public import EventLoop

/// A connection to an audio server for a process that is trusted less: it can read the graph and capture, and nothing
/// else. The server withdraws the rights, and the client cannot get them back.
@EventLoopActor
public final class LentConnection {
    private let connection: PipeWireConnection
    private let timeout: Duration
    private var waiting: (number: Int32, continuation: CheckedContinuation<Void, any Error>)?

    /// The event loop's, because PipeWire binds a connection to the thread that makes it.
    /// - Parameter timeout: timeout of each answer of the server.
    private init(_ socket: Descriptor, timeout: Duration) throws {
        self.timeout = timeout
        connection = try PipeWireConnection(socket)
    }

    /// Restricts a connection.
    /// - Parameter socket: connected to the server, with nothing sent yet. Must not be used afterwards.
    /// - Returns: the socket to lend, which behaves like a new connection.
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
            // All objects were listed,
            try await roundTrip()
            try connection.restrict()
            // and all rights were removed.
            try await roundTrip()
            return try connection.takeSocket()
        } catch {
            connection.close()
            throw error
        }
    }

    private func roundTrip() async throws {
        guard let number = connection.beginRoundTrip() else {
            throw MicrophoneError(.disconnected, message: "a request could not be sent")
        }
        let deadline = EventLoopActor.schedule(after: timeout) { [weak self, timeout] in
            self?.end(.failure(MicrophoneError(.noAnswer, message: "no answer within \(timeout)")))
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
