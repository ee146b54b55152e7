internal import CWaylandInput
internal import EventLoop
internal import Glibc
internal import TypingRoutes

/// A connection to the compositor on the event loop. Never blocks: requests that the compositor does not read yet are
/// queued.
@EventLoopActor
final class WaylandConnection {
    private let wayland: OpaquePointer
    private let received: Received
    private let handler: @EventLoopActor ([WaylandEvent]) -> Void
    private let onLoss: @EventLoopActor (RouteError) -> Void
    private var watch: EventLoop.Watch?
    private var outgoing: [@EventLoopActor (OpaquePointer) -> Void] = []
    private var isFlushed = true
    private var isOver = false
    /// Callers of ``synced()``, by the number of their request.
    private var syncWaiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    private var lastSync: UInt64 = 0
    /// The last request that the expected answer covers; nil if no answer is expected.
    private var requestedSync: UInt64?

    /// Maximum number of queued requests.
    private static let outgoingLimit = 256
    /// Timeout of the compositor's answers.
    private static let timeout = Duration.seconds(5)

    /// The events of one read, from the C library.
    private final class Received {
        var events: [WaylandEvent] = []
    }

    /// - Parameters:
    ///   - handler: called with the events of one read.
    ///   - onLoss: called when the compositor has gone.
    init(
        environment: [String: String], handler: @escaping @EventLoopActor ([WaylandEvent]) -> Void,
        onLoss: @escaping @EventLoopActor (RouteError) -> Void
    ) throws(RouteError) {
        self.handler = handler
        self.onLoss = onLoss
        let received = Received()
        self.received = received
        let new = dictation_wayland_new(
            try Self.path(environment),
            { data, event in
                guard let data, let event = WaylandEvent(event.pointee) else { return }
                // The pointer passed below.
                Unmanaged<Received>.fromOpaque(data).takeUnretainedValue().events.append(event)
                // This object keeps it until the C connection is freed.
            }, Unmanaged.passUnretained(received).toOpaque())
        guard let new else {
            let error = EventLoopError(call: "connect", code: errno)
            throw RouteError("The Wayland compositor cannot be reached: \(error).")
        }
        wayland = new
        do {
            watch = try EventLoopActor.watch(dictation_wayland_descriptor(wayland), for: .readable) {
                [weak self] found in
                self?.handle(found)
            }
        } catch {
            // The connection is freed with this object.
            throw RouteError("The Wayland compositor cannot be watched: \(error).")
        }
    }

    private static func path(_ environment: [String: String]) throws(RouteError) -> String {
        guard let name = environment["WAYLAND_DISPLAY"], !name.isEmpty else {
            throw RouteError("There is no Wayland compositor.")
        }
        return name.hasPrefix("/") ? name : "\(environment["XDG_RUNTIME_DIR"] ?? "")/\(name)"
    }

    var hasInputMethod: Bool { dictation_wayland_has_input_method(wayland) }
    /// Whether the compositor reports which window has the focus. Keys are typed only then.
    var hasKeyboard: Bool {
        dictation_wayland_has_keyboard(wayland) && dictation_wayland_has_windows(wayland)
    }

    var hasClipboard: Bool { dictation_wayland_has_clipboard(wayland) }

    // MARK: Requests

    /// Sends requests of at most 4096 bytes after all earlier ones.
    func send(_ requests: @escaping @EventLoopActor (OpaquePointer) -> Void) {
        guard !isOver else { return }
        guard outgoing.count < Self.outgoingLimit else {
            return lose(RouteError("The Wayland compositor does not read."))
        }
        outgoing.append(requests)
        pump()
    }

    private func pump() {
        repeat {
            switch dictation_wayland_flush(wayland) {
            case 1: isFlushed = true
            case 0: isFlushed = false
            default: return lost("write")
            }
            guard isFlushed, !outgoing.isEmpty else { break }
            outgoing.removeFirst()(wayland)
        } while true
        watch?.interest = isFlushed ? .readable : [.readable, .writable]
    }

    /// Waits until the compositor has handled all requests so far. False if it does not answer.
    func synced() async -> Bool {
        guard !isOver else { return false }
        lastSync += 1
        let number = lastSync
        let deadline = EventLoopActor.schedule(after: Self.timeout) { [weak self] in
            self?.syncWaiters.removeValue(forKey: number)?.resume(returning: false)
        }
        defer { deadline.cancel() }
        return await withCheckedContinuation { continuation in
            syncWaiters[number] = continuation
            if requestedSync == nil { requestSync() }
        }
    }

    private func requestSync() {
        requestedSync = lastSync
        send { dictation_wayland_sync($0) }
    }

    /// Resumes the callers whose requests came before the one that was answered.
    private func endSyncs() {
        let last = requestedSync.take() ?? 0
        if syncWaiters.keys.contains(where: { $0 > last }) { requestSync() }
        resumeSyncs(through: last, true)
    }

    private func resumeSyncs(through last: UInt64, _ isSynced: Bool) {
        for number in syncWaiters.keys.filter({ $0 <= last }).sorted() {
            syncWaiters.removeValue(forKey: number)?.resume(returning: isSynced)
        }
    }

    // MARK: Events

    private func handle(_ found: EventLoop.Interest) {
        if dictation_wayland_read(wayland) < 0 { return lost("read") }
        let events = received.events
        received.events = []
        if !events.isEmpty { handler(events) }
        guard !isOver else { return }
        if events.contains(.synced) { endSyncs() }
        pump()
    }

    private func lost(_ call: String) {
        lose(
            RouteError(
                "The connection to the Wayland compositor was lost (\(EventLoopError(call: call, code: errno)))."
            ))
    }

    private func lose(_ error: RouteError) {
        guard !isOver else { return }
        end()
        onLoss(error)
    }

    private func end() {
        isOver = true
        watch.take()?.cancel()
        outgoing = []
        resumeSyncs(through: lastSync, false)
    }

    /// Returns when the compositor has handled everything that was sent, or after the timeout.
    func close() async {
        if !isOver { _ = await synced() }
        end()
    }

    isolated deinit {
        watch?.cancel()
        dictation_wayland_free(wayland)
    }
}
