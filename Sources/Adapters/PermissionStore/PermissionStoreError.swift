import GRDB
import Glibc

/// Why the store cannot be opened or cannot store a value.
public struct PermissionStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable {
        /// The path has something that this service did not create, or that belongs to another user.
        case refused
        /// The system failed to read or write. The stored content is unchanged.
        case unavailable
        /// Another process has it open.
        case inUse
        /// It has the format of a newer version of this service.
        case newer
        /// Its content is invalid.
        case corrupt
        /// The value to store is invalid.
        case invalid
        /// The user has the maximum number of applications.
        case full
    }

    public let kind: Kind
    /// The file or folder, or the value to store.
    public let subject: String
    /// The message of the system or SQLite; empty if there is none.
    public let reason: String

    init(_ kind: Kind, _ subject: String, reason: String = "") {
        self.kind = kind
        self.subject = subject
        self.reason = reason
    }

    /// The error of the system call that has just failed on this thread.
    static func last(_ subject: String) -> PermissionStoreError {
        PermissionStoreError(.unavailable, subject, reason: String(cString: strerror(errno)))
    }

    init(_ error: any Error, _ subject: String) {
        switch error {
        case let error as PermissionStoreError: self = error
        case let error as DatabaseError:
            self.init(Self.kind(of: error.resultCode), subject, reason: error.description)
        default:
            // A value of the wrong type for its column.
            self.init(.corrupt, subject, reason: "\(error)")
        }
    }

    private static func kind(of code: ResultCode) -> Kind {
        switch code {
        case .SQLITE_BUSY, .SQLITE_LOCKED: .inUse
        case .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_NOMEM,
            .SQLITE_AUTH, .SQLITE_NOLFS, .SQLITE_INTERRUPT, .SQLITE_MISUSE:
            .unavailable
        default: .corrupt
        }
    }

    public var description: String {
        let reason = reason.isEmpty ? "" : " (\(reason))"
        return switch kind {
        case .refused: "\(subject) is not used\(reason). Move it away and start again."
        case .unavailable:
            "\(subject) cannot be used\(reason). Make it writable and check that the disk has space."
        case .inUse: "\(subject) is in use by another dictationd\(reason). End that one first."
        case .newer: "\(subject) was written by a newer version. Install that, or move the file away."
        case .corrupt: "\(subject) is damaged\(reason). It will be moved away at the next start."
        case .invalid: "\(subject) cannot be stored\(reason)."
        case .full: "\(subject): too many applications\(reason). Forget some of them first."
        }
    }
}
