import CDBus
import EventLoop

/// A connection of libdbus, its socket watched by the event loop. It is not `Sendable`: from `start` on its owner, the
/// ``Connection``, uses it on the loop's thread alone. libdbus calls back there, from within calls of its own functions.
///
/// Messages are sent by queueing them, and read by taking them from libdbus's queue, which fills as the socket is read.
/// There are no filters, no object paths and no pending calls, thus none of libdbus's time-outs.
final class Transport {
    private let connection: OpaquePointer
    private var onEvents: (@EventLoopActor (Int32, EventLoop.Interest) -> Void)?
    /// By descriptor: libdbus has one watch to read a socket and another to write it.
    private var sockets: [Int32: Socket] = [:]

    private struct Socket {
        var watches: [OpaquePointer] = []
        let watch: EventLoop.Watch
    }

    /// `SCM_MAX_FD` of the kernel.
    private static let mostDescriptors = 253
    /// Twice the longest message of the specification.
    private static let mostReceivedBytes = 256 << 20

    /// Connects, without saying hello. Not on the event loop: the bus may keep the caller waiting.
    @concurrent
    static func connected(to address: BusAddress) async throws -> sending Transport {
        try Transport(to: address.resolved())
    }

    private init(to address: String) throws(DBusError) {
        var error = CDBus.DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard let connection = dbus_connection_open_private(address, &error) else { throw DBusError(error) }
        self.connection = connection
        dbus_connection_set_exit_on_disconnect(connection, 0)
        // libdbus closes the connection at the first message with more descriptors than it has room for. Its default
        // is 16, and a session bus passes on whatever the kernel lets through.
        dbus_connection_set_max_message_unix_fds(connection, Self.mostDescriptors)
        // Calls may wait for their turn as libdbus's messages. Whoever keeps them limits them: libdbus would read
        // nothing more, the answers that they wait for included.
        dbus_connection_set_max_received_size(connection, Self.mostReceivedBytes)
    }

    deinit {
        // Takes every watch away, so that nothing points here any more.
        dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
        dbus_connection_close(connection)
        dbus_connection_unref(connection)
    }

    var isConnected: Bool { dbus_connection_get_is_connected(connection) != 0 }
    var hasMessagesToSend: Bool { dbus_connection_has_messages_to_send(connection) != 0 }
    /// How much is queued to be sent, in bytes.
    var outgoingBytes: Int { dbus_connection_get_outgoing_size(connection) }

    func close() {
        dbus_connection_close(connection)
    }

    /// Queues the message, and writes as much of the queue as the socket takes.
    func send(_ message: borrowing WireMessage) throws(DBusError) -> UInt32 {
        var serial: UInt32 = 0
        if dbus_connection_send(connection, message.pointer, &serial) == 0 {
            throw dbus_message_contains_unix_fds(message.pointer) != 0
                ? .notSupported("this bus passes no descriptors") : .noMemory("a message")
        }
        return serial
    }

    /// The next message that was read.
    func next() -> WireMessage? {
        dbus_connection_pop_message(connection).map { WireMessage(owning: $0) }
    }

    // MARK: Watches

    /// Begins to watch the socket.
    /// - Parameter onEvents: called on the loop when the socket is ready, to call `handle`.
    func start(onEvents: @escaping @EventLoopActor (Int32, EventLoop.Interest) -> Void) throws(DBusError) {
        self.onEvents = onEvents
        let started = dbus_connection_set_watch_functions(
            connection,
            { watch, transport in
                guard let watch, let transport = Transport.from(transport) else { return 0 }
                return transport.add(watch) ? 1 : 0
            },
            { watch, transport in
                if let watch { Transport.from(transport)?.remove(watch) }
            },
            { watch, transport in
                if let watch { Transport.from(transport)?.updateInterest(in: dbus_watch_get_unix_fd(watch)) }
            },
            // Not retained: `deinit` takes the functions away before this object is gone.
            Unmanaged.passUnretained(self).toOpaque(), nil)
        if started == 0 { throw .failed("the bus's socket cannot be watched") }
    }

    /// Reads and writes what the socket is ready for. There may be messages to take after it.
    func handle(_ events: EventLoop.Interest, of descriptor: Int32) {
        for watch in sockets[descriptor]?.watches ?? [] {
            // One may have been taken away while another was handled.
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

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> Transport? {
        // libdbus gives back what `start` gave it.
        pointer.map { Unmanaged<Transport>.fromOpaque($0).takeUnretainedValue() }
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

    private func updateInterest(in descriptor: Int32) {
        guard let socket = sockets[descriptor] else { return }
        socket.watch.interest = socket.watches.reduce(into: []) { $0.formUnion(interest(of: $1)) }
    }

    private func interest(of watch: OpaquePointer) -> EventLoop.Interest {
        guard dbus_watch_get_enabled(watch) != 0 else { return [] }
        let flags = dbus_watch_get_flags(watch)
        var interest: EventLoop.Interest = []
        if flags & DBUS_WATCH_READABLE.rawValue != 0 { interest.insert(.readable) }
        if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { interest.insert(.writable) }
        return interest
    }
}

extension DBusError {
    fileprivate init(_ error: CDBus.DBusError) {
        self.init(
            error.name.flatMap { ErrorName(String(cString: $0)) } ?? .failed,
            error.message.map { String(cString: $0) } ?? "")
    }
}
