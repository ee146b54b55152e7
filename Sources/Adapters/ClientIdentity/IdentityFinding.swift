public import DictationCore

/// The identity of a client, and the reason if it is unknown.
public struct IdentityFinding: Hashable, Sendable {
    public let identity: Identity
    /// Why the identity is `unknown`; nil if it is known. For the log.
    public let error: IdentityError?

    /// A finding without an error.
    public init(_ identity: Identity) {
        self.identity = identity
        error = nil
    }

    /// Only the client's user is known.
    public init(_ error: IdentityError, uid: UInt32) {
        identity = Identity(uid: uid, kind: .unknown, id: "")
        self.error = error
    }
}
