import GRDB
import Glibc

/// Why the store cannot be opened, or did not take what it was given.
public struct PermissionStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable {
        /// Something is in the store's place that this service did not put there, or another user's.
        case refused
        /// The system did not let the store be read or written. What it held, it holds.
        case unavailable
        /// Another process has it open.
        case inUse
        /// A newer version of this service has changed its format.
        case newer
        /// It does not hold what this service writes.
        case corrupt
        /// What was to be stored cannot be.
        case invalid
        /// The user has decided about as many applications as may be.
        case full
    }

    public let kind: Kind
    /// The file or folder, or what was to be stored.
    public let subject: String
    /// What the system or SQLite said; empty where they were not asked.
    public let reason: String

    init(_ kind: Kind, _ subject: String, reason: String = "") {
        self.kind = kind
        self.subject = subject
        self.reason = reason
    }

    /// Of the system call that has just failed on this thread.
    static func last(_ subject: String) -> PermissionStoreError {
        PermissionStoreError(.unavailable, subject, reason: String(cString: strerror(errno)))
    }

    init(_ error: any Error, _ subject: String) {
        switch error {
        case let error as PermissionStoreError: self = error
        case let error as DatabaseError:
            self.init(Self.kind(of: error.resultCode), subject, reason: error.description)
        default:
            // A value that is not of its column's type.
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
        case .refused: "\(subject) is not used\(reason). Move it away, and start again."
        case .unavailable: "\(subject) cannot be used\(reason). Make it writable and see that there is space."
        case .inUse: "\(subject) is in use by another dictationd\(reason). End that one first."
        case .newer: "\(subject) was written by a newer version. Install that, or move the file away."
        case .corrupt: "\(subject) is damaged\(reason). At the next start it is set aside."
        case .invalid: "\(subject) cannot be stored\(reason)."
        case .full: "\(subject): too many applications\(reason). Forget some first."
        }
    }
}
