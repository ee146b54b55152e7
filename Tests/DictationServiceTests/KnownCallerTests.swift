import DictationCore
import Testing

@testable import DictationService

/// When a caller is identified again.
@Suite struct KnownCallerTests {
    private let begin = SuspendingClock.now
    private let caller = Caller(
        client: Client(
            name: ClientName(":1.1"), identity: Identity(uid: 1000, kind: .unknown, id: "")))

    private func found(isProvisional: Bool, hasFailed: Bool) -> Identification {
        Identification(
            identity: caller.client.identity, isProvisional: isProvisional, hasFailed: hasFailed)
    }

    @Test func aCertainIdentityIsNotAskedForAgain() {
        let known = KnownCaller(caller, found(isProvisional: false, hasFailed: false), after: nil, at: begin)
        #expect(!known.mayBeAskedAbout(at: begin + .seconds(100_000)))
    }

    @Test func anUnknownIdentityIsAskedForAgain() {
        let known = KnownCaller(caller, found(isProvisional: true, hasFailed: false), after: nil, at: begin)
        #expect(known.mayBeAskedAbout(at: begin))
    }

    /// After 1 s, doubled by each failure in a row up to 60 s.
    @Test func failuresDelayTheNextQuestion() {
        var now = begin
        var known: KnownCaller?
        for delay in [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60] {
            let next = KnownCaller(caller, found(isProvisional: true, hasFailed: true), after: known, at: now)
            #expect(!next.mayBeAskedAbout(at: now + .seconds(delay) - .nanoseconds(1)), "\(delay)")
            now += .seconds(delay)
            #expect(next.mayBeAskedAbout(at: now), "\(delay)")
            known = next
        }
        // An answer resets the delay.
        let answered = KnownCaller(
            caller, found(isProvisional: true, hasFailed: false), after: known, at: now)
        let failed = KnownCaller(
            caller, found(isProvisional: true, hasFailed: true), after: answered, at: now)
        #expect(failed.mayBeAskedAbout(at: now + .seconds(1)))
    }
}
