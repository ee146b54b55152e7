import Testing

@testable import DBus

/// The order in which calls of several senders are handled.
@Suite struct CallQueueTests {
    private typealias Queue = CallQueue<String, Int>

    private let start = SuspendingClock.now

    private func append(
        _ numbers: ClosedRange<Int>, of sender: String, to queue: inout Queue, bytes: Int = 0,
        descriptors: Int = 0,
        after delay: Duration = .zero
    ) -> [Int] {
        numbers.filter { number in
            !queue.append(
                number, of: sender, .init(bytes: bytes, descriptors: descriptors), at: start + delay)
        }
    }

    private func all(_ queue: inout Queue, after delay: Duration = .zero) -> [Int] {
        var all: [Int] = []
        while let next = queue.next(at: start + delay) { all.append(next.element) }
        return all
    }

    @Test func sendersTakeTurnsAndEachHasItsOrder() {
        var queue = Queue()
        #expect(append(1...4, of: "a", to: &queue) == [])
        #expect(append(11...12, of: "b", to: &queue) == [])
        #expect(append(21...21, of: "c", to: &queue) == [])
        #expect(all(&queue) == [1, 11, 21, 2, 12, 3, 4])
        #expect(queue.isEmpty && !queue.hasCalls(of: "a"))
    }

    @Test func aNewSenderWaitsForOneCallOfEachOther() {
        var queue = Queue()
        _ = append(1...500, of: "a", to: &queue)
        _ = append(1001...1500, of: "b", to: &queue)
        for _ in 0..<7 { _ = queue.next(at: start) }
        _ = append(5000...5000, of: "c", to: &queue)
        var before = 0
        while let next = queue.next(at: start), next.sender != "c" { before += 1 }
        #expect(before == 2)
    }

    @Test func whatFollowsCallsKeepsItsPlace() {
        var queue = Queue()
        _ = append(1...2, of: "a", to: &queue)
        _ = append(11...11, of: "b", to: &queue)
        let follows = queue.follow(3, "a", .init(), at: start)
        #expect(follows)
        _ = append(4...4, of: "a", to: &queue)
        queue.end(5, "a", at: start)
        #expect(all(&queue) == [1, 11, 2, 3, 4, 5])
    }

    @Test(arguments: [(1, 0, 1024), (1 << 20, 0, 4), (1, 16, 64)])
    func tooManyOfOneSenderAreRefusedAndThoseOfOthersAreNot(bytes: Int, descriptors: Int, fitting: Int) {
        var queue = Queue()
        let refused = append(1...2000, of: "a", to: &queue, bytes: bytes, descriptors: descriptors)
        #expect(refused == Array((fitting + 1)...2000))
        #expect(append(1...1, of: "b", to: &queue, bytes: bytes) == [])
        let follows = queue.follow(0, "a", .init(bytes: 1), at: start)
        #expect(follows == (descriptors > 0))
        #expect(queue.next(at: start)?.element == 1)
        #expect(append(1...1, of: "a", to: &queue, bytes: bytes, descriptors: descriptors) == [])
    }

    /// Each sender has a message of 4 MiB: sixteen fit, and then only small first calls of senders.
    @Test func theSizeOfAllIsLimited() {
        var queue = Queue()
        let refused = (1...40).filter { sender in
            !append(1...1, of: "\(sender)", to: &queue, bytes: 4 << 20).isEmpty
        }
        #expect(refused == Array(17...40))
        #expect(append(1...1, of: "40", to: &queue, bytes: 1000) == [])
        #expect(append(2...2, of: "40", to: &queue, bytes: 1000) == [2])
        #expect(all(&queue).count == 17)
        #expect(append(1...1, of: "40", to: &queue, bytes: 4 << 20) == [])
    }

    @Test func oneCallOfAnySizeIsAccepted() {
        var queue = Queue()
        #expect(append(1...2, of: "a", to: &queue, bytes: 30 << 20) == [2])
    }

