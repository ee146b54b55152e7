import ClientIdentity
import DBus
import DictationBus
import DictationCore

/// The result of identifying the program behind a connection.
enum Identification: Hashable, Sendable {
    /// It is certain, and does not change as long as the connection lives.
    case known(Identity)
    /// It is not known, and asking again would not change that.
    case unidentifiable(Unidentified)
    /// It could not be found out now. The connection is asked about again with one of its next calls.
    case failed(Unidentified, Failure)

    struct Unidentified: Hashable, Sendable {
        let uid: UInt32
        /// For the log.
        let reason: String
        /// Whether the process may be in a sandbox of unknown kind.
        let isConfined: Bool
    }

    /// What may be over soon.
    enum Failure: Hashable, Sendable {
        /// The user's worker has not answered, or does not start.
        case worker
        /// This process lacks descriptors, memory or threads.
        case shortage
    }

    /// A program that could not be identified because of an error.
    init(_ error: IdentityError, ofUser uid: UInt32, isConfined: Bool) {
        let unidentified = Unidentified(uid: uid, reason: "\(error)", isConfined: isConfined)
        self = error.isShortage ? .failed(unidentified, .shortage) : .unidentifiable(unidentified)
    }

    var identity: Identity {
        switch self {
        case .known(let identity): identity
        case .unidentifiable(let unidentified), .failed(let unidentified, _):
            .unknown(ofUser: unidentified.uid)
        }
    }

    /// Nil if it is known.
    var unidentified: Unidentified? {
        switch self {
        case .known: nil
        case .unidentifiable(let unidentified), .failed(let unidentified, _): unidentified
        }
    }

    var failure: Failure? {
        if case .failed(_, let failure) = self { failure } else { nil }
    }
}

/// Identifies the programs behind connections.
protocol Identifier: Sendable {
    /// - Parameter confirm: asks the bus again about the same unique name.
    func identify(
        _ credentials: BusCredentials,
        confirm: @escaping @Sendable () async throws -> (uid: UInt32, pid: UInt32)
    ) async -> Identification
}

/// For clients of this process's own user, whose files it can read.
struct OwnIdentifier: Identifier {
    let resolver: IdentityResolver

    func identify(
        _ credentials: BusCredentials,
        confirm: @escaping @Sendable () async throws -> (uid: UInt32, pid: UInt32)
    ) async -> Identification {
        let finding = await resolver.finding(credentials, confirm: confirm)
        guard let error = finding.error else { return .known(finding.identity) }
        return Identification(error, ofUser: credentials.uid, isConfined: false)
    }
}
