internal import Glibc

/// Why a recording cannot begin or go on.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// The descriptor is neither an empty file that can be written nor a folder.
        case unsuitable
        /// The descriptor is a folder, and only a file may be used.
        case folder
        /// A file cannot be made, written or removed.
        case write
        /// No thread could be started.
        case limitExceeded
    }

    public let kind: Kind
    /// For people; says what to do.
    public let message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// A system call failed with this `errno`.
    init(_ action: String, _ code: Int32) {
        self.init(.write, "\(action): \(String(cString: strerror(code))).")
    }

    public var description: String { message }
}
