import Glibc
import Testing

@testable import EventLoop

@Suite struct ClosingThreadsTests {
    /// Gives a value when it is released.
    private final class Sign: Sendable {
        private let released: AsyncStream<Void>.Continuation

        init(_ released: AsyncStream<Void>.Continuation) { self.released = released }

        deinit { released.yield() }
    }

    private func isOpen(_ number: Int32) -> Bool { fcntl(number, F_GETFD) >= 0 }

    @Test func aForeignDescriptorIsClosedOnAThreadOfItsOwn() async throws {
        let (released, continuation) = AsyncStream.makeStream(of: Void.self)
        let number = try Descriptor.pipe().reading.releasedDuplicate()
        do {
            let sign = Sign(continuation)
            _ = Descriptor(foreign: number, keeping: sign)
        }
        for await _ in released { break }
        #expect(!isOpen(number))
    }

    @Test func aDuplicateKeepsWhatIsKeptUntilItIsClosedToo() async throws {
        let (released, continuation) = AsyncStream.makeStream(of: Void.self)
        let isReleased = Lock(false)
        let task = Task {
            for await _ in released { break }
            isReleased.withLock { $0 = true }
        }
        func makeDuplicate() throws -> Descriptor {
            let number = try Descriptor.pipe().reading.releasedDuplicate()
            return try Descriptor(foreign: number, keeping: Sign(continuation)).duplicate()
        }
        do {
            let duplicate = try makeDuplicate()
            // The first one was closed before.
            await withCheckedContinuation { done in ClosingThreads.shared.perform { done.resume() } }
            #expect(!isReleased.withLock { $0 })
            withExtendedLifetime(duplicate) {}
        }
        await task.value
    }

    @Test func socketsThatLingerDoNotStopTheThreadThatReleasesThem() async throws {
        let (released, continuation) = AsyncStream.makeStream(of: Void.self)
        let sockets = try (0..<20).map { _ in try LingeringSocket() }
        let begin = ContinuousClock.now
        await withCheckedContinuation { done in
            EventLoopActor.execute {
                for socket in sockets {
                    // Their close takes a minute each.
                    _ = Descriptor(foreign: socket.take(), keeping: Sign(continuation))
                }
                done.resume()
            }
        }
        var count = 0
        for await _ in released {
            count += 1
            if count == sockets.count { break }
        }
        #expect(ContinuousClock.now - begin < .seconds(30))
    }

    /// They are carried out when earlier ones of the same sender have ended.
    @Test func jobsOfOneSenderHoldFewThreads() async throws {
        let threads = ClosingThreads()
        let signal = try Descriptor.pipe()
        let running = Lock(0)
        let ended = AsyncStream.makeStream(of: Void.self)
        for _ in 0..<20 {
            threads.perform(for: ":1.1") {
                running.withLock { $0 += 1 }
                var poll = pollfd(fd: signal.reading.rawValue, events: Int16(POLLIN), revents: 0)
                while Glibc.poll(&poll, 1, -1) < 1 {}
                ended.continuation.yield()
            }
        }
        for _ in 0..<100 {
            await withCheckedContinuation { done in threads.perform(for: ":1.2") { done.resume() } }
        }
        #expect(running.withLock { $0 } <= ClosingThreads.senderLimit)
        var byte: UInt8 = 0
        write(signal.writing.rawValue, &byte, 1)
        var count = 0
        for await _ in ended.stream {
            count += 1
            if count == 20 { break }
        }
    }

    @Test func aJobThatNeverEndsDoesNotKeepOthersWaiting() async throws {
        let threads = ClosingThreads()
        let signal = try Descriptor.pipe()
        for _ in 0..<3 {
            threads.perform {
                var poll = pollfd(fd: signal.reading.rawValue, events: Int16(POLLIN), revents: 0)
                while Glibc.poll(&poll, 1, -1) < 1 {}
            }
        }
        for _ in 0..<100 {
            await withCheckedContinuation { done in threads.perform { done.resume() } }
        }
        var byte: UInt8 = 0
        write(signal.writing.rawValue, &byte, 1)
    }
}

/// A connected TCP socket with unsent data, whose close(2) waits for a minute.
private final class LingeringSocket: Sendable {
    private let listener: Descriptor
    private let number: Int32

    init() throws {
        listener = Descriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var size: Int32 = 2048
        setsockopt(listener.rawValue, SOL_SOCKET, SO_RCVBUF, &size, 4)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener.rawValue, address, length) == 0 && listen(listener.rawValue, 1) == 0
                    && getsockname(listener.rawValue, address, &length) == 0
                    && connect(number, address, length) == 0
            }
        }
        try #require(isConnected)
        var linger = Glibc.linger(l_onoff: 1, l_linger: 60)
        try #require(
            setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
                == 0)
        let bytes = [UInt8](repeating: 0, count: 1 << 16)
        while send(number, bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
    }

    /// The caller closes it.
    func take() -> Int32 { number }
}