    /// Handles calls whenever it may, each of which takes a millisecond, and returns how many of each sender.
    private func handled(
        _ queue: inout Queue, for duration: Duration, callingEachTurn: [String]
    ) -> [String: Int] {
        var counts: [String: Int] = [:]
        var now = start
        while now < start + duration {
            for sender in callingEachTurn where !queue.hasCalls(of: sender) {
                _ = queue.append(0, of: sender, .init(), at: now)
            }
            guard let next = queue.next(at: now) else {
                now += .milliseconds(1)
                continue
            }
            now += .milliseconds(1)
            queue.charge(next.sender, .milliseconds(1), at: now)
            counts[next.sender, default: 0] += 1
            if next.sender == "flood" { _ = queue.append(0, of: "flood", .init(), at: now) }
        }
        return counts
    }

    @Test func aSenderWithManyCallsGetsAnEighthWhileOthersCall() {
        var queue = Queue()
        _ = append(1...200, of: "flood", to: &queue)
        let counts = handled(&queue, for: .seconds(10), callingEachTurn: ["other"])
        #expect((1000...1600).contains(counts["flood", default: 0]), "\(counts)")
        #expect(counts["other", default: 0] > 8000, "\(counts)")
    }

    @Test func aSenderAloneIsNotHeldBack() {
        var queue = Queue()
        _ = append(1...200, of: "flood", to: &queue)
        #expect(handled(&queue, for: .seconds(10), callingEachTurn: [])["flood"] == 10_000)
    }

    @Test func sendersThatWaitForEachReplyAreNotHeldBack() {
        var queue = Queue()
        let counts = handled(&queue, for: .seconds(3), callingEachTurn: ["a", "b", "c"])
        #expect(counts == ["a": 1000, "b": 1000, "c": 1000])
    }

    /// However much time a call has taken.
    @Test func aSenderIsHeldBackForAShortTime() throws {
        var queue = Queue()
        _ = append(1...3, of: "flood", to: &queue)
        _ = append(11...12, of: "other", to: &queue)
        #expect(queue.next(at: start)?.element == 1)
        queue.charge("flood", .seconds(5), at: start)
        #expect(all(&queue) == [11, 12])
        let time = try #require(queue.resumption(after: start))
        #expect(time > start + .milliseconds(50) && time < start + .milliseconds(200))
        #expect(queue.next(at: time)?.element == 2)
    }

    /// The bus accepts such calls faster than they can be read, so a queue of them would grow there.
    @Test func aSenderOfHugeCallsIsHeldBackAlsoWhenItWaitsForReplies() throws {
        var queue = Queue()
        for isExcessive in [false, true] {
            _ = append(11...11, of: "other", to: &queue)
            let isAccepted = queue.append(1, of: "flood", .init(isExcessive: isExcessive), at: start)
            #expect(isAccepted)
            queue.charge("flood", .milliseconds(200), at: start, isExcessive: isExcessive)
            // What it costs later does not shorten the hold.
            queue.charge("flood", .zero, at: start)
            #expect(all(&queue) == (isExcessive ? [11] : [11, 1]))
        }
        let time = try #require(queue.resumption(after: start))
        #expect(time > start + .seconds(1) && time < start + .seconds(2))
        // Nobody else calls any more.
        #expect(all(&queue, after: .milliseconds(999)) == [])
        #expect(all(&queue, after: .milliseconds(1001)) == [1])
    }

    @Test func theCallsOfASenderThatHasLeftAreNotHeldBack() {
        var queue = Queue()
        _ = append(1...3, of: "flood", to: &queue)
        _ = append(11...11, of: "other", to: &queue)
        #expect(queue.next(at: start)?.element == 1)
        queue.charge("flood", .seconds(5), at: start)
        queue.end(4, "flood", at: start)
        #expect(all(&queue) == [11, 2, 3, 4])
    }

    @Test func aSenderIsNotHeldBackWhenNobodyElseCallsAnyMore() {
        var queue = Queue()
        _ = append(1...3, of: "flood", to: &queue)
        _ = append(11...11, of: "other", to: &queue)
        #expect(queue.next(at: start)?.element == 1)
        queue.charge("flood", .milliseconds(30), at: start)
        #expect(all(&queue, after: .zero) == [11])
        #expect(all(&queue, after: .seconds(2)) == [2, 3])
    }

    @Test func removingAllReturnsWhatWaits() {
        var queue = Queue()
        _ = append(1...3, of: "a", to: &queue)
        _ = append(11...12, of: "b", to: &queue)
        #expect(queue.removeAll().sorted() == [1, 2, 3, 11, 12])
        #expect(queue.isEmpty && queue.next(at: start) == nil)
    }
}
