import CLinux
import EventLoop
import Glibc

/// Between the socket of a bus and libdbus: passes everything on, but for the descriptors of a sender that has too many open. Those
/// are replaced by `/dev/null`.
///
/// close(2) of a descriptor can wait for ever (FUSE), and nothing else removes one from the table of a process. So what a client
/// sends would fill this process's table, and the process could not even end. The gate receives descriptors on a thread with a
/// table of its own. It leaves that table with what is in it to another thread, which closes the descriptors, and goes on with a
/// new one.
final class DescriptorGate: Sendable {
    /// What became of the descriptors of one message.
    enum Passage {
        /// Nil for those that count for nobody: the bus's own.
        case passed(ReceivedDescriptors.Share?)
        case replaced
    }

    private let table: Table
    private let bus: Descriptor
    private let end = Lock(End())

    private struct End {
        var hasCome = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// - Parameters:
    ///   - bus: the socket of the bus.
    ///   - inner: an end of a socket pair, whose other end is libdbus's.
    init(from bus: Descriptor, to inner: Descriptor) throws(EventLoopError) {
        let table = Table()
        self.table = table
        self.bus = bus
        let ready = Descriptor(owning: eventfd(0, Int32(EFD_CLOEXEC)))
        guard ready.rawValue >= 0 else { throw EventLoopError(call: "eventfd", code: errno) }
        let numbers = (bus: bus.rawValue, inner: inner.rawValue, ready: ready.rawValue)
        // It keeps no descriptor: the number of one means another on that thread.
        try OwnThread.start("gate") {
            guard dictation_linux_own_descriptors(numbers.bus, numbers.inner, numbers.ready) == 0 else {
                shutdown(numbers.bus, Int32(SHUT_RDWR))
                shutdown(numbers.inner, Int32(SHUT_RDWR))
                eventfd_write(numbers.ready, 1)
                return
            }
            table.receive()
        }
        var count: eventfd_t = 0
        // The numbers are valid until then.
        while eventfd_read(ready.rawValue, &count) != 0, errno == EINTR {}
        try OwnThread.start("gate-out") { [self] in
            Table.send(from: inner.rawValue, to: bus.rawValue)
            shutdown(bus.rawValue, Int32(SHUT_RDWR))
            shutdown(inner.rawValue, Int32(SHUT_RDWR))
            let waiters = end.withLock { end in
                end.hasCome = true
                return end.waiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// What this process has of each sender.
    var received: ReceivedDescriptors { table.received }

    /// What became of the descriptors of the next message that has some.
    func next() -> Passage { table.next() }

    /// Returns when libdbus has closed its end and the bus has what was written there.
    func ended() async {
        await withCheckedContinuation { waiter in
            let hasEnded = end.withLock { end in
                if !end.hasCome { end.waiters.append(waiter) }
                return end.hasCome
            }
            if hasEnded { waiter.resume() }
        }
    }

    /// Gives up what the bus has not read.
    func abandon() { shutdown(bus.rawValue, Int32(SHUT_RDWR)) }
}

/// The thread with a table of descriptors of its own.
private final class Table: Sendable {
    let received = ReceivedDescriptors()
    /// Of the messages with descriptors, in their order.
    private let passages = Lock<[DescriptorGate.Passage]>([])

    private static let bus: Int32 = 0
    private static let inner: Int32 = 1
    private static let null: Int32 = 2
    /// Threads that close what was left, of all, of a user, and of a sender. Above that several messages share one, which closes
    /// those first that were passed on.
    private static let mostThreads = 128
    private static let mostThreadsOfUser = 16
    private static let mostThreadsOfSender = 4

    private struct Closing {
        var all = 0
        var users: [UInt32?: Int] = [:]
        var senders: [BusName: Int] = [:]

        mutating func count(_ change: Int, _ share: ReceivedDescriptors.Share?) {
            all += change
            guard let share else { return }
            users[share.uid, default: 0] += change
            if users[share.uid] == 0 { users[share.uid] = nil }
            senders[share.sender, default: 0] += change
            if senders[share.sender] == 0 { senders[share.sender] = nil }
        }

        func mayStart(for share: ReceivedDescriptors.Share?) -> Bool {
            guard all < mostThreads else { return false }
            guard let share else { return true }
            return users[share.uid, default: 0] < mostThreadsOfUser
                && senders[share.sender, default: 0] < mostThreadsOfSender
        }
    }

    private let closing = Lock(Closing())

    /// Returns when the bus has closed the connection.
    func receive() {
        defer {
            // The other thread ends by that.
            shutdown(Self.bus, Int32(SHUT_RDWR))
            shutdown(Self.inner, Int32(SHUT_RDWR))
        }
        var stream = MessageStream()
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        var files = [Int32](repeating: -1, count: Int(DICTATION_LINUX_DESCRIPTOR_LIMIT))
        // Descriptors in this thread's table.
        var count = 0
        while true {
            var new = 0
            let size = dictation_linux_receive(Self.bus, &bytes, bytes.count, &files, &new)
            if size < 0, errno == EAGAIN || errno == EINTR {
                Self.wait(Self.bus, POLLIN)
                continue
            }
            guard size > 0 else { return }
            count += new
            stream.append(bytes[..<size], files[..<new])
            while let part = stream.next() {
                guard let passage = pass(part) else { return }
                // Those of one message at a time, unless others have come with it.
                if case .passed(let share)? = passage.what, stream.hasNoFiles,
                    closing.withLock({ $0.mayStart(for: share) }), leave(part.files, of: share)
                {
                    count = 0
                }
            }
            if count > Self.mostKept, stream.hasNoFiles, leave([], of: nil) { count = 0 }
        }
    }

    /// Half of the table.
    private static let mostKept: Int = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return max(64, Int(clamping: limit.rlim_cur) / 2)
    }()

    /// - Parameter early: those that are closed first.
    private func leave(_ early: [Int32], of share: ReceivedDescriptors.Share?) -> Bool {
        closing.withLock { $0.count(1, share) }
        // Proof: the new thread releases it once; or it is released below, if there is none.
        let end = Unmanaged.passRetained(ClosingEnd { [self] in closing.withLock { $0.count(-1, share) } })
        let result = dictation_linux_leave_descriptors(
            early, early.count,
            { context in
                // It was retained above, once.
                if let context { Unmanaged<ClosingEnd>.fromOpaque(context).takeRetainedValue().perform() }
            }, end.toOpaque())
        if result < 0 { end.takeRetainedValue().perform() }
        return result == 0
    }

    func next() -> DescriptorGate.Passage {
        passages.withLock { $0.isEmpty ? .passed(nil) : $0.removeFirst() }
    }

    private struct Outcome {
        var what: DescriptorGate.Passage?
    }

    /// Nil if nobody reads any more. What became of the message's descriptors, if it has some.
    private func pass(_ part: MessageStream.Part) -> Outcome? {
        guard !part.files.isEmpty else {
            return Self.write(part.bytes, [], to: Self.inner) ? Outcome() : nil
        }
        let counted = part.sender == .bus ? nil : part.sender
        let share = counted.flatMap { received.addWithinLimits(part.files.count, of: $0) }
        let passes = share != nil || counted == nil
        let passage: DescriptorGate.Passage = passes ? .passed(share) : .replaced
        passages.withLock { $0.append(passage) }
        let files = passes ? part.files : part.files.map { _ in Self.null }
        return Self.write(part.bytes, files, to: Self.inner) ? Outcome(what: passage) : nil
    }

    static func send(from inner: Int32, to bus: Int32) {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let size = read(inner, &bytes, bytes.count)
            if size < 0, errno == EINTR { continue }
            guard size > 0, write(bytes[..<size], [], to: bus) else { return }
        }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, _ files: [Int32], to socket: Int32) -> Bool {
        var rest = bytes
        var files = files
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { bytes in
                bytes.baseAddress.map { dictation_linux_send(socket, $0, bytes.count, files, files.count) }
                    ?? -1
            }
            if sent < 0, errno == EAGAIN || errno == EINTR || errno == ETOOMANYREFS {
                wait(socket, POLLOUT)
                continue
            }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
            // They go with the first byte.
            files = []
        }
        return true
    }

    private static func wait(_ socket: Int32, _ event: Int32) {
        var descriptor = pollfd(fd: socket, events: Int16(event), revents: 0)
        poll(&descriptor, 1, -1)
    }
}

/// Called when a thread has closed what was left to it.
private final class ClosingEnd: Sendable {
    let perform: @Sendable () -> Void

    init(_ perform: @escaping @Sendable () -> Void) { self.perform = perform }
}
