import ClientIdentity
import DBus
import DictationCore
import Glibc

/// What was found out about who is behind a connection.
struct Identification: Hashable, Sendable {
    let identity: Identity
    /// Why the identity is unknown; nil if it is not. For the log.
    var doubt: String?
    /// The process may be in a sandbox of which nothing is certain.
    var isConfined = false
    /// Nobody was there who could tell more, or who was there did not answer: asking again may tell more.
    var isProvisional = false
    /// Somebody was asked and did not answer.
    var hasFailed = false
    /// This process lacks descriptors or memory.
    var isShort = false
}

/// Somebody who finds out who is behind connections.
protocol Identifier: Sendable {
    /// - Parameters:
    ///   - mayWait: for somebody who can tell and is about to come.
    ///   - confirm: asks the bus the same again, for the same unique name.
    func identify(
        _ credentials: BusCredentials, mayWait: Bool,
        confirm: @escaping @Sendable () async throws -> (uid: UInt32, pid: UInt32)
    ) async -> Identification
}

/// For clients of this process's own user: this process may read everything itself.
struct OwnIdentifier: Identifier {
    let resolver: IdentityResolver

    func identify(
        _ credentials: BusCredentials, mayWait: Bool,
        confirm: @escaping @Sendable () async throws -> (uid: UInt32, pid: UInt32)
    ) async -> Identification {
        let finding = await resolver.finding(credentials, confirm: confirm)
        // What is short now may be there later.
        let isShort = finding.doubt?.isShortage ?? false
        return Identification(
            identity: finding.identity, doubt: finding.doubt.map { "\($0)" }, isProvisional: isShort,
            hasFailed: isShort, isShort: isShort)
    }
}

extension IdentityError {
    /// This process lacks descriptors or memory.
    var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }
}
