import DictationCore
import DictationInterface
import DictationTestKit
import EventLoop
import Glibc
import Logging
import Testing

@testable import DBus
@testable import DictationBroker
@testable import DictationBus

/// How workers end, and how one that fails is replaced.
@Suite struct WorkerEndTests {
    @Test func aWorkerThatIsNotNeededEnds() async throws {
        try await withWorkers(linger: .milliseconds(500)) { rig in
            let peer = try await rig.greet(7)
            let proxy = DictationBrokerProxy(connection: peer, destination: .peer)
            try await proxy.needed(needed: true)
            #expect(!rig.workers.areIdle)
            try await proxy.needed(needed: false)
            #expect(rig.workers.areIdle)
            try await eventually("it is asked to end") { rig.ends == [7] }
            #expect(rig.starter.released == [7], "it is not started again when it ends")
            // A call that comes meanwhile starts another one.
            #expect(try rig.workers.link(of: 7, for: ":1.1") == nil)
            #expect(rig.started.isEmpty)
            await peer.close()
            try await eventually("another one is started") { rig.started == [7] }
        }
    }

    /// Its decoders stay loaded for a client that calls now and then.
    @Test func aWorkerIsKeptForSomeTimeAfterItsLastUse() async throws {
        try await withWorkers(linger: .milliseconds(500)) { rig in
            let peer = try await rig.greet(7)
            let proxy = DictationBrokerProxy(connection: peer, destination: .peer)
            let begin = SuspendingClock.now
            var lastUse = begin
            while rig.ends.isEmpty, SuspendingClock.now - begin < .milliseconds(800) {
                let now = SuspendingClock.now
                try await proxy.needed(needed: true)
                try await proxy.needed(needed: false)
                if rig.ends.isEmpty { lastUse = now }
            }
            try await eventually("it is asked to end") { rig.ends == [7] }
            #expect(SuspendingClock.now - lastUse >= .milliseconds(500))
        }
    }

    /// Its clients' calls, the user's next worker and the end of the service do not wait for it.
    @Test(.timeLimit(.minutes(1))) func aWorkerThatDoesNotEndIsCutOff() async throws {
        try await withWorkers(linger: .milliseconds(500), endTimeout: .milliseconds(300)) { rig in
            let peer = try await rig.greet(7)
            let proxy = DictationBrokerProxy(connection: peer, destination: .peer)
            try await proxy.needed(needed: true)
            try await proxy.needed(needed: false)
            try await eventually("it is asked to end") { rig.ends == [7] }
            #expect(try rig.workers.link(of: 7, for: ":1.1") == nil)
            try await eventually("another one is started") { rig.started == [7] }
            await peer.disconnected()
            let next = try await rig.greet(7)
            try await eventually("the call continues") { rig.resumed == [":1.1"] }
            await rig.workers.shutDown()
            #expect(rig.ends == [7, 7])
            await next.disconnected()
        }
    }

    @Test func aWorkerMayTakeLongerToEndWhileItCommits() async throws {
        try await withWorkers(endTimeout: .seconds(1)) { rig in
            let peer = try await rig.greet(7)
            let proxy = DictationBrokerProxy(connection: peer, destination: .peer)
            try await proxy.needed(needed: true)
            try await proxy.sessions(numbers: [1, 2], owners: ["", ""])
            let end = Task.immediate { @EventLoopActor in await rig.workers.shutDown() }
            try await eventually("it is asked to end") { rig.ends == [7] }
            let asked = SuspendingClock.now
            _ = EventLoopActor.schedule(after: .milliseconds(500)) {
                Task { try await proxy.sessions(numbers: [1], owners: [""]) }
            }
            await peer.disconnected()
            #expect(SuspendingClock.now - asked >= .milliseconds(1400))
            await end.value
        }
    }

    /// A connection that calls then must not be taken for an unknown program.
    @Test func whoNeedsAWorkerThatIsEndingGetsTheNext() async throws {
        try await withWorkers(linger: .milliseconds(500)) { rig in
            let peer = try await rig.greet(7)
            let proxy = DictationBrokerProxy(connection: peer, destination: .peer)
            try await proxy.needed(needed: true)
            try await proxy.needed(needed: false)
            try await eventually("it is asked to end") { rig.ends == [7] }
            let next = Task.immediate { @EventLoopActor in try await rig.workers.require(7).uid }
            try await proxy.bye()
            await peer.close()
            try await eventually("another one is started") { rig.started == [7] }
            _ = try await rig.greet(7)
            #expect(try await next.value == 7)
        }
    }

