import DBus
import DictationCore
import EventLoop

/// Calls that come while it is being decided whether the service leaves. They are bounded by the budgets for calls that
/// wait, and are performed if the service stays.
struct HeldCalls: Sendable {
    private struct Held: Sendable {
        let leases: [UserBudgets.Lease]
        let perform: @EventLoopActor () -> Void
    }

    private let budgets: UserBudgets
    private var calls: [Held] = []

    init(budgets: UserBudgets) { self.budgets = budgets }

    var isEmpty: Bool { calls.isEmpty }

    /// - Parameters:
    ///   - size: of the call's arguments, in bytes.
    ///   - descriptors: among the arguments.
    ///   - caller: who is not identified yet.
    /// - Throws: what the caller is answered where too much waits.
    mutating func add(
        size: Int, descriptors: Int, of caller: BusName, _ perform: @escaping @EventLoopActor () -> Void
    ) throws(Refusal) {
        do throws(Refusal) {
            let leases = try budgets.leases(forCallOf: size, descriptors, by: .connection(caller))
            calls.append(Held(leases: leases, perform: perform))
        } catch {
            throw Refusal(
                .limitExceeded,
                "The service is about to end, and too many calls wait: call again, and it goes on or is started anew."
            )
        }
    }

    /// Takes all calls, in order. They no longer count as waiting.
    mutating func takeAll() -> [@EventLoopActor () -> Void] {
        defer { calls = [] }
        for call in calls { for lease in call.leases { lease.end() } }
        return calls.map(\.perform)
    }
}
