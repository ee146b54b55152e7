import ClientIdentity
import DBus
import DictationCore
import Glibc

/// The result of identifying the program behind a connection.
struct Identification: Hashable, Sendable {
    let identity: Identity
    /// Why the identity is unknown; nil if it is not. For the log.
    var failure: String?
    /// Whether the process may be in a sandbox of unknown kind.
    var isConfined = false
    /// No agent was registered, or it did not answer: identifying again may find more.
    var isProvisional = false
    /// An agent was asked and did not answer.
    var hasFailed = false
    /// This process lacks descriptors or memory.
    var isShort = false
}

/// Identifies the programs behind connections.
protocol Identifier: Sendable {
    /// - Parameters:
    ///   - mayWait: whether to wait for an agent that is about to register.
    ///   - confirm: asks the bus again about the same unique name.
    func identify(
        _ credentials: BusCredentials, mayWait: Bool,
        confirm: @escaping @Sendable () async throws -> (uid: UInt32, pid: UInt32)
    ) async -> Identification
}

/// For clients of this process's own user, whose files it can read.
struct OwnIdentifier: Identifier {
    let resolver: IdentityResolver

    func identify(
        _ credentials: BusCredentials, mayWait: Bool,
        confirm: @escaping @Sendable () async throws -> (uid: UInt32, pid: UInt32)
    ) async -> Identification {
        let finding = await resolver.finding(credentials, confirm: confirm)
        // The shortage may be temporary.
        let isShort = finding.error?.isShortage ?? false
        return Identification(
            identity: finding.identity, failure: finding.error.map { "\($0)" }, isProvisional: isShort,
            hasFailed: isShort, isShort: isShort)
    }
}

extension IdentityError {
    /// This process lacks descriptors or memory.
    var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }
}
