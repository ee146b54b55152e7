import CDBus
import CLinux
import EventLoop
import Glibc

/// A connection of libdbus, whose socket the event loop watches. It is not `Sendable`: after `start` its owner, the
/// ``Connection``, uses it only on the loop's thread. libdbus calls back there, within calls of its own functions.
///
/// Messages are sent by queueing them and read from libdbus's queue. Filters, object paths and pending calls are not
/// used, and so none of libdbus's timeouts.
final class Transport {
    private let connection: OpaquePointer
    private var onEvents: (@EventLoopActor (Int32, EventLoop.Interest) -> Void)?
    /// By descriptor: libdbus has one watch for reading a socket and another for writing.
    private var sockets: [Int32: Socket] = [:]

    /// Messages with descriptors that libdbus may still have to write. It would close the descriptors on the loop after that.
    private var sending: [MessageReference] = []

    /// While true, nothing is read from the socket.
    var pausesReading = false {
        didSet {
            guard pausesReading != oldValue else { return }
            hangsUp = false
            for descriptor in sockets.keys { updateInterest(in: descriptor) }
        }
    }
    /// The other end has closed the socket during a pause. What it sent before is read after the pause.
    private var hangsUp = false

    /// Another descriptor of an accepted socket. Closing the last one closes what was sent and not read, which can block.
    private var lastSocket: Int32 = -1
    /// Whether the kernel accepts descriptors for the socket although none may come (before Linux 6.16). They are looked for before
    /// each read. libdbus closes those that come between the look and the read, on the loop.
    private let checksDescriptors: Bool

    private struct Socket {
        var watches: [OpaquePointer] = []
        let watch: EventLoop.Watch
    }

    /// The kernel's `SCM_MAX_FD`.
    static let mostDescriptors = 253
    /// libdbus reads 2 KiB each time.
    private static let readsPerTurn = 32
    /// Twice the specification's maximum message size.
    private static let mostReceivedBytes = 256 << 20

