import EventLoop
import Glibc
import Testing

@Suite struct EventLoopActorTests {
    @EventLoopActor
    private final class Record {
        var entries: [Int] = []

        nonisolated init() {}
    }

    @Test func jobsRunInOrderWithTasks() async {
        let record = Record()
        for number in 0..<100 {
            EventLoopActor.execute { record.entries.append(2 * number) }
            await Task { @EventLoopActor in record.entries.append(2 * number + 1) }.value
        }
        #expect(await record.entries == Array(0..<200))
    }

    @Test func jobsFromTheLoopRunAtOnce() async {
        let record = Record()
        EventLoopActor.execute {
            EventLoopActor.execute { record.entries.append(3) }
            EventLoopActor.executeNowIfCurrent { record.entries.append(1) }
            record.entries.append(2)
        }
        // After jobs that are queued on the loop, but before jobs that those queue.
        await Task { @EventLoopActor in }.value
        await Task { @EventLoopActor in }.value
        EventLoopActor.executeNowIfCurrent { record.entries.append(4) }
        await Task { @EventLoopActor in }.value
        #expect(await record.entries == [1, 2, 3, 4])
    }

    @Test func timersAndWatchesCallIntoTheDomain() async throws {
        let record = Record()
        await withCheckedContinuation { done in
            EventLoopActor.schedule(after: .milliseconds(1)) {
                record.entries.append(1)
                done.resume()
            }
        }
        let pipe = try Descriptor.pipe()
        let (events, feed) = AsyncStream.makeStream(of: EventLoop.Interest.self)
        let watch = try EventLoopActor.watch(pipe.reading.rawValue, for: .readable) { found in
            record.entries.append(2)
            feed.yield(found)
        }
        #expect(write(pipe.writing.rawValue, "x", 1) == 1)
        for await found in events {
            #expect(found == .readable)
            break
        }
        watch.cancel()
        #expect(await record.entries.prefix(2) == [1, 2])
    }

    @Test func theDomainHasOneThread() async {
        let threads = await withTaskGroup { group in
            for _ in 0..<100 { group.addTask { @EventLoopActor in pthread_self() } }
            return await group.reduce(into: Set<pthread_t>()) { $0.insert($1) }
        }
        #expect(threads.count == 1)
    }
}