    @Test func aWorkerThatFailsIsReplaced() async throws {
        try await withWorkers { rig in
            try await failWithASession(rig)
            _ = try await rig.greet(7)
            try await eventually("it replaces the first") { rig.replaced == [7] }
            #expect(rig.lost == [WorkerSession(number: 3, owner: ":1.7")])
        }
    }

    /// It may fail while the bus is asked about the owners, and before it has begun to restore the sessions.
    @EventLoopActor @Test func aReplacementThatFailsTooIsReplaced() async throws {
        var (isAsked, continuation) = (false, CheckedContinuation<Void, Never>?.none)
        try await withWorkers(owns: { _ in
            isAsked = true
            await withCheckedContinuation { continuation = $0 }
            return true
        }) { rig in
            let first = try await rig.greet(7)
            let proxy = DictationBrokerProxy(connection: first, destination: .peer)
            try await proxy.needed(needed: true)
            try await proxy.sessions(numbers: [3], owners: [":1.7"])
            await first.close()
            try await eventually("another one is started") { rig.started == [7] }

            let second = try await rig.connect()
            let hello = Task.immediate { @EventLoopActor in
                try? await rig.hello(7, owners: [":1.7"], over: second)
            }
            try await eventually("the bus is asked") { isAsked }
            await second.close()
            try await eventually("another one is started") { rig.started == [7, 7] }
            continuation?.resume()
            _ = await hello.value

            rig.restores = false
            let third = try await rig.greet(7)
            try await eventually("it is to restore the session") { rig.replaced == [7] }
            await third.close()
            try await eventually("another one is started") { rig.started == [7, 7, 7] }
            rig.restores = true
            _ = try await rig.greet(7)
            try await eventually("it is to restore the session") { rig.replaced == [7, 7] }
            let session = WorkerSession(number: 3, owner: ":1.7")
            #expect(rig.lost == [session, session])
        }
    }

    @Test func aReplacementThatDoesNotStartIsTriedAgainWithoutACall() async throws {
        try await withWorkers { rig in
            try await failWithASession(rig)
            rig.starter.failed(7, Refusal(.timeout, "It did not start."))
            try await eventually("it is tried again", equals: [7, 7]) { rig.started }
            _ = try await rig.greet(7)
            try await eventually("it replaces the first", equals: [7]) { rig.replaced }
            #expect(rig.lost == [WorkerSession(number: 3, owner: ":1.7")])
        }
    }

    @Test func sessionsOfProgramsThatHaveLeftAreNotWaitedFor() async throws {
        try await withWorkers { rig in
            try await failWithASession(rig)
            rig.workers.forget(":1.7")
            _ = try await rig.greet(7)
            #expect(rig.replaced.isEmpty)
        }
    }

    /// A worker with a session of ``:1.7`` fails.
    @EventLoopActor
    private func failWithASession(_ rig: WorkersRig) async throws {
        let peer = try await rig.greet(7)
        let proxy = DictationBrokerProxy(connection: peer, destination: .peer)
        try await proxy.needed(needed: true)
        try await proxy.sessions(numbers: [3], owners: [":1.7"])
        await peer.close()
        try await eventually("another one is started", equals: [7]) { rig.started }
    }

    /// Its clients have to subscribe again, but it has no sessions.
    @Test func aWorkerThatEndsOnPurposeIsNotReplaced() async throws {
        try await withWorkers { rig in
            let peer = try await rig.greet(7)
            let proxy = DictationBrokerProxy(connection: peer, destination: .peer)
            try await proxy.needed(needed: true)
            try await proxy.bye()
            await peer.close()
            try await eventually("its end is noticed") { rig.workers[7] == nil }
            #expect(rig.started.isEmpty)
            _ = try await rig.greet(7)
            #expect(rig.greeted == [7, 7])
            #expect(rig.replaced.isEmpty)
        }
    }

    @Test func aWorkerThatFailsAgainAndAgainIsNotStartedForAWhile() {
        let start = SuspendingClock.now
        var failures = WorkerFailures()
        for second in 0..<4 { failures.add(at: start + .seconds(second)) }
        #expect(failures.pause(at: start + .seconds(4)) == nil)
        failures.add(at: start + .seconds(4))
        #expect(failures.pause(at: start + .seconds(4)) == .seconds(10))
        #expect(failures.pause(at: start + .seconds(14)) == nil)
        for second in 20..<25 { failures.add(at: start + .seconds(second)) }
        #expect(failures.pause(at: start + .seconds(24)) == .seconds(20), "it doubles")
        // One failure a minute is none of these.
        var rare = WorkerFailures()
        for minute in 0..<10 { rare.add(at: start + .seconds(61 * minute)) }
        #expect(rare.pause(at: start + .seconds(61 * 9)) == nil)
    }
}
