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
        do {
            let process = try await resolver.hold(credentials, confirm: confirm)
            let outline = await resolver.outline(of: process, uid: uid)
            let answer = await identity(of: process, uid: uid, mayWait: mayWait)
            // The process is still alive, so the answer belongs to it.
            guard process.isAlive else {
                return .unidentifiable(
                    .init(uid: uid, reason: "the process has ended", isConfined: false))
            }
            return Self.identification(outline, answer, uid: uid)
        } catch {
            return Identification(error, ofUser: uid, isConfined: true)
        }
    }

    /// An agent's answer.
    enum Answer: Hashable {
        case identity(Identity)
        case noAgent
        case failed(String)
    }

    static func identification(_ outline: Outline, _ answer: Answer, uid: UInt32) -> Identification {
        switch (outline, answer) {
        // The agent has read Flatpak's own file, which contains at least as much.
        case (.sandboxed(let seen), .identity(let told)): .known(told.kind == seen.kind ? told : seen)
        case (.sandboxed(let seen), _): .known(seen)
        // Without threads or descriptors nothing was seen.
        case (.confined(let error), _) where error.isShortage:
            Identification(error, ofUser: uid, isConfined: true)
        case (.confined, .identity(let told)) where told.isSandboxed: .known(told)
        case (.confined(let error), .identity):
            .unidentifiable(.init(uid: uid, reason: "\(error)", isConfined: true))
        case (.open, .identity(let told)) where told.isKnown: .known(told)
        case (.open, .identity):
            .unidentifiable(.init(uid: uid, reason: "no agent knows it", isConfined: false))
        case (let outline, .noAgent):
            .failed(
                .init(uid: uid, reason: "no agent can identify it", isConfined: outline != .open), .noAgent)
        case (let outline, .failed(let reason)):
            .failed(.init(uid: uid, reason: reason, isConfined: outline != .open), .agent)
        }
    }

    /// An agent's answer about a held process. An agent that fails is unregistered, and the next one is asked.
    private func identity(
        of process: HeldProcess, uid: UInt32, mayWait: Bool
    ) async -> Answer {
        var answer = Answer.noAgent
        for attempt in 1...Self.attempts {
            let agent =
                mayWait && attempt == 1
                ? await agents.nextIdentifier(ofUser: uid) : await agents.latest(.identify, ofUser: uid)
            guard let agent else { break }
            do {
                return .identity(
                    Identity(told: try await agents.identify(process, by: agent), uid: uid))
            } catch {
                answer = .failed("\(error)")
            }
        }
        return answer
    }

    private static let attempts = 2
}

extension Identity {
    /// An agent's answer about a client.
    fileprivate init(told: [BusText: Value], uid: UInt32) {
        let kind = told[ClientKey.kind].flatMap { BusText($0) }.flatMap { Identity.Kind($0) }
        let id = told[ClientKey.id].flatMap { String($0) } ?? ""
        guard let kind, kind != .unknown, !id.isEmpty, id.utf8.count <= Self.longestID else {
            self = .unknown(ofUser: uid)
            return
        }
        self.init(uid: uid, kind: kind, id: id)
    }

    /// In bytes; a path has 4096 at most.
    private static let longestID = 4096
}