    /// Descriptors in messages that were received and not released yet: a quarter of the process's limit. With more libdbus stops
    /// reading until some are closed; at the limit itself it would close the connection.
    static var mostReceivedDescriptors: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return max(32, min(2048, Int(clamping: limit.rlim_cur / 4)))
    }

    /// Limits the descriptors that others send.
    private(set) var gate: DescriptorGate?

    /// Connects without `Hello`. Not for the event loop, because it can block.
    /// - Parameter limitsDescriptors: whether there is a ``DescriptorGate``.
    @concurrent
    static func connected(
        to address: BusAddress, limitsDescriptors: Bool = false
    ) async throws -> sending Transport {
        let transport = try Transport(to: address.resolved())
        if limitsDescriptors { try transport.addGate() }
        return transport
    }

    /// libdbus goes on with the end of a socket pair in place of its socket.
    private func addGate() throws {
        var socket: Int32 = -1
        guard dbus_connection_get_unix_fd(connection, &socket) != 0 else { return }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw EventLoopError(call: "socketpair", code: errno)
        }
        let (outer, inner) = (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
        let bus = Descriptor(owning: fcntl(socket, F_DUPFD_CLOEXEC, 0))
        guard bus.rawValue >= 0, fcntl(outer.rawValue, F_SETFL, O_NONBLOCK) == 0,
            dup2(outer.rawValue, socket) >= 0, fcntl(socket, F_SETFD, FD_CLOEXEC) == 0
        else { throw EventLoopError(call: "dup", code: errno) }
        gate = try DescriptorGate(from: bus, to: inner)
    }

    private convenience init(to address: String) throws(DBusError) {
        var error = CDBus.DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard let connection = dbus_connection_open_private(address, &error) else { throw DBusError(error) }
        // Queued calls are kept as libdbus messages and limited by their owner. With libdbus's own limit it would stop
        // reading, including the replies that the calls wait for.
        self.init(
            owning: connection,
            receiving: PeerConnection.Limits(
                bytes: Self.mostReceivedBytes, messageBytes: PeerConnection.Limits.largestMessage,
                descriptors: Self.mostDescriptors))
    }

    /// Takes ownership of a reference to an open connection.
    /// - Parameter refusesDescriptors: whether the kernel refuses descriptors that the other end sends.
    init(
        owning connection: OpaquePointer, receiving limits: PeerConnection.Limits,
        refusesDescriptors: Bool = false
    ) {
        self.connection = connection
        checksDescriptors = limits.descriptors == 0 && !refusesDescriptors
        dbus_connection_set_exit_on_disconnect(connection, 0)
        // libdbus closes the connection at the first message with more descriptors than this. Its default is 16, and a
        // session bus forwards as many as the kernel allows.
        dbus_connection_set_max_message_unix_fds(connection, limits.descriptors)
        dbus_connection_set_max_received_size(connection, limits.bytes)
        limitMessages(to: limits.messageBytes)
        // With 0 it would read nothing.
        dbus_connection_set_max_received_unix_fds(connection, Self.mostReceivedDescriptors)
    }

    deinit {
        for socket in sockets.values { socket.watch.cancel() }
        dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
        close()
        dbus_connection_unref(connection)
    }

    var isConnected: Bool { dbus_connection_get_is_connected(connection) != 0 }
    var hasMessagesToSend: Bool { dbus_connection_has_messages_to_send(connection) != 0 }
    /// Bytes in the outgoing queue.
    var outgoingBytes: Int { dbus_connection_get_outgoing_size(connection) }

    /// The user and the process that connected to the socket, by the kernel, also before anything was read from them.
    var process: (uid: UInt32, pid: UInt32)? {
        var socket: Int32 = -1
        guard dbus_connection_get_unix_fd(connection, &socket) != 0,
            let credentials = PeerCredentials(of: socket)
        else { return nil }
        return (credentials.uid, UInt32(bitPattern: credentials.pid))
    }

    /// Accepts every user. Otherwise libdbus accepts this process's own user and root.
    func acceptAllUsers() {
        dbus_connection_set_unix_user_function(connection, { _, _, _ in 1 }, nil, nil)
    }

    /// The socket is closed on one of the ``ClosingThreads``, because its other end may have sent descriptors.
    func closeOnThread() {
        var socket: Int32 = -1
        guard lastSocket < 0, dbus_connection_get_unix_fd(connection, &socket) != 0 else { return }
        lastSocket = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    }

    /// libdbus closes the connection at a larger message, before it has read that.
    func limitMessages(to bytes: Int) {
        dbus_connection_set_max_message_size(connection, bytes)
    }

    func close() {
        dbus_connection_close(connection)
        guard lastSocket >= 0 else { return }
        ClosingThreads.shared.perform { [lastSocket] in _ = Glibc.close(lastSocket) }
        lastSocket = -1
    }

    /// Queues the message, and writes as much of the queue as the socket accepts.
    func send(_ message: borrowing WireMessage) throws(DBusError) -> UInt32 {
        var serial: UInt32 = 0
        if gate != nil, message.hasDescriptors {
            throw .notSupported("this connection sends no descriptors")
        }
        if dbus_connection_send(connection, message.pointer, &serial) == 0 {
            throw dbus_message_contains_unix_fds(message.pointer) != 0
                ? .notSupported("this bus passes no descriptors") : .noMemory("a message")
        }
        if message.hasDescriptors { sending.append(MessageReference(message.copy())) }
        releaseSent()
        return serial
    }

    private func releaseSent() {
        if !sending.isEmpty, !hasMessagesToSend { sending = [] }
    }

    /// The next message in the incoming queue.
    func next() -> WireMessage? {
        guard let message = dbus_connection_pop_message(connection).map({ WireMessage(received: $0) }) else {
            return nil
        }
        if let gate, let kept = message.kept {
            switch gate.next() {
            case .passed(let share): if let share { kept.count(share) }
            case .replaced: kept.isReplaced = true
            }
        }
        return message
    }

    // MARK: Watches

    /// Starts watching the socket.
    /// - Parameter onEvents: called on the loop when the socket is ready; calls `handle`.
    func start(onEvents: @escaping @EventLoopActor (Int32, EventLoop.Interest) -> Void) throws(DBusError) {
        self.onEvents = onEvents
        let started = dbus_connection_set_watch_functions(
            connection,
            { watch, owner in
                guard let watch, let transport = WatchOwner.transport(of: owner) else { return 0 }
                return transport.add(watch) ? 1 : 0
            },
            { watch, owner in
                if let watch { WatchOwner.transport(of: owner)?.remove(watch) }
            },
            { watch, owner in
                if let watch { WatchOwner.transport(of: owner)?.toggled(dbus_watch_get_unix_fd(watch)) }
            },
            // Retained until libdbus has called the other functions for the last time: then it calls the one below.
            Unmanaged.passRetained(WatchOwner(self)).toOpaque(),
            { owner in
                // It was retained above, once.
                if let owner { Unmanaged<WatchOwner>.fromOpaque(owner).release() }
            })
        if started == 0 { throw .failed("the bus's socket cannot be watched") }
    }

    /// Reads and writes the ready socket. There may be incoming messages afterwards.
    /// - Parameter readsAll: whether to read more than libdbus reads at once.
    func handle(_ events: EventLoop.Interest, of descriptor: Int32, readsAll: Bool) {
        if pausesReading, !events.isDisjoint(with: [.hangUp, .error]) {
            hangsUp = true
            return updateInterest(in: descriptor)
        }
        handleOnce(events, of: descriptor)
        // Calls take turns only when they have been read.
        for _ in 1..<(readsAll ? Self.readsPerTurn : 1)
        where events.contains(.readable) && isReadable(descriptor) {
            handleOnce(.readable, of: descriptor)
        }
        releaseSent()
    }

    /// Whether there is something that libdbus wants to read.
    private func isReadable(_ descriptor: Int32) -> Bool {
        guard let watches = sockets[descriptor]?.watches,
            watches.contains(where: { interest(of: $0).contains(.readable) })
        else { return false }
        var socket = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&socket, 1, 0) > 0 && socket.revents & Int16(POLLIN | POLLHUP | POLLERR) == Int16(POLLIN)
    }

    private func handleOnce(_ events: EventLoop.Interest, of descriptor: Int32) {
        if checksDescriptors, events.contains(.readable), dictation_linux_brings_descriptors(descriptor) {
            return close()
        }
        for watch in sockets[descriptor]?.watches ?? [] {
            // Handling one watch may have removed another.
            guard sockets[descriptor]?.watches.contains(watch) == true else { continue }
            var flags: UInt32 = 0
            let wanted = interest(of: watch)
            if !events.isDisjoint(with: wanted.intersection(.readable)) {
                flags |= DBUS_WATCH_READABLE.rawValue
            }
            if !events.isDisjoint(with: wanted.intersection(.writable)) {
                flags |= DBUS_WATCH_WRITABLE.rawValue
            }
            if events.contains(.hangUp) { flags |= DBUS_WATCH_HANGUP.rawValue }
            if events.contains(.error) { flags |= DBUS_WATCH_ERROR.rawValue }
            if !wanted.isEmpty, flags != 0 { dbus_watch_handle(watch, flags) }
        }
    }

    private func add(_ watch: OpaquePointer) -> Bool {
        let descriptor = dbus_watch_get_unix_fd(watch)
        if sockets[descriptor] == nil {
            guard let onEvents,
                let new = try? EventLoopActor.watch(descriptor, for: [], { onEvents(descriptor, $0) })
            else { return false }
            sockets[descriptor] = Socket(watch: new)
        }
        sockets[descriptor]?.watches.append(watch)
        updateInterest(in: descriptor)
        return true
    }

    private func remove(_ watch: OpaquePointer) {
        let descriptor = dbus_watch_get_unix_fd(watch)
        sockets[descriptor]?.watches.removeAll { $0 == watch }
        if sockets[descriptor]?.watches.isEmpty == true {
            sockets.removeValue(forKey: descriptor)?.watch.cancel()
        } else {
            updateInterest(in: descriptor)
        }
    }

    /// libdbus continues to read when one of the ``ClosingThreads`` has released a message.
    private func toggled(_ descriptor: Int32) {
        guard !EventLoopActor.loop.isCurrent else { return updateInterest(in: descriptor) }
        // Proof: it is used on the loop's thread alone, and here only passed on.
        nonisolated(unsafe) let transport = self
        EventLoopActor.execute { transport.updateInterest(in: descriptor) }
    }

    private func updateInterest(in descriptor: Int32) {
        guard let socket = sockets[descriptor] else { return }
        socket.watch.interest = socket.watches.reduce(into: []) { $0.formUnion(interest(of: $1)) }
    }

    private func interest(of watch: OpaquePointer) -> EventLoop.Interest {
        guard dbus_watch_get_enabled(watch) != 0, !hangsUp else { return [] }
        let flags = dbus_watch_get_flags(watch)
        var interest: EventLoop.Interest = []
        if flags & DBUS_WATCH_READABLE.rawValue != 0, !pausesReading { interest.insert(.readable) }
        if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { interest.insert(.writable) }
        return interest
    }
}

/// What libdbus's watches belong to. libdbus keeps it as long as it may call the functions, also on other threads while the
/// transport ends.
private final class WatchOwner {
    private weak let transport: Transport?

    init(_ transport: Transport) {
        self.transport = transport
    }

    /// - Parameter pointer: what `start` gave to libdbus.
    static func transport(of pointer: UnsafeMutableRawPointer?) -> Transport? {
        pointer.flatMap { Unmanaged<WatchOwner>.fromOpaque($0).takeUnretainedValue().transport }
    }
}

extension DBusError {
    init(_ error: CDBus.DBusError) {
        self.init(
            error.name.flatMap { ErrorName(String(cString: $0)) } ?? .failed,
            error.message.map { String(cString: $0) } ?? "")
    }
}
