import DBus
import DictationCore
import DictationInterface

/// Who may call what. Every call comes through here, and what is not listed is refused.
struct AccessPolicy: Sendable {
    /// What a caller is, as far as this matters.
    enum CallerKind: Hashable, Sendable, CaseIterable {
        /// A program of the user, outside any sandbox.
        case program
        /// An application in a sandbox.
        case sandboxed
        /// A connection of the user of which nothing else is certain.
        case unknown
        /// Another user's.
        case stranger
    }

    /// The user whose bus it is; nil where it is everybody's, and each has a world.
    let uid: UInt32?

    private static let everyone: Set<CallerKind> = [.program, .sandboxed, .unknown]
    private static let programs: Set<CallerKind> = [.program]

    private static let dictation: [DictationMethod: Set<CallerKind>] = [
        .start: everyone, .pause: everyone, .resume: everyone, .commit: everyone, .cancel: everyone,
        .stop: everyone, .stopAll: programs, .subscribe: everyone, .getSession: everyone,
        .requestPermission: everyone,
        .checkPermission: everyone, .listRoutes: everyone, .selectRoute: programs,
    ]
    private static let permissions: [DictationPermissionsMethod: Set<CallerKind>] = [
        .list: programs, .set: programs, .forget: programs, .log: programs,
    ]
    private static let agents: [DictationAgentManagerMethod: Set<CallerKind>] = [
        .register: programs, .unregister: programs, .setScreenSavers: programs,
        .setEngines: programs,
        .setWords: programs,
    ]

    /// What to do instead of a call that is refused.
    private static let hints: [DictationMethod: String] = [
        .selectRoute: "Give Start the option 'route'."
    ]

    /// Who may call a method.
    static func callers(of member: MemberName, _ interface: InterfaceName) -> Set<CallerKind> {
        let callers =
            switch interface {
            case DictationInterface.name: DictationMethod(rawValue: member.rawValue).flatMap { dictation[$0] }
            case DictationPermissionsInterface.name:
                DictationPermissionsMethod(rawValue: member.rawValue).flatMap { permissions[$0] }
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

    /// Nil where `caller` may make this call. The answer is the same whether or not what is asked for exists.
    func refusal(of member: MemberName, _ interface: InterfaceName, by caller: Caller) -> Refusal? {
        let kind = kind(of: caller.client.identity)
        if Self.callers(of: member, interface).contains(kind) { return nil }
        // Where agents say who a client is, nobody says it of the first.
        if uid == nil, interface == DictationAgentManagerInterface.name, kind == .unknown, !caller.isConfined
        {
            return nil
        }
        let hint =
            DictationMethod(rawValue: member.rawValue).flatMap { Self.hints[$0] }.map { " \($0)" } ?? ""
        return switch kind {
        case .stranger: Refusal(.accessDenied, "This service belongs to another user.")
        case .sandboxed: Refusal(.accessDenied, "Applications in a sandbox may not call \(member).\(hint)")
        case .unknown, .program: Refusal(.accessDenied, "This program may not call \(member).\(hint)")
        }
    }
}
