import DictationCore
import Glibc
import Testing

@testable import ClientIdentity
@testable import DictationBroker
@testable import DictationBus

/// When a caller is identified again.
@Suite struct KnownCallerTests {
    private let begin = SuspendingClock.now
    private let name = ClientName(":1.1")
    private let unidentified = Identification.Unidentified(uid: 1000, reason: "", isConfined: false)

    private func known(
        _ found: Identification, after previous: KnownCaller? = nil, at now: SuspendingClock.Instant? = nil
    ) -> KnownCaller {
        KnownCaller(name, found, after: previous, at: now ?? begin)
    }

    @Test func aCertainIdentityIsNotAskedForAgain() {
        let identity = Identity(uid: 1000, kind: .executable, id: "/bin/editor")
        for found in [.known(identity), .unidentifiable(unidentified)] as [Identification] {
            let known = known(found)
            #expect(!known.mayBeAskedAbout(at: begin + .seconds(100_000)))
            #expect(known.caller.client.identity == found.identity)
        }
    }

    /// After 1 s, doubled by each failure in a row up to 60 s.
    @Test(arguments: [Identification.Failure.worker, .shortage])
    func failuresDelayTheNextQuestion(failure: Identification.Failure) {
        var now = begin
        var previous: KnownCaller?
        for delay in [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60] {
            let next = known(.failed(unidentified, failure), after: previous, at: now)
            #expect(
                !next.mayBeAskedAbout(at: now + .seconds(delay) - .nanoseconds(1)),
                "\(delay)")
            now += .seconds(delay)
            #expect(next.mayBeAskedAbout(at: now), "\(delay)")
            previous = next
        }
        // Another result resets the delay.
        let answered = known(.unidentifiable(unidentified), after: previous, at: now)
        let failed = known(.failed(unidentified, failure), after: answered, at: now)
        #expect(failed.mayBeAskedAbout(at: now + .seconds(1)))
    }

    /// A worker that has come may know the client. A shortage has nothing to do with it.
    @Test func aNewWorkerEndsTheDelay() {
        var previous: KnownCaller?
        for _ in 0..<8 { previous = known(.failed(unidentified, .worker), after: previous) }
        var waiting = known(.failed(unidentified, .worker), after: previous)
        #expect(!waiting.mayBeAskedAbout(at: begin + .seconds(50)))
        waiting.workerStarted(at: begin + .seconds(3))
        #expect(waiting.mayBeAskedAbout(at: begin + .seconds(3)))
        // If it does not know it either, the delays begin again.
        let next = known(.failed(unidentified, .worker), after: waiting, at: begin + .seconds(4))
        #expect(next.mayBeAskedAbout(at: begin + .seconds(5)))
        var short = known(.failed(unidentified, .shortage))
        short.workerStarted(at: begin)
        #expect(!short.mayBeAskedAbout(at: begin))
    }

    /// A shortage is this process's own.
    @Test func aShortageIsNeverRememberedForTheConnection() {
        for code in [EMFILE, ENFILE, ENOMEM, EAGAIN] {
            let error = IdentityError(.unreadable, "pthread_create", code: code)
            let own = known(Identification(error, ofUser: 1000, isConfined: false))
            #expect(own.mayBeAskedAbout(at: begin + .seconds(1)))
            let named = Identity(uid: 1000, kind: .executable, id: "/bin/editor")
            let found = WorkerIdentifier.identification(.confined(error), .identity(named), uid: 1000)
            #expect(found.failure == .shortage && found.unidentified?.isConfined == true)
        }
        let foreign = IdentityError(.foreign, "uid_map", code: 0)
        let confined = WorkerIdentifier.identification(.confined(foreign), .failed("no worker"), uid: 1000)
        #expect(confined.failure == .worker && confined.unidentified?.isConfined == true)
    }
}
