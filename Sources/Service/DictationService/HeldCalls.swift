import DBus
import DictationCore
import EventLoop

/// Calls that are held during the idle exit. The budgets for waiting calls limit them. They are carried out if the
/// service goes on.
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
    ///   - size: bytes of the call's arguments.
    ///   - descriptors: descriptors in the arguments.
    ///   - caller: not identified yet.
    /// - Throws: the error for the caller if too much waits.
    mutating func add(
        size: Int, descriptors: Int, of caller: BusName, _ perform: @escaping @EventLoopActor () -> Void
    ) throws(Refusal) {
        do throws(Refusal) {
            let leases = try budgets.leases(forCallOf: size, descriptors, by: .connection(caller))
            calls.append(Held(leases: leases, perform: perform))
        } catch {
            throw Refusal(
                .limitExceeded,
                "The service is about to end, and too many calls wait: call again."
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
