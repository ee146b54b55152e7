import ClientIdentity
import DBus
import DictationCore
import DictationInterface

/// For clients of any user: what of a process is closed to other users, an agent of its user reads.
///
/// The process is held meanwhile. That it is in a sandbox this process sees for itself, as far as it can be seen from
/// outside, so that no agent can say otherwise.
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
            let agent =
                mayWait
                ? await agents.nextIdentifier(ofUser: uid) : await agents.latest(.identify, ofUser: uid)
            var told: Identity?
            var failure: String?
            do {
                told = try await agent?.identity(of: process, uid: uid)
            } catch {
                failure = "the agent did not tell: \(error)"
            }
            // What was told of this number was told of this process.
            guard process.isAlive else {
                return Identification(identity: unknown, doubt: "the process has ended")
            }
            switch outline {
            case .sandboxed(let seen):
                // Flatpak's own file, which the agent has read, says the same or more.
                return Identification(identity: told?.kind == seen.kind ? told ?? seen : seen)
            case .confined(let doubt):
                let isSandboxed = told?.isSandboxed ?? false
                return Identification(
                    identity: isSandboxed ? told ?? unknown : unknown, doubt: isSandboxed ? nil : "\(doubt)",
                    isConfined: true, isProvisional: agent == nil || failure != nil,
                    hasFailed: failure != nil)
            case .open:
                return Identification(
                    identity: told ?? unknown,
                    doubt: agent == nil ? "no agent is there to tell" : failure,
                    isProvisional: agent == nil || failure != nil, hasFailed: failure != nil)
            }
        } catch {
            return Identification(identity: unknown, doubt: "\(error)", isConfined: true)
        }
    }
}

extension RegisteredAgent {
    /// What the agent says of a process that is held.
    fileprivate func identity(of process: HeldProcess, uid: UInt32) async throws -> Identity {
        let told = try await proxy.identify(
            pid: UInt32(process.pid), options: [:], timeout: Self.patience)
        let kind = told[ClientKey.kind].flatMap { BusText($0) }.flatMap { Identity.Kind($0) }
        let id = told[ClientKey.id].flatMap { String($0) } ?? ""
        guard let kind, kind != .unknown, !id.isEmpty, id.utf8.count <= Self.longestID else {
            return Identity(uid: uid, kind: .unknown, id: "")
        }
        return Identity(uid: uid, kind: kind, id: id)
    }

    /// In bytes; a path has 4096 at most.
    private static let longestID = 4096
}
