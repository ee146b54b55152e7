import Testing

@testable import DictationService

@Suite struct UserBudgetTests {
    private let budgets = UserBudgets()
    private let item = UserBudgets.Item.agentCalls

    /// Takes leases up to the limit.
    private func exhaust(_ account: UserBudgets.Account) -> [UserBudgets.Lease] {
        var leases: [UserBudgets.Lease] = []
        while let lease = budgets.lease(item, of: account) { leases.append(lease) }
        return leases
    }

    @Test func aUserHasNoMoreThanTheLimit() {
        let leases = exhaust(.user(1))
        #expect(leases.count == item.limit)
        #expect(budgets.lease(item, of: .user(2)) != nil)
    }

    @Test func anEndedLeaseIsGivenBackOnce() {
        let leases = exhaust(.user(1))
        leases[0].end()
        leases[0].end()
        #expect(budgets.used(item, of: .user(1)) == item.limit - 1)
    }

    @Test func aReleasedLeaseIsGivenBack() {
        var leases = exhaust(.user(1))
        #expect(!leases.isEmpty)
        leases = []
        #expect(budgets.used(item, of: .user(1)) == 0)
    }

    @Test func anAmountIsCountedAsAWhole() {
        let lease = budgets.lease(.waitingBytes, UserBudgets.Item.waitingBytes.limit - 1, of: .user(1))
        #expect(lease != nil)
        #expect(budgets.lease(.waitingBytes, 2, of: .user(1)) == nil)
        #expect(budgets.lease(.waitingBytes, 1, of: .user(1)) != nil)
    }

    /// Otherwise the bus would refuse the service's calls for all users.
    @Test func reservesAPartForNewUsers() {
        let leases = (1...UInt32(20)).flatMap { exhaust(.user($0)) }
        #expect(leases.count < item.totalLimit ?? 0)
        #expect(budgets.lease(item, of: .user(21)) != nil)
    }

    @Test func unansweredCallsStayBelowTheBusLimit() {
        let items = [UserBudgets.Item.agentCalls, .systemQuestions, .pings]
        // Below the default system bus's limit for a connection.
        #expect(items.compactMap(\.totalLimit).count == 3)
        #expect(items.compactMap(\.totalLimit).reduce(0, +) < 128)
    }
}
