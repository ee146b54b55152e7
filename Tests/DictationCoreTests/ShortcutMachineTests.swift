import DictationCore
import Testing

@Suite struct ShortcutMachineTests {
    /// A key, and a clock in milliseconds.
    private struct Desk {
        var machine = ShortcutMachine()
        var done: [ShortcutMachine.Effect] = []

        mutating func feed(_ event: ShortcutMachine.Event, at milliseconds: Int) {
            done += machine.handle(event, at: .milliseconds(milliseconds))
        }

        /// The signals of GNOME 48: repeats after the keyboard's delay, then every 33 ms, and no release.
        mutating func hold(from start: Int, to end: Int, delay: Int = 500) {
            feed(.activated, at: start)
            for time in stride(from: start + delay, through: end, by: 33) { feed(.activated, at: time) }
        }
    }

    /// Milliseconds from press to release × what the release does.
    @Test(arguments: [(0, false), (399, false), (400, true), (5000, true)])
    func aTapTogglesAndAHoldTalks(_ lasts: Int, isHold: Bool) {
        var desk = Desk()
        desk.feed(.activated, at: 10_000)
        desk.feed(.deactivated, at: 10_000 + lasts)
        #expect(desk.done == (isHold ? [.toggle, .finish] : [.toggle]))
        #expect(desk.machine.deadline == nil)
    }

    /// The keyboard's delay.
    @Test(arguments: [100, 500, 2000])
    func silenceAfterRepeatsIsARelease(delay: Int) {
        var desk = Desk()
        desk.hold(from: 0, to: 3000, delay: delay)
        #expect(desk.done == [.toggle])
        let due = desk.machine.deadline
        desk.feed(.timeout, at: 3000)
        #expect(desk.done == [.toggle])
        #expect(desk.machine.deadline == due)
        desk.feed(.timeout, at: 3200)
        #expect(desk.done == [.toggle, .finish])
        desk.feed(.activated, at: 4000)
        #expect(desk.done == [.toggle, .finish, .toggle])
    }

    /// The computer has been on for a day.
    @Test func repeatsArePartOfAHoldAtAnyTime() {
        var desk = Desk()
        desk.hold(from: 86_400_000, to: 86_403_000)
        #expect(desk.done == [.toggle])
    }

    /// Late signals, as on a busy machine, are not another press.
    @Test func lateRepeatsBelongToTheHold() {
        var desk = Desk()
        desk.hold(from: 0, to: 1000)
        desk.feed(.timeout, at: 1250)
        for time in stride(from: 1260, to: 3000, by: 33) { desk.feed(.activated, at: time) }
        #expect(desk.done == [.toggle, .finish])
        desk.feed(.deactivated, at: 3000)
        desk.feed(.activated, at: 3050)
        #expect(desk.done == [.toggle, .finish, .toggle])
    }

    @Test func aKeyThatIsNoLongerBoundIsUp() {
        var desk = Desk()
        desk.hold(from: 0, to: 1000)
        desk.feed(.unbound, at: 1010)
        #expect(desk.machine.deadline == nil)
        desk.feed(.activated, at: 1020)
        #expect(desk.done == [.toggle, .finish, .toggle])
    }

    @Test func aPressAfterALostReleaseCounts() {
        var desk = Desk()
        desk.feed(.activated, at: 0)
        desk.feed(.activated, at: 2001)
        #expect(desk.done == [.toggle, .toggle])
    }

    @Test func aHoldIsBoundedInTime() {
        var desk = Desk()
        desk.feed(.activated, at: 0)
        #expect(desk.machine.deadline == ShortcutMachine.holdLimit)
        desk.feed(.timeout, at: 600_000)
        #expect(desk.done == [.toggle, .finish])

        var repeating = Desk()
        repeating.hold(from: 0, to: 599_990)
        repeating.feed(.timeout, at: 600_000)
        for time in stride(from: 600_010, to: 610_000, by: 33) { repeating.feed(.activated, at: time) }
        #expect(repeating.done == [.toggle, .finish])
    }

    @Test func losingTheBindingEndsAHold() {
        var desk = Desk()
        desk.feed(.unbound, at: 0)
        #expect(desk.done == [])
        desk.feed(.activated, at: 10)
        desk.feed(.unbound, at: 20)
        #expect(desk.done == [.toggle, .finish])
    }

    @Test(arguments: [
        ("idle", ToggleStep.start), ("paused", .resume), ("starting", .finish), ("listening", .finish),
        ("interrupted", .finish), ("another", .finish),
    ])
    func theToggleDependsOnTheState(_ state: String, step: ToggleStep) {
        #expect(ToggleStep(inState: state) == step)
    }
}
