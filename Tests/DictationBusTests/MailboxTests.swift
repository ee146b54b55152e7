import DBus
import DictationCore
import EventLoop
import Testing

@testable import DictationBus

/// Calls of connections that wait for something.
@EventLoopActor
@Suite struct MailboxTests {
    private let budgets = Budgets()
    private let desk: Desk

    init() { desk = Desk(budgets) }

    /// Sends calls and records what becomes of them.
    @EventLoopActor
    private final class Desk {
        var performed: [Int] = []
        var failed: [Int] = []
        var errors: [DBusError] = []
        /// The user of all connections, when it is known.
        var uid: UInt32?
        /// What calls wait for the first time that they are carried out.
        var holds: [Int: Mailboxes.Hold] = [:]
        private let budgets: Budgets
        private(set) lazy var mailboxes = Mailboxes(budgets: budgets) { [weak self] in
            .connection($0, uid: self?.uid)
        }

        init(_ budgets: Budgets) { self.budgets = budgets }

        func call(_ number: Int, from name: BusName = ":1.1", size: Int = 0, descriptors: Int = 0) {
            mailboxes.deliver(
                Mailboxes.Letter(
                    sender: name, size: size, descriptors: descriptors,
                    perform: { [self] in
                        if let hold = holds.removeValue(forKey: number) { return .waits(for: hold) }
                        performed.append(number)
                        return .taken
                    },
                    fail: { [self] error in
                        failed.append(number)
                        errors.append(error)
                    }))
        }
    }

    private func used(_ item: Budgets.Item, of payer: Budgets.Payer = .connection(":1.1")) -> Int {
        budgets.used(item, of: payer)
    }

    @Test func aCallIsCarriedOutAtOnceAndUsesNoBudget() {
        desk.call(1, size: 1 << 30)
        #expect(desk.performed == [1] && desk.failed.isEmpty)
        #expect(desk.mailboxes.isIdle && used(.waitingCalls) == 0)
    }

    @Test(arguments: [Mailboxes.Hold.identification, .restoring])
    func aCallThatWaitsKeepsItsPlace(_ hold: Mailboxes.Hold) {
        desk.holds[1] = hold
        for number in 1...3 { desk.call(number) }
        desk.call(10, from: ":1.2")
        #expect(desk.performed == [10] && !desk.mailboxes.isIdle)
        #expect(used(.waitingCalls) == 3)
        desk.mailboxes.resume(":1.1", hold)
        #expect(desk.performed == [10, 1, 2, 3])
        #expect(desk.mailboxes.isIdle && used(.waitingCalls) == 0 && used(.callBytes) == 0)
    }

    @Test func laterCallsWaitForAllOfSeveralThings() {
        desk.mailboxes.suspend(":1.1", .start)
        desk.call(1)
        desk.mailboxes.suspend(":1.1", .restoring)
        desk.mailboxes.resume(":1.1", .start)
        #expect(desk.performed.isEmpty)
        desk.mailboxes.resume(":1.1", .restoring)
        desk.mailboxes.resume(":1.1", .restoring)
        #expect(desk.performed == [1])
    }

    /// A Start among the calls that have waited makes the others wait again.
    @Test func aCallMaySuspendTheNext() {
        desk.holds = [1: .identification, 2: .restoring]
        for number in 1...3 { desk.call(number) }
        desk.mailboxes.resume(":1.1", .identification)
        #expect(desk.performed == [1])
        desk.mailboxes.resume(":1.1", .restoring)
        #expect(desk.performed == [1, 2, 3])
    }

    @Test func callsOfAConnectionThatIsGoneAreDropped() {
        desk.mailboxes.suspend(":1.1", .restoring)
        desk.call(1)
        desk.mailboxes.forget(":1.1")
        desk.mailboxes.resume(":1.1", .restoring)
        #expect(desk.performed.isEmpty && desk.failed.isEmpty)
        #expect(desk.mailboxes.isIdle && used(.waitingCalls) == 0)
    }

