import CDBus
import CLinux
import EventLoop

/// A listening socket of libdbus. Like ``Transport``, it is used only on the loop's thread, where libdbus calls back within
/// calls of its own functions.
final class ListeningSocket {
    private let server: OpaquePointer
    private let limits: PeerConnection.Limits
    /// Whether the kernel refuses descriptors that others send.
    private var refusesDescriptors = false
    private let mayRefuseDescriptors: Bool
    /// By libdbus's watch.
    private var watches: [OpaquePointer: EventLoop.Watch] = [:]
    private var onReadable: (@EventLoopActor () -> Void)?
    /// Connections that nobody has got yet.
    private var accepted: [Transport] = []

    /// - Parameter mayRefuseDescriptors: whether the kernel is asked to refuse descriptors if none may come. What it does not
    ///   refuse is found before it is read.
    init(at path: String, limits: PeerConnection.Limits, mayRefuseDescriptors: Bool) throws(DBusError) {
        var error = CDBus.DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard let server = dbus_server_listen(try BusAddress.unix(path), &error) else {
            throw DBusError(error)
        }
        self.server = server
        self.limits = limits
        self.mayRefuseDescriptors = mayRefuseDescriptors
        let isLimited = "EXTERNAL".withCString { external in
            var mechanisms: [UnsafePointer<CChar>?] = [external, nil]
            return dbus_server_set_auth_mechanisms(server, &mechanisms) != 0
        }
        if !isLimited { throw .noMemory("a server") }
    }

    deinit {
        stop()
        dbus_server_unref(server)
    }

    /// - Parameter onReadable: called on the loop when somebody connects; calls `accept`.
    func start(onReadable: @escaping @EventLoopActor () -> Void) throws(DBusError) {
        self.onReadable = onReadable
        let owner = Unmanaged.passUnretained(self).toOpaque()
        dbus_server_set_new_connection_function(
            server,
            { _, connection, owner in
                guard let connection, let listener = ListeningSocket.at(owner) else { return }
                dbus_connection_ref(connection)
                let transport = Transport(
                    owning: connection, receiving: listener.limits,
                    refusesDescriptors: listener.refusesDescriptors)
                transport.closeOnThread()
                transport.acceptAllUsers()
                listener.accepted.append(transport)
            }, owner, nil)
        let started = dbus_server_set_watch_functions(
            server,
            { watch, owner in
                guard let watch, let listener = ListeningSocket.at(owner) else { return 0 }
                return listener.add(watch) ? 1 : 0
            },
            { watch, owner in
                if let watch { ListeningSocket.at(owner)?.watches.removeValue(forKey: watch)?.cancel() }
            },
            { watch, owner in
                guard let watch, let listener = ListeningSocket.at(owner) else { return }
                listener.watches[watch]?.interest = ListeningSocket.interest(of: watch)
            }, owner, nil)
        if started == 0 { throw .failed("the socket cannot be watched") }
    }

    /// The connections of those that wait to be connected.
    func accept() -> [Transport] {
        for watch in Array(watches.keys) { dbus_watch_handle(watch, DBUS_WATCH_READABLE.rawValue) }
        defer { accepted = [] }
        return accepted
    }

    func stop() {
        dbus_server_set_watch_functions(server, nil, nil, nil, nil, nil)
        dbus_server_set_new_connection_function(server, nil, nil, nil)
        dbus_server_disconnect(server)
        for watch in watches.values { watch.cancel() }
        watches = [:]
    }

    private func add(_ watch: OpaquePointer) -> Bool {
        guard let onReadable,
            let new = try? EventLoopActor.watch(dbus_watch_get_unix_fd(watch), for: [], { _ in onReadable() })
        else { return false }
        if limits.descriptors == 0, mayRefuseDescriptors {
            refusesDescriptors = dictation_linux_refuse_descriptors(dbus_watch_get_unix_fd(watch)) == 0
        }
        new.interest = Self.interest(of: watch)
        watches[watch] = new
        return true
    }

    private static func interest(of watch: OpaquePointer) -> EventLoop.Interest {
        dbus_watch_get_enabled(watch) != 0 ? .readable : []
    }

    /// - Parameter pointer: what `start` gave to libdbus, which calls nothing after `stop`.
    private static func at(_ pointer: UnsafeMutableRawPointer?) -> ListeningSocket? {
        pointer.map { Unmanaged<ListeningSocket>.fromOpaque($0).takeUnretainedValue() }
    }
}
