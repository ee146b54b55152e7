import CLinux
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Microphone
import Testing

/// What a program can do that a user's agent presents as an audio server.
@Suite struct UntrustedServerTests {
    /// The two ends of a connection: the server's, which blocks, and the one that is lent.
    private static func connection() throws -> (server: Descriptor, lent: Descriptor) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw TestFailure("socketpair: \(errno)") }
        return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    }

    @Test func messagesWithoutEndDelayNobody() async throws {
        let (server, lent) = try Self.connection()
        let ended = Lock(false)
        let sent = Lock(0)
        try OwnThread.start("server") {
            let messages = [UInt8](repeating: done, count: 1000)
            while messages.withUnsafeBytes({
                send(server.rawValue, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }) > 0 { sent.withLock { $0 += messages.count } }
            ended.withLock { $0 = true }
        }
        let listener = try await Listener {
            try await UntrustedServer.connect(through: lent) { _ in }
        }
        for turn in 1...100 {
            let hasRun = Lock(false)
            EventLoopActor.schedule(after: .milliseconds(5)) { hasRun.withLock { $0 = true } }
            try await eventually("turn \(turn)") { hasRun.withLock { $0 } }
        }
        #expect(ended.withLock { $0 } == false)
        #expect(listener.troubles.isEmpty)
        // More than the buffers of the sockets hold.
        #expect(sent.withLock { $0 } > 2 << 20)
        // The thread ends when nobody reads any more.
        shutdown(lent.rawValue, Int32(SHUT_RDWR))
        try await eventually("the server has ended") { ended.withLock { $0 } }
        await listener.stop()
    }

    enum Sent: CaseIterable {
        case file, folder, pipe
    }

    @Test(arguments: Sent.allCases)
    func whatCouldHangIsRefused(_ sent: Sent) async throws {
        let descriptor =
            switch sent {
            case .file: Descriptor(owning: open("/etc/passwd", O_RDONLY | O_CLOEXEC))
            case .folder: Descriptor(owning: open("/etc", O_RDONLY | O_CLOEXEC))
            case .pipe: try Descriptor.pipe().reading
            }
        let (server, lent) = try Self.connection()
        let refusals = Lock<[String]>([])
        let client = try await UntrustedServer.connect(through: lent) { error in
            refusals.withLock { $0.append("\(error)") }
        }
        #expect(
            dictation_linux_send(server.rawValue, done, done.count, [descriptor.rawValue], 1) == done.count)
        try await eventually("it is refused") { refusals.withLock { !$0.isEmpty } }
        #expect(refusals.withLock { $0 }.first?.contains("neither memory nor") == true)
        // The connection has ended, and nothing has arrived before.
        var (byte, received): (UInt8, Int) = (0, -1)
        try await eventually("the end") {
            received = recv(client.rawValue, &byte, 1, Int32(MSG_DONTWAIT))
            return received >= 0
        }
        #expect(received == 0)
    }

    @Test func onlyAUnixStreamSocketIsTaken() async throws {
        let others = [
            try Descriptor.pipe().reading,
            Descriptor(owning: socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)),
            Descriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)),
        ]
        for other in others {
            await #expect(throws: MicrophoneError.self) {
                try await UntrustedServer.connect(through: other) { _ in }
            }
        }
    }

    @Test func theEndIsNoticedAlsoWhileTheServerReadsNothing() async throws {
        func filledConnection() async throws -> (server: Descriptor, client: Descriptor) {
            let (server, lent) = try Self.connection()
            while send(lent.rawValue, done, done.count, Int32(MSG_DONTWAIT)) > 0 {}
            return (server, try await UntrustedServer.connect(through: lent) { _ in })
        }
        var (server, client): (Descriptor, Descriptor?) = try await filledConnection()
        let number = try #require(client?.rawValue)
        #expect(send(number, done, done.count, 0) == done.count)
        try await eventually("it waits to be sent") { dictation_linux_unread(number) == 0 }
        client = nil
        try await eventually("the connection to the server has ended") {
            var state = pollfd(fd: server.rawValue, events: 0, revents: 0)
            return poll(&state, 1, 0) == 1 && state.revents & Int16(POLLHUP) != 0
        }
    }

    @Test func descriptorsOfTheKernelAreClosed() async throws {
        let (server, lent) = try Self.connection()
        let client = try await UntrustedServer.connect(through: lent) { Issue.record("\($0)") }
        // SO_PASSPIDFD, which Debian 12's headers lack; Linux 6.5 and later.
        var isOn: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(lent.rawValue, SOL_SOCKET, 76, &isOn, size) == 0 else {
            return #expect(errno == ENOPROTOOPT, "an older kernel has no such descriptors")
        }
        var bytes = [UInt8](repeating: 0, count: done.count)
        #expect(send(server.rawValue, done, done.count, 0) == done.count)
        try await eventually("it arrives") {
            recv(client.rawValue, &bytes, bytes.count, Int32(MSG_DONTWAIT)) == done.count
        }
        let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let own = numbers.filter { number in
            let information = try? String(contentsOfFile: "/proc/self/fdinfo/\(number)", encoding: .utf8)
            return information?.contains("Pid:\t\(getpid())\n") == true
        }
        #expect(own.isEmpty)
    }

    @Test func descriptorsWithoutEndLeaveSomeToOthers() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 3072, rlim_max: 3072)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            try EventLoopActor.start()
            let (server, lent) = try Self.connection()
            let refusals = Lock<[String]>([])
            let client = try await UntrustedServer.connect(through: lent) { error in
                refusals.withLock { $0.append("\(error)") }
            }
            let counter = Descriptor(owning: eventfd(0, Int32(EFD_CLOEXEC)))
            var kept: [Int32] = []
            var bytes = [UInt8](repeating: 0, count: 4096)
            while refusals.withLock(\.isEmpty), kept.count < 3072 {
                let counters = [Int32](repeating: counter.rawValue, count: 16)
                _ = dictation_linux_send(server.rawValue, done, done.count, counters, counters.count)
                try await eventually("it arrives, or is refused") {
                    var numbers = [Int32](repeating: -1, count: Int(DICTATION_LINUX_DESCRIPTOR_LIMIT))
                    var count = 0
                    let received = dictation_linux_receive(
                        client.rawValue, &bytes, bytes.count, &numbers, &count)
                    kept += numbers.prefix(count)
                    return received >= 0
                }
            }
            #expect(refusals.withLock { $0 }.count == 1)
            #expect((2400...2850).contains(kept.count), "\(kept.count)")
        }
    }

    @Test func memoryThatIsTooShortEndsNothing() async {
        await #expect(processExitsWith: .success) {
            let page = sysconf(Int32(_SC_PAGESIZE))
            try #require(dictation_linux_survive_truncation() == 0)
            let file = Descriptor(owning: dictation_linux_memory_file("test"))
            try #require(ftruncate(file.rawValue, page) == 0)
            let map = try #require(mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0))
            map.storeBytes(of: 7, as: UInt8.self)
            #expect(map.load(fromByteOffset: page, as: UInt8.self) == 0)
            try #require(ftruncate(file.rawValue, 0) == 0)
            map.storeBytes(of: 9, as: UInt8.self)
            #expect(map.load(as: UInt8.self) == 9)
        }
    }

    @Test func anEventFDPasses() async throws {
        let (server, lent) = try Self.connection()
        let client = try await UntrustedServer.connect(through: lent) { Issue.record("\($0)") }
        let counter = Descriptor(owning: eventfd(0, Int32(EFD_CLOEXEC)))
        #expect(dictation_linux_send(server.rawValue, done, done.count, [counter.rawValue], 1) == done.count)
        var bytes = [UInt8](repeating: 0, count: 4096)
        var numbers = [Int32](repeating: -1, count: Int(DICTATION_LINUX_DESCRIPTOR_LIMIT))
        var count = 0
        try await eventually("it arrives") {
            dictation_linux_receive(client.rawValue, &bytes, bytes.count, &numbers, &count) == done.count
        }
        #expect(bytes.starts(with: done))
        #expect(count == 1)
        for number in numbers.prefix(count) { close(number) }
    }
}

/// A message of PipeWire's native protocol: the core's event `done`, with an unknown number. Its header is the object, the event
/// and the size of the rest, a sequence number, and the number of descriptors; two integers follow in a structure.
private let done: [UInt8] = {
    let body: [UInt32] = [32, 14, 4, 4, 0, 0, 4, 4, 0, 0]
    let header: [UInt32] = [0, 1 << 24 | UInt32(body.count * 4), 0, 0]
    return (header + body).flatMap { value in withUnsafeBytes(of: value.littleEndian) { [UInt8]($0) } }
}()

extension [UInt8] {
    fileprivate init(repeating message: [UInt8], count: Int) {
        self = (0..<count).flatMap { _ in message }
    }
}
