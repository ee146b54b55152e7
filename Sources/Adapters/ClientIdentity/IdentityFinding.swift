public import DictationCore

/// Who a client is, and if that is not known, why not.
public struct IdentityFinding: Hashable, Sendable {
    public let identity: Identity
    /// Why the identity is `unknown`; nil if it is not. For the log.
    public let doubt: IdentityError?

    /// A finding of certainty.
    public init(_ identity: Identity) {
        self.identity = identity
        doubt = nil
    }

    /// Nothing is known of the client but its user.
    public init(_ doubt: IdentityError, uid: UInt32) {
        identity = Identity(uid: uid, kind: .unknown, id: "")
        self.doubt = doubt
    }
}
