internal import Glibc

/// An error of the connection to the audio server.
public struct MicrophoneError: Error, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// No connection could be made.
        case cannotConnect
        /// The connection was lost: the server ended, or disconnected this client.
        case disconnected
        /// The server did not answer in time.
        case noAnswer
    }

    public let code: Code
    public let underlying: (any Error)?
    /// The message of PipeWire or the system, for people.
    public let message: String

    init(_ code: Code, underlying: any Error) {
        self.code = code
        self.underlying = underlying
        message = String(describing: underlying)
    }

    init(_ code: Code, message: String) {
        self.code = code
        underlying = nil
        self.message = message
    }

    init(_ code: Code, errno: Int32) {
        self.init(code, message: String(cString: strerror(errno)))
    }

    public var description: String {
        switch code {
        case .cannotConnect: "The audio server cannot be reached: \(message)"
        case .disconnected: "The connection to the audio server was lost: \(message)"
        case .noAnswer: "The audio server does not answer: \(message)"
        }
    }
}
