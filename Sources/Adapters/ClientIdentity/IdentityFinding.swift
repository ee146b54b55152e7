public import DictationCore

/// The identity of a client, and the reason if it is unknown.
public struct IdentityFinding: Hashable, Sendable {
    public let identity: Identity
    /// Why the identity is `unknown`; nil if it is known. For the log.
    public let doubt: IdentityError?

    /// A finding without an error.
    public init(_ identity: Identity) {
        self.identity = identity
        doubt = nil
    }

    /// Only the client's user is known.
    public init(_ doubt: IdentityError, uid: UInt32) {
        identity = Identity(uid: uid, kind: .unknown, id: "")
        self.doubt = doubt
    }
}
