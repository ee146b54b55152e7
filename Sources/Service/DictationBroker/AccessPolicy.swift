import DBus
import DictationBus
import DictationCore
import DictationInterface

/// The access rules. Every call is checked here, and a method that is not listed is refused.
struct AccessPolicy: Sendable {
    /// The kinds of callers.
    enum CallerKind: Hashable, Sendable, CaseIterable {
        /// A program of the user, outside any sandbox.
        case program
        /// An application in a sandbox.
        case sandboxed
        /// A connection of the user whose program could not be identified.
        case unknown
        /// Another user's connection.
        case stranger
    }

    /// The user of a session bus; nil on the system bus, where each user has a world.
    let uid: UInt32?

    private static let everyone: Set<CallerKind> = [.program, .sandboxed, .unknown]
    private static let identified: Set<CallerKind> = [.program, .sandboxed]
    private static let programs: Set<CallerKind> = [.program]

    private static let dictation: [DictationMethod: Set<CallerKind>] = [
        .start: everyone, .pause: everyone, .resume: everyone, .commit: everyone, .cancel: everyone,
        .stop: everyone, .stopAll: programs, .subscribe: everyone, .getSession: everyone,
        .requestPermission: everyone,
        .checkPermission: everyone, .listRoutes: everyone, .selectRoute: programs,
    ]
    private static let typing: [DictationTypingMethod: Set<CallerKind>] = [
        .beginField: identified, .show: identified, .insert: identified, .replaceLast: identified,
        .release: identified,
        .toggle: programs, .finish: programs, .pause: programs, .resume: programs, .commit: programs,
        .undo: programs,
    ]
    private static let permissions: [DictationPermissionsMethod: Set<CallerKind>] = [
        .list: programs, .set: programs, .forget: programs, .log: programs,
        .check: programs,
    ]
    private static let history: [DictationHistoryMethod: Set<CallerKind>] = [
        .list: programs, .get: programs, .forget: programs, .clear: programs, .again: programs,
        .keep: everyone,
    ]
    private static let agents: [DictationAgentManagerMethod: Set<CallerKind>] = [
        .register: programs, .unregister: programs,
    ]

    /// A hint for calls that are refused.
    private static let hints: [DictationMethod: String] = [
        .selectRoute: "Give Start the option 'route'."
    ]

    /// The callers that may call a method.
    static func callers(of member: MemberName, _ interface: InterfaceName) -> Set<CallerKind> {
        let callers =
            switch interface {
            case DictationInterface.name: DictationMethod(rawValue: member.rawValue).flatMap { dictation[$0] }
            case DictationTypingInterface.name:
                DictationTypingMethod(rawValue: member.rawValue).flatMap { typing[$0] }
            case DictationPermissionsInterface.name:
                DictationPermissionsMethod(rawValue: member.rawValue).flatMap { permissions[$0] }
            case DictationHistoryInterface.name:
                DictationHistoryMethod(rawValue: member.rawValue).flatMap { history[$0] }
            case DictationAgentManagerInterface.name:
                DictationAgentManagerMethod(rawValue: member.rawValue).flatMap { agents[$0] }
            default: nil as Set<CallerKind>?
            }
        return callers ?? []
    }

    func kind(of caller: Identity) -> CallerKind {
        if let uid, caller.uid != uid { return .stranger }
        if caller.isSandboxed { return .sandboxed }
        return caller.kind == .unknown ? .unknown : .program
    }

    /// Nil if `caller` may make this call. The result does not depend on whether the named object exists.
    func refusal(of member: MemberName, _ interface: InterfaceName, by caller: Caller) -> Refusal? {
        let kind = kind(of: caller.client.identity)
        if Self.callers(of: member, interface).contains(kind) { return nil }
        let hint =
            DictationMethod(rawValue: member.rawValue).flatMap { Self.hints[$0] }.map { " \($0)" } ?? ""
        return switch kind {
        case .stranger: Refusal(.accessDenied, "This service belongs to another user.")
        case .sandboxed: Refusal(.accessDenied, "Applications in a sandbox may not call \(member).\(hint)")
        case .unknown, .program: Refusal(.accessDenied, "This program may not call \(member).\(hint)")
        }
    }
}
