import DictationTestKit
import Dispatch
import Synchronization
import Testing

@testable import EventLoop

@Suite struct TimerTests {
    private let loop: EventLoop

    init() throws {
        loop = try EventLoop(name: "timer test")
    }

    private final class Held: Sendable {}

    @Test func timersFireInTheOrderOfTheirDeadlines() async {
        let order = AsyncStream.makeStream(of: Int.self)
        loop.execute { [loop] in
            // Deadlines follow their delays if they are scheduled within 10 ms.
            var timers: [EventLoop.Timer] = []
            var start = ContinuousClock.now
            repeat {
                for timer in timers { timer.cancel() }
                start = .now
                timers = [(3, 30), (1, 10), (2, 20), (0, -5), (4, 40)].map { number, delay in
                    loop.schedule(after: .milliseconds(delay)) { order.continuation.yield(number) }
                }
            } while ContinuousClock.now - start > .milliseconds(5)
        }
        var seen: [Int] = []
        for await number in order.stream {
            seen.append(number)
            if seen.count == 5 { break }
        }
        #expect(seen == [0, 1, 2, 3, 4])
        loop.shutDown()
    }

    @Test func aTimerNeverFiresEarly() async {
        let clock = ContinuousClock()
        for milliseconds in [0, 1, 5] {
            let start = clock.now
            await withCheckedContinuation { done in
                loop.schedule(after: .milliseconds(milliseconds)) { done.resume() }
            }
            #expect(clock.now - start >= .milliseconds(milliseconds))
        }
        loop.shutDown()
    }

    @Test func aRepeatingTimerFiresUntilCancelled() async {
        let count = Atomic(0)
        let timer = Lock<EventLoop.Timer?>(nil)
        let done = AsyncStream.makeStream(of: Void.self)
        loop.execute { [loop] in
            let repeating = loop.schedule(after: .zero, repeating: .microseconds(100)) {
                if count.add(1, ordering: .relaxed).newValue == 5 {
                    timer.withLock { $0?.cancel() }
                    done.continuation.finish()
                }
            }
            timer.withLock { $0 = repeating }
        }
        for await _ in done.stream {}
        await withCheckedContinuation { done in loop.schedule(after: .milliseconds(2)) { done.resume() } }
        #expect(count.load(ordering: .relaxed) == 5)
        loop.shutDown()
        // Its handler refers to it.
        timer.withLock { $0 = nil }
    }

    @Test func missedPeriodsAreSkipped() async {
        let count = Atomic(0)
        let late = Atomic(0)
        await withCheckedContinuation { done in
            loop.execute { [loop] in
                loop.schedule(after: .zero, repeating: .milliseconds(100)) {
                    count.add(1, ordering: .relaxed)
                }
                let start = ContinuousClock.now
                while ContinuousClock.now - start < .milliseconds(350) {}
                loop.schedule(after: .zero) {
                    late.store(count.load(ordering: .relaxed), ordering: .relaxed)
                    done.resume()
                }
            }
        }
        #expect(late.load(ordering: .relaxed) == 1)
        loop.shutDown()
    }

    @Test func aCancelledTimerReleasesItsHandler() async throws {
        let fired = Lock(false)
        weak var held: Held?
        // The timer is due only when it was cancelled.
        let gate = DispatchSemaphore(value: 0)
        await withCheckedContinuation { closed in
            loop.execute {
                closed.resume()
                gate.wait()
            }
        }
        do {
            let new = Held()
            held = new
            let timer = loop.schedule(after: .milliseconds(1)) {
                withExtendedLifetime(new) { fired.withLock { $0 = true } }
            }
            timer.cancel()
        }
        #expect(held == nil)
        gate.signal()
        await withCheckedContinuation { done in loop.schedule(after: .milliseconds(3)) { done.resume() } }
        #expect(fired.withLock { $0 } == false)
        loop.shutDown()
    }

    @Test func timersStaySorted() {
        var random = TestRandom()
        var timers = EventLoop.TimerQueue()
        let start = EventLoop.Instant.now
        var expected: [Int64: [UInt64]] = [:]
        for id in 0..<UInt64(5000) {
            let timer = EventLoop.Timer(id: id, period: nil, loop: loop) {}
            let deadline = Int64.random(in: 0..<1000, using: &random)
            timers.add(timer, at: EventLoop.Instant(nanoseconds: start.nanoseconds + deadline))
            if id % 3 == 0 { timers.remove(timer) } else { expected[deadline, default: []].append(id) }
        }
        for deadline in Int64(0)..<1000 {
            let now = EventLoop.Instant(nanoseconds: start.nanoseconds + deadline)
            #expect(timers.takeDue(at: now).map(\.id) == expected[deadline] ?? [], "seed \(random.seed)")
        }
        loop.shutDown()
    }

    @Test func acceptsADelayOfAnyLength() {
        for delay in [Duration.seconds(Int64.max), .seconds(Int64.min), .nanoseconds(Int64.max)] {
            loop.schedule(after: delay, repeating: delay) {}
        }
        loop.shutDown()
    }
}
