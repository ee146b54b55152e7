import ClientIdentity
import DictationCore
import EventLoop
import Glibc

/// Resolves identities as another user or in a pid namespace, which a test cannot do itself.
@main
enum IdentityProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.dropFirst().map(\.self)) {
        case ("whois", let rest) where rest.count == 2:
            guard let uid = UInt32(rest[0]), let pid = UInt32(rest[1]) else { break }
            let finding = try await IdentityResolver().finding(pid: pid, uid: uid)
            print(finding.identity.kind.rawValue, finding.identity.id, finding.error?.description ?? "")
            return
        case ("reuse", let rest) where rest.count == 3:
            guard let trials = Int(rest[0]) else { break }
            let tally = try await PidReuse(attacker: rest[1], victim: rest[2]).run(trials: trials)
            print(tally)
            exit(tally.wrong == 0 && tally.trials == trials ? 0 : 1)
        default: break
        }
        print("usage: identity-probe whois UID PID | reuse TRIALS ATTACKER VICTIM")
        exit(2)
    }
}