    @Test func callsOfAConnectionThatIsNotIdentifiedFail() {
        desk.holds[1] = .identification
        desk.call(1)
        desk.call(2)
        desk.mailboxes.fail(":1.1", .accessDenied("nobody knows"))
        #expect(desk.failed == [1, 2] && desk.performed.isEmpty && used(.waitingCalls) == 0)
        desk.call(3)
        #expect(desk.performed == [3])
    }

    @Test(arguments: [(0, 0, 128), (64 << 10, 0, 31), (0, 4, 6)])
    func tooManyAreRefusedAndThoseOfOthersAreTaken(size: Int, descriptors: Int, expected: Int) {
        desk.mailboxes.suspend(":1.1", .start)
        desk.mailboxes.suspend(":1.2", .start)
        for number in 1...300 { desk.call(number, size: size, descriptors: descriptors) }
        #expect(desk.failed.first == expected + 1)
        let failed = desk.failed.count
        desk.call(1000, from: ":1.2", size: size, descriptors: descriptors)
        #expect(desk.failed.count == failed)
        desk.mailboxes.resume(":1.1", .start)
        #expect(desk.performed == Array(1...expected))
    }

    /// The user is known after the first calls. All connections of the user share a budget.
    @Test func callsThatDoNotFitTheUsersBudgetAreRefused() {
        let names: [BusName] = [":1.1", ":1.2", ":1.3", ":1.4", ":1.5"]
        for name in names {
            desk.mailboxes.suspend(name, .identification)
            for number in 1...110 { desk.call(number, from: name) }
        }
        #expect(desk.failed.isEmpty)
        desk.uid = 1
        for name in names { desk.mailboxes.charge(name) }
        // 512 of a user.
        #expect(desk.failed == Array(73...110))
        #expect(used(.waitingCalls, of: .user(1)) == 512)
    }

    @Test func allConnectionsTogetherAreLimitedInBytes() {
        var bytes = 0
        for number in 0..<100_000 {
            guard let name = BusName(":1.\(number)") else { break }
            desk.mailboxes.suspend(name, .identification)
            desk.call(number, from: name, size: 512 << 10)
            guard desk.failed.isEmpty else { break }
            bytes += 512 << 10
        }
        #expect(bytes <= Budgets.Item.callBytes.limits.all ?? 0)
        #expect(bytes > 32 << 20)
    }

    // MARK: The idle exit

    @Test func callsDuringTheIdleExitAreCarriedOutInTheOrderOfArrival() {
        desk.mailboxes.hold()
        #expect(desk.mailboxes.isIdle)
        for number in 0..<10 { desk.call(number, from: number.isMultiple(of: 2) ? ":1.1" : ":1.2") }
        #expect(!desk.mailboxes.isIdle && desk.performed.isEmpty)
        desk.mailboxes.release()
        #expect(desk.performed == Array(0..<10))
        #expect(desk.mailboxes.isIdle && used(.waitingCalls) == 0)
        desk.call(10)
        #expect(desk.performed.last == 10)
    }

    @Test func theIdleExitDoesNotCarryOutCallsThatWaitForSomethingElse() {
        desk.mailboxes.suspend(":1.1", .start)
        desk.mailboxes.hold()
        desk.call(1)
        desk.call(2, from: ":1.2")
        desk.mailboxes.resume(":1.1", .start)
        #expect(desk.performed.isEmpty)
        desk.mailboxes.suspend(":1.1", .start)
        desk.mailboxes.release()
        #expect(desk.performed == [2])
    }

    @Test func tooManyCallsDuringTheIdleExitAreAskedToCallAgain() {
        desk.mailboxes.hold()
        for number in 1...129 { desk.call(number) }
        #expect(desk.failed == [129])
        #expect(desk.errors.first?.message.contains("call again") == true)
    }
}
