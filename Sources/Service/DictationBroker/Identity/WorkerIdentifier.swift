import ClientIdentity
import DBus
import DictationBus
import DictationCore
import DictationInterface

/// Identifies clients of any user. The user's worker reads those files of a process that are closed to other users.
///
/// The process is held meanwhile. This process checks for a sandbox itself, as far as that is visible from outside, so
/// that a worker cannot hide it.
struct WorkerIdentifier: Identifier {
    let resolver: IdentityResolver
    /// The user's worker, which is started if there is none. Throws if it does not start.
    let worker: @Sendable (UInt32) async throws -> WorkerLink

    func identify(
        _ credentials: BusCredentials,
        confirm: @escaping @Sendable () async throws -> (uid: UInt32, pid: UInt32)
    ) async -> Identification {
        let uid = credentials.uid
        do {
            let process = try await resolver.hold(credentials, confirm: confirm)
            let outline = await resolver.outline(of: process, uid: uid)
            let answer = await answer(about: process, uid: uid)
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

    /// A worker's answer.
    enum Answer: Hashable {
        case identity(Identity)
        case failed(String)
    }

    static func identification(_ outline: Outline, _ answer: Answer, uid: UInt32) -> Identification {
        switch (outline, answer) {
        // The worker has read Flatpak's own file, which contains at least as much.
        case (.sandboxed(let seen), .identity(let named)): .known(named.kind == seen.kind ? named : seen)
        case (.sandboxed(let seen), _): .known(seen)
        // Without threads or descriptors nothing was seen.
        case (.confined(let error), _) where error.isShortage:
            Identification(error, ofUser: uid, isConfined: true)
        case (.confined, .identity(let named)) where named.isSandboxed: .known(named)
        case (.confined(let error), .identity):
            .unidentifiable(.init(uid: uid, reason: "\(error)", isConfined: true))
        case (.open, .identity(let named)) where named.isKnown: .known(named)
        case (.open, .identity):
            .unidentifiable(.init(uid: uid, reason: "the worker does not know it", isConfined: false))
        case (let outline, .failed(let reason)):
            .failed(.init(uid: uid, reason: reason, isConfined: outline != .open), .worker)
        }
    }

    private func answer(about process: HeldProcess, uid: UInt32) async -> Answer {
        do {
            return .identity(
                Identity(named: try await worker(uid).identify(UInt32(process.pid)), uid: uid))
        } catch {
            return .failed("\(error)")
        }
    }
}

extension Identity {
    /// A worker's answer about a client.
    fileprivate init(named details: [BusText: Value], uid: UInt32) {
        let kind = details[ClientKey.kind].flatMap { BusText($0) }.flatMap { Identity.Kind($0) }
        let id = details[ClientKey.id].flatMap { String($0) } ?? ""
        guard let kind, kind != .unknown, !id.isEmpty, id.utf8.count <= Self.longestID else {
            self = .unknown(ofUser: uid)
            return
        }
        self.init(uid: uid, kind: kind, id: id)
    }

    /// In bytes; a path has 4096 at most.
    private static let longestID = 4096
}
