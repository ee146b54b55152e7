internal import CWaylandInput
internal import EventLoop
internal import TypingRoutes

/// Reads and sets the selections without a window, by ext-data-control-v1 or wlr-data-control-unstable-v1.
@EventLoopActor
final class ClipboardAccess {
    private struct Offer {
        var types: [String] = []
        /// There are more formats than are kept.
        var isCut = false
    }

    private let connection: WaylandConnection
    private let readTimeout: Duration
    private var offers: [UInt32: Offer] = [:]
    private var present: [ClipboardSelection: Offer] = [:]
    private var own: [ClipboardSelection: [ClipboardPart]] = [:]
    private var writers: [UInt64: PipeWriter] = [:]
    private var lastWriter: UInt64 = 0
    /// How often programs have asked for the content of a selection of ours.
    private(set) var requests = 0
    /// Resumed when one of these changes.
    let changes = ChangeWaiter()

    /// - Parameter readTimeout: how long the owner of a selection may take to give it, in all formats.
    init(on connection: WaylandConnection, readTimeout: Duration = ClipboardLimits.readTimeout) {
        self.connection = connection
        self.readTimeout = readTimeout
        connection.send { dictation_wayland_begin_clipboard($0) }
    }

    func handle(_ event: ClipboardEvent) {
        switch event {
        case .offer(let number): offers[number] = Offer()
        case .offerType(let number, let type):
            guard let count = offers[number]?.types.count else { break }
            if count < ClipboardLimits.types, type.utf8.count <= ClipboardLimits.typeBytes {
                offers[number]?.types.append(type)
            } else {
                offers[number]?.isCut = true
            }
        case .selection(let selection, let number): present[selection] = offers.removeValue(forKey: number)
        case .send(let selection, let type, let descriptor): send(selection, type, to: descriptor)
        case .cancelled(let selection): own[selection] = nil
        }
        changes.resume()
    }

    private func send(_ selection: ClipboardSelection, _ type: String, to descriptor: Descriptor) {
        guard let part = own[selection]?.first(where: { $0.type == type }),
            writers.count < ClipboardLimits.readers
        else { return }
        if type != ClipboardType.secret { requests += 1 }
        lastWriter += 1
        let number = lastWriter
        writers[number] = PipeWriter(part.bytes, to: descriptor) { [weak self] in
            self?.writers[number] = nil
            self?.changes.resume()
        }
    }

    /// A program is reading a selection of ours.
    var isBeingRead: Bool { !writers.isEmpty }

    /// Whether the selection is still ours.
    func isOwn(_ selection: ClipboardSelection) -> Bool { own[selection] != nil }

    var ownsAny: Bool { !own.isEmpty }

    var ownsAll: Bool { ClipboardSelection.allCases.allSatisfy { isOwn($0) } }

    func types(of selection: ClipboardSelection) -> [String] { present[selection]?.types ?? [] }

    /// The content of a selection in all its formats; empty if it has no owner. Nil if it cannot be restored: if it is too
    /// long, its owner does not answer, or it is a secret that its owner will clear.
    func content(of selection: ClipboardSelection) async -> [ClipboardPart]? {
        guard let offer = present[selection] else { return [] }
        if offer.isCut || offer.types.contains(ClipboardType.secret) { return nil }
        let deadline = ContinuousClock.now + readTimeout
        var parts: [ClipboardPart] = []
        var left = ClipboardLimits.bytes
        for type in offer.types {
            guard let bytes = await receive(selection, type, limit: left, timeout: deadline - .now) else {
                return nil
            }
            left -= bytes.count
            parts.append(ClipboardPart(type: type, bytes: bytes))
        }
        return parts
    }

    private func receive(
        _ selection: ClipboardSelection, _ type: String, limit: Int, timeout: Duration
    ) async -> [UInt8]? {
        guard timeout > .zero, let pipe = request(selection, type) else { return nil }
        return await PipeReader.contents(of: pipe, limit: limit, timeout: timeout)
    }

    /// The pipe's end for reading. Its other end is closed here, so that the owner alone keeps it open.
    private func request(_ selection: ClipboardSelection, _ type: String) -> Descriptor? {
        guard let (reading, writing) = try? Descriptor.pipe() else { return nil }
        connection.send { dictation_wayland_receive($0, selection.number, type, writing.rawValue) }
        return reading
    }

    /// Becomes the owner of a selection.
    func set(_ selection: ClipboardSelection, to parts: [ClipboardPart]) {
        own[selection] = parts
        connection.send { dictation_wayland_new_source($0, selection.number) }
        for part in parts {
            connection.send { dictation_wayland_offer($0, selection.number, part.type) }
        }
        connection.send { dictation_wayland_select($0, selection.number) }
    }

    /// The selection is empty then, if it is still ours.
    func giveUp(_ selection: ClipboardSelection) {
        own[selection] = nil
        connection.send { dictation_wayland_disown($0, selection.number) }
    }
}
