internal import Glibc

/// Why the audio server cannot be used at present.
public struct MicrophoneError: Error, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// There is no connection to be had.
        case cannotConnect
        /// The connection broke: the server ended, or refused this client.
        case disconnected
        /// The server accepted a question and gave no answer in time.
        case noAnswer
    }

    public let code: Code
    public let underlying: (any Error)?
    /// What PipeWire or the system said, for people.
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
        case .disconnected: "The audio server went away: \(message)"
        case .noAnswer: "The audio server does not answer: \(message)"
        }
    }
}
