import EventLoop
import Glibc
import Synchronization
import Testing

@Suite struct WatchTests {
    private let loop: EventLoop
    private let pipe: (reading: Descriptor, writing: Descriptor)
    private let events = AsyncStream.makeStream(of: EventLoop.Interest.self)

    init() throws {
        loop = try EventLoop(name: "watch test")
        pipe = try Descriptor.pipe()
    }

    /// The handler that records `events`.
    private var tell: @Sendable (EventLoop.Interest) -> Void {
        { [continuation = events.continuation] in continuation.yield($0) }
    }

    /// Returns when the loop has polled its descriptors and called handlers.
    private func turn() async {
        for _ in 0..<2 {
            await withCheckedContinuation { done in loop.execute { done.resume() } }
        }
    }

    @Test func reportsUnreadDataAgain() async throws {
        let watch = try loop.watch(pipe.reading.rawValue, for: .readable, tell)
        #expect(write(pipe.writing.rawValue, "x", 1) == 1)
        var iterator = events.stream.makeAsyncIterator()
        #expect(await iterator.next() == .readable)
        #expect(await iterator.next() == .readable)
        watch.cancel()
        loop.shutDown()
    }

    @Test func aWatchWithoutInterestReportsNothing()
        async throws
    {
        let reading = try readingEndOfClosedPipe()
        let calls = Atomic(0)
        let watch = try loop.watch(reading.rawValue, for: []) { _ in calls.add(1, ordering: .relaxed) }
        await turn()
        #expect(calls.load(ordering: .relaxed) == 0)
        watch.interest = .readable
        while calls.load(ordering: .relaxed) == 0 { await turn() }
        await withCheckedContinuation { done in
            loop.execute {
                watch.interest = []
                done.resume()
            }
        }
        let before = calls.load(ordering: .relaxed)
        await turn()
        #expect(calls.load(ordering: .relaxed) == before)
        watch.cancel()
        loop.shutDown()
    }

    @Test func reportsAHangUpWithTheRequestedEvents() async throws {
        let reading = try readingEndOfClosedPipe()
        let watch = try loop.watch(reading.rawValue, for: .readable, tell)
        var iterator = events.stream.makeAsyncIterator()
        #expect(await iterator.next() == [.readable, .hangUp])
        watch.cancel()
        loop.shutDown()
    }

    @Test func aWatchCancelledInTheSameTurnIsNotCalled() async throws {
        let other = try Descriptor.pipe()
        let watches = Lock<[EventLoop.Watch]>([])
        let calls = Atomic(0)
        let cancelAll: @Sendable (EventLoop.Interest) -> Void = { _ in
            calls.add(1, ordering: .relaxed)
            for watch in watches.withLock({ $0 }) { watch.cancel() }
        }
        let loop = loop
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            loop.execute { [pipe] in
                done.resume(
                    with: Result {
                        for end in [pipe.writing, other.writing] {
                            let watch = try loop.watch(end.rawValue, for: .writable, cancelAll)
                            watches.withLock { $0.append(watch) }
                        }
                    })
            }
        }
        while calls.load(ordering: .relaxed) == 0 { await turn() }
        await turn()
        #expect(calls.load(ordering: .relaxed) == 1)
        loop.shutDown()
        // Their handlers refer to them.
        watches.withLock { $0 = [] }
    }

    @Test func refusesDescriptorsThatCannotBeWatched() throws {
        let file = try Descriptor(owning: #require(openForReading("/proc/self/exe")))
        #expect(throws: EventLoopError(call: "epoll_ctl", code: EPERM)) {
            try loop.watch(file.rawValue, for: .readable) { _ in }
        }
        let watch = try loop.watch(pipe.reading.rawValue, for: .readable) { _ in }
        #expect(throws: EventLoopError(call: "epoll_ctl", code: EEXIST)) {
            try loop.watch(pipe.reading.rawValue, for: .readable) { _ in }
        }
        watch.cancel()
        watch.cancel()
        loop.shutDown()
    }

    private func readingEndOfClosedPipe() throws -> Descriptor {
        try Descriptor.pipe().reading
    }

    private func openForReading(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        return descriptor < 0 ? nil : descriptor
    }
}
