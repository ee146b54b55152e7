import ClientIdentity
import DBus
import DictationCore
import DictationInterface

/// Identifies clients of any user. An agent of the user reads those files of a process that are closed to other users.
///
/// The process is held meanwhile. This process checks for a sandbox itself, as far as that is visible from outside, so
/// that an agent cannot hide it.
struct AgentIdentifier: Identifier {
    let resolver: IdentityResolver
    let agents: AgentRegistry

    func identify(
        _ credentials: BusCredentials, mayWait: Bool,
        confirm: @escaping @Sendable () async throws -> (uid: UInt32, pid: UInt32)
    ) async -> Identification {
        let uid = credentials.uid
        let unknown = Identity(uid: uid, kind: .unknown, id: "")
        do {
            let process = try await resolver.hold(credentials, confirm: confirm)
            let outline = await resolver.outline(of: process, uid: uid)
            let (told, failure) = await identity(of: process, uid: uid, mayWait: mayWait)
            // The process is still alive, so the answer belongs to it.
            guard process.isAlive else {
                return Identification(identity: unknown, failure: "the process has ended")
            }
            switch outline {
            case .sandboxed(let seen):
                // The agent has read Flatpak's own file, which contains at least as much.
                return Identification(identity: told?.kind == seen.kind ? told ?? seen : seen)
            case .confined(let reason):
                let isSandboxed = told?.isSandboxed ?? false
                return Identification(
                    identity: isSandboxed ? told ?? unknown : unknown,
                    failure: isSandboxed ? nil : "\(reason)",
                    isConfined: true, isProvisional: told == nil, hasFailed: failure != nil)
            case .open:
                return Identification(
                    identity: told ?? unknown,
                    failure: told == nil ? failure ?? "no agent can identify it" : nil,
                    isProvisional: told == nil, hasFailed: failure != nil)
            }
        } catch {
            return Identification(
                identity: unknown, failure: "\(error)", isConfined: true, isProvisional: error.isShortage,
                hasFailed: error.isShortage, isShort: error.isShortage)
        }
    }

    /// An agent's answer about a held process, or its error; both are nil if there is no agent. An agent that fails is
    /// unregistered, and the next one is asked.
    private func identity(
        of process: HeldProcess, uid: UInt32, mayWait: Bool
    ) async -> (told: Identity?, failure: String?) {
        var failure: String?
        for attempt in 1...Self.attempts {
            let agent =
                mayWait && attempt == 1
                ? await agents.nextIdentifier(ofUser: uid) : await agents.latest(.identify, ofUser: uid)
            guard let agent else { break }
            do {
                return (Identity(told: try await agents.identify(process, by: agent), uid: uid), nil)
            } catch {
                failure = "\(error)"
            }
        }
        return (nil, failure)
    }

    private static let attempts = 2
}

extension Identity {
    /// An agent's answer about a client.
    fileprivate init(told: [BusText: Value], uid: UInt32) {
        let kind = told[ClientKey.kind].flatMap { BusText($0) }.flatMap { Identity.Kind($0) }
        let id = told[ClientKey.id].flatMap { String($0) } ?? ""
        guard let kind, kind != .unknown, !id.isEmpty, id.utf8.count <= Self.longestID else {
            self.init(uid: uid, kind: .unknown, id: "")
            return
        }
        self.init(uid: uid, kind: kind, id: id)
    }

    /// In bytes; a path has 4096 at most.
    private static let longestID = 4096
}
