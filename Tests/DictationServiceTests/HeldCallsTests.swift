import DBus
import DictationCore
import EventLoop
import Testing

@testable import DictationService

/// Calls during the idle exit.
@Suite struct HeldCallsTests {
    private let budgets = UserBudgets()

    @EventLoopActor
    @Test func callsArePerformedInOrderAndNoLongerCount() throws {
        var held = HeldCalls(budgets: budgets)
        #expect(held.isEmpty)
        let performed = Lock<[Int]>([])
        for number in 0..<10 {
            try held.add(size: 100, descriptors: 0, of: ":1.1") { performed.withLock { $0.append(number) } }
        }
        #expect(!held.isEmpty)
        for perform in held.takeAll() { perform() }
        #expect(performed.withLock { $0 } == Array(0..<10))
        #expect(held.isEmpty)
        #expect(budgets.used(.waitingCalls, of: .connection(":1.1")) == 0)
    }

    @Test(arguments: [(0, 0, 256), (64 << 10, 0, 63), (0, 4, 8)])
    func tooManyAreRefusedAndOthersAreTaken(size: Int, descriptors: Int, expected: Int) throws {
        var held = HeldCalls(budgets: budgets)
        var taken = 0
        let refusal = #expect(throws: Refusal.self) {
            while taken < 10_000 {
                try held.add(size: size, descriptors: descriptors, of: ":1.1") {}
                taken += 1
            }
        }
        #expect(taken == expected)
        #expect(refusal?.kind == .limitExceeded)
        #expect(refusal?.message.contains("call again") == true)
        try held.add(size: size, descriptors: descriptors, of: ":1.2") {}
    }

    @Test func allConnectionsTogetherAreLimitedInBytes() {
        var held = HeldCalls(budgets: budgets)
        var bytes = 0
        for number in 0..<100_000 {
            guard let name = BusName(":1.\(number)"),
                (try? held.add(size: 512 << 10, descriptors: 0, of: name) {}) != nil
            else { break }
            bytes += 512 << 10
        }
        #expect(bytes <= UserBudgets.Item.waitingBytes.totalLimit ?? 0)
        #expect(bytes > 32 << 20)
    }
}
