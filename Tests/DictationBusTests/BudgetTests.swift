import DBus
import DictationCore
import Testing

@testable import DictationBus

@Suite struct BudgetTests {
    private let budgets = Budgets()

    private static func caller(_ number: Int, uid: UInt32 = 1, application: Int? = nil) -> Budgets.Payer {
        let identity = Identity(uid: uid, kind: .executable, id: "/bin/\(application ?? number)")
        return .caller(identity, BusName(":1.\(number)") ?? ":1.0")
    }

    /// Takes leases up to the limit.
    private func exhaust(
        _ item: Budgets.Item, by amount: Int = 1, _ payer: Budgets.Payer
    ) -> [Budgets.Lease] {
        var leases: [Budgets.Lease] = []
        while let lease = budgets.lease(item, amount, of: payer) { leases.append(lease) }
        return leases
    }

    @Test func aUserHasNoMoreThanTheLimit() {
        let leases = exhaust(.agentCalls, .user(1))
        #expect(leases.count == Budgets.Item.agentCalls.limits.user)
        #expect(budgets.lease(.agentCalls, of: .user(2)) != nil)
    }

    @Test(arguments: [(Budgets.Item.calls, "wait for replies"), (.recordings, "stop a session")])
    func theErrorSaysWhatToDo(item: Budgets.Item, remedy: String) {
        let caller = Self.caller(1)
        let leases = exhaust(item, caller)
        withExtendedLifetime(leases) {
            let refusal = #expect(throws: Refusal.self) { try budgets.requireLease(item, of: caller) }
            #expect(refusal?.kind == .limitExceeded)
            #expect(refusal?.message.contains(remedy) == true, "\(refusal?.message ?? "")")
        }
    }

    /// Of everything that a client can cause.
    @Test(arguments: Budgets.Item.allCases.filter { $0.limits.application != nil })
    func oneApplicationLeavesSomethingToTheOthersOfItsUser(item: Budgets.Item) {
        // From several connections.
        let amount = max(1, (item.limits.application ?? 1) / 128)
        let leases = (0..<3).flatMap { exhaust(item, by: amount, Self.caller($0, application: 1)) }
        #expect(leases.count * amount == item.limits.application)
        #expect(budgets.lease(item, of: Self.caller(4)) != nil)
        #expect(budgets.lease(item, of: Self.caller(5, uid: 2)) != nil)
    }

    @Test(arguments: Budgets.Item.allCases.filter { $0.limits.user != nil })
    func oneUserLeavesSomethingToTheOthers(item: Budgets.Item) {
        let amount = max(1, (item.limits.application ?? 1) / 4)
        var leases: [Budgets.Lease] = []
        for number in 0..<200 {
            while let lease = budgets.lease(item, amount, of: Self.caller(number)) { leases.append(lease) }
        }
        #expect(leases.count * amount <= item.limits.user ?? 0)
        #expect(budgets.lease(item, amount, of: Self.caller(1, uid: 2)) != nil)
    }

    /// A program could open many.
    @Test func unidentifiedConnectionsOfAUserShareItsBudget() {
        let identity = Identity.unknown(ofUser: 1)
        let leases = (0..<500).flatMap { number in
            exhaust(.inputs, .caller(identity, BusName(":1.\(number)") ?? ":1.0"))
        }
        #expect(leases.count == Budgets.Item.inputs.limits.user)
    }

    @Test func theFirstCallsOfAConnectionAreCountedBeforeItsUserIsKnown() {
        let leases = exhaust(.waitingCalls, .connection(":1.1"))
        #expect(leases.count == Budgets.Item.waitingCalls.limits.application)
        #expect(budgets.lease(.waitingCalls, of: .connection(":1.2")) != nil)
    }

    @Test func callsToStopAreLimitedForTheirConnectionAlone() {
        let stopping = (0..<100).map { exhaust(.stoppingCalls, Self.caller($0, application: 1)) }
        #expect(stopping.allSatisfy { $0.count == Budgets.Item.stoppingCalls.limits.connection })
    }

    @Test func anEndedLeaseIsGivenBackOnce() {
        let payer = Self.caller(1)
        let leases = exhaust(.inputs, payer)
        leases[0].end()
        leases[0].end()
        #expect(budgets.used(.inputs, of: payer) == leases.count - 1)
    }

    @Test func aReleasedLeaseIsGivenBack() {
        var leases = exhaust(.inputs, Self.caller(1))
        #expect(!leases.isEmpty)
        leases = []
        #expect(budgets.used(.inputs, of: Self.caller(1)) == 0)
        #expect(budgets.used(.inputs, of: .user(1)) == 0)
    }

    @Test func anAmountIsCountedAsAWhole() {
        let limit = Budgets.Item.callBytes.limits.application ?? 0
        let lease = budgets.lease(.callBytes, limit - 1, of: Self.caller(1))
        #expect(lease != nil)
        #expect(budgets.lease(.callBytes, 2, of: Self.caller(1)) == nil)
        #expect(budgets.lease(.callBytes, 1, of: Self.caller(1)) != nil)
    }

    /// A user can become many others, by subordinate users. The others have what all of these leave.
    @Test(arguments: Budgets.Item.allCases.filter { $0.limits.all != nil })
    func usersWhoWereNotAdmittedShareAQuarter(item: Budgets.Item) {
        let budgets = Budgets(limitsStrangers: true)
        budgets.admit(1)
        let (all, amount) = (item.limits.all ?? 0, max(1, (item.limits.user ?? 0) / 8))
        var leases: [Budgets.Lease] = []
        for uid in UInt32(100)..<200 {
            while let lease = budgets.lease(item, amount, of: .user(uid)) { leases.append(lease) }
        }
        #expect(leases.count == all / 4 / amount)
        var own: [Budgets.Lease] = []
        while let lease = budgets.lease(item, amount, of: .user(1)) { own.append(lease) }
        #expect(own.count == (item.limits.user ?? 0) / amount)
        leases = []
        #expect(budgets.lease(item, amount, of: .user(300)) != nil, "what they return is theirs again")
    }

    /// Otherwise the bus would refuse the service's calls for all users.
    @Test func reservesAPartForNewUsers() {
        let leases = (1...UInt32(20)).flatMap { exhaust(.agentCalls, .user($0)) }
        #expect(leases.count < Budgets.Item.agentCalls.limits.all ?? 0)
        #expect(budgets.lease(.agentCalls, of: .user(21)) != nil)
    }

    @Test func unansweredCallsStayBelowTheBusLimit() {
        let items = [Budgets.Item.agentCalls, .systemQuestions, .pings]
        // Below the default system bus's limit for a connection.
        #expect(items.compactMap(\.limits.all).count == 3)
        #expect(items.compactMap(\.limits.all).reduce(0, +) < 128)
    }

    /// Each input and recording is a descriptor of a call that is not closed yet.
    @Test func thereAreDescriptorsForAllInputsAndRecordings() {
        let (descriptors, inputs, recordings) = (
            Budgets.Item.descriptors.limits, Budgets.Item.inputs.limits, Budgets.Item.recordings.limits
        )
        for limit in [\Budgets.Limits.application, \.user, \.all] {
            let needed = (inputs[keyPath: limit] ?? 0) + (recordings[keyPath: limit] ?? 0)
            #expect(descriptors[keyPath: limit] ?? 0 >= needed)
        }
    }
}
