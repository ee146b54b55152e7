import DictationTestKit
import EventLoop
import Glibc
import Synchronization
import Testing

@Suite struct EventLoopTests {
    private let loop: EventLoop

    init() throws {
        loop = try EventLoop(name: "test loop")
    }

    private actor Counter {
        private let loop: EventLoop
        private(set) var count = 0

        init(on loop: EventLoop) {
            self.loop = loop
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        func increment() -> Bool {
            count += 1
            return loop.isCurrent
        }

        nonisolated func incrementHere() {
            assumeIsolated { $0.count += 1 }
        }
    }

    @Test func runsActorJobsOnItsThread() async {
        let counter = Counter(on: loop)
        #expect(!loop.isCurrent)
        #expect(await counter.increment())
        await withCheckedContinuation { done in
            loop.execute {
                counter.incrementHere()
                done.resume()
            }
        }
        #expect(await counter.count == 2)
        loop.shutDown()
    }

    @Test func runsJobsOfOneThreadInOrder() {
        let order = Lock<[Int]>([])
        for number in 0..<10_000 {
            loop.execute { order.withLock { $0.append(number) } }
        }
        loop.shutDown()
        #expect(order.withLock { $0 } == Array(0..<10_000))
    }

    /// Not protected, because the loop runs one job at a time.
    private final class Count: @unchecked Sendable { var value = 0 }

    @Test func runsJobsOfManyThreadsOneAtATime() async {
        let (loop, count) = (loop, Count())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 { loop.execute { count.value += 1 } }
                }
            }
        }
        loop.shutDown()
        #expect(count.value == 8000)
    }

    @Test func runsJobsAfterTheEnd() async {
        let counter = Counter(on: loop)
        loop.shutDown()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1000 {
                group.addTask { await counter.increment() }
            }
            for await onLoop in group { #expect(onLoop) }
        }
        #expect(await counter.count == 1000)
        #expect(!loop.isCurrent)
        loop.shutDown()
    }

    @Test func endlessJobsDoNotDelayDescriptorsAndTimers() async throws {
        let pipe = try Descriptor.pipe()
        let stop = Atomic(false)
        let done = AsyncStream.makeStream(of: String.self)
        @Sendable func again() {
            if !stop.load(ordering: .relaxed) { loop.execute { again() } }
        }
        for _ in 0..<1000 { again() }
        let watch = try loop.watch(pipe.reading.rawValue, for: .readable) { _ in
            done.continuation.yield("pipe")
        }
        loop.schedule(after: .milliseconds(1)) { done.continuation.yield("timer") }
        #expect(write(pipe.writing.rawValue, "x", 1) == 1)
        var seen: Set<String> = []
        for await event in done.stream {
            seen.insert(event)
            if seen.count == 2 { break }
        }
        watch.cancel()
        stop.store(true, ordering: .relaxed)
        loop.shutDown()
    }

    @Test func aReadyDescriptorDoesNotDelayJobs() async throws {
        let pipe = try Descriptor.pipe()
        let calls = Atomic(0)
        let watch = try loop.watch(pipe.writing.rawValue, for: .writable) { _ in
            calls.add(1, ordering: .relaxed)
        }
        while calls.load(ordering: .relaxed) < 10 {
            await withCheckedContinuation { done in loop.execute { done.resume() } }
        }
        watch.cancel()
        loop.shutDown()
    }

    @Test func freesDescriptorsThreadsAndHandlers() async {
        await #expect(processExitsWith: .success) {
            func loops() -> Int {
                names(in: "/proc/self/task").count { thread in
                    contents(of: "/proc/self/task/\(thread)/comm") == "short-lived\n"
                }
            }
            func round() async throws {
                let loop = try EventLoop(name: "short-lived")
                let pipe = try Descriptor.pipe()
                let held = try pipe.writing.duplicate()
                _ = try loop.watch(pipe.reading.rawValue, for: .readable) { _ in _ = held.rawValue }
                loop.schedule(after: .seconds(1000)) { _ = held.rawValue }
                loop.schedule(after: .zero, repeating: .milliseconds(1)) { _ = held.rawValue }
                await withCheckedContinuation { done in loop.execute { done.resume() } }
                try #require(loops() >= 1)
                loop.shutDown()
            }
            // The kernel lists a thread for a moment after it has been joined.
            func noLoopIsLeft() async throws {
                let end = ContinuousClock.now + .seconds(10)
                while loops() > 0, ContinuousClock.now < end { await Task.yield() }
                try #require(loops() == 0)
            }
            let before = try await openDescriptors()
            for _ in 0..<50 { try await round() }
            try await noLoopIsLeft()
            let after = try await openDescriptors()
            #expect(after.count == before.count, "\(before), then \(after)")
        }
        loop.shutDown()
    }
}

private func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
            tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names
}

private func contents(of path: String) -> String {
    guard let file = fopen(path, "re") else { return "" }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = fread(&buffer, 1, buffer.count, file)
    return String(decoding: buffer.prefix(count), as: UTF8.self)
}
