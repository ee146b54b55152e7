internal import CPipeWire
internal import Glibc

/// PipeWire's side of a capture, confined to the event loop.
final class CaptureStream {
    struct Options {
        /// `node.name` and `node.description`.
        var name: String
        var description: String
        /// `target.object`; nil for the default source.
        var target: String?
        /// Frames a second.
        var rate: Int
        /// Frames that are buffered for a late reader.
        var ringFrames: Int
        /// Whether it has a port before a session manager configures it.
        var hasPort = false
        /// Whether the source's first channel is captured instead of the mean of all.
        var hasOneChannel = false
    }

    enum State: Hashable {
        /// There is no source, or it was refused. PipeWire links the stream once it can.
        case unavailable(String)
        /// The server removed the stream.
        case over
        case connecting
        case paused
        case streaming
    }

    let id: StreamID
    private let report: (GraphEvent) -> Void
    private var handle: OpaquePointer?
    private var isStopped = false
    private var isWithdrawn = false
    private var state = State.connecting

    init(
        _ id: StreamID, _ options: Options, on connection: OpaquePointer,
        report: @escaping (GraphEvent) -> Void
    ) throws(CaptureRefusal) {
        self.id = id
        self.report = report
        handle = options.open(on: connection, stateChanged: Self.stateChanged, of: self)
        if handle == nil { throw CaptureRefusal(errno: errno) }
    }

    deinit {
        guard let handle else { return }
        stop()
        dictation_capture_free(handle)
    }

    /// Readable when there are samples or losses.
    var descriptor: Int32 { handle.map { dictation_capture_descriptor($0) } ?? -1 }

    /// The ID of the stream's node, once the server has made it.
    var node: ObjectID? {
        handle.map { dictation_capture_node($0) }.flatMap { $0 == .max ? nil : $0 }
    }

    /// Asks the server to remove the node of a connected stream. Call it after each change of the stream's state until
    /// it returns true: then no more descriptors come for it, and it can be stopped.
    ///
    /// More can come for a stream that runs too, when the graph around it changes.
    func withdraw() -> Bool {
        guard let handle, !isStopped else { return true }
        switch state {
        case .over: return true
        case .connecting: return false
        case .paused, .streaming, .unavailable:
            if !isWithdrawn { isWithdrawn = dictation_capture_withdraw(handle) }
            return !isWithdrawn
        }
    }

    /// The kernel's ID of PipeWire's data thread, once it has run.
    var thread: Int32? {
        handle.map { dictation_capture_thread($0) }.flatMap { $0 == 0 ? nil : $0 }
    }

    /// Frames that are buffered.
    var waitingFrames: Int { handle.map { dictation_capture_readable($0) } ?? 0 }

    /// Reads all buffered samples.
    func read() -> [Int16] {
        guard let handle else { return [] }
        dictation_capture_rearm(handle)
        let count = dictation_capture_readable(handle)
        guard count > 0 else { return [] }
        return [Int16](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = buffer.baseAddress.map { dictation_capture_read(handle, $0, count) } ?? 0
        }
    }

    /// Batches quiet samples; see ``dictation_capture_batch``.
    func batch(_ frames: Int, peak: Int) {
        if let handle { dictation_capture_batch(handle, UInt32(clamping: frames), Int32(clamping: peak)) }
    }

    /// A factor for the samples, applied before conversion to 16 bit.
    func setVolume(_ volume: Float) {
        if let handle { dictation_capture_set_volume(handle, volume) }
    }

    /// Frames lost since the last call.
    func takeDropped() -> Int {
        handle.map { Int(clamping: dictation_capture_take_dropped($0)) } ?? 0
    }

    /// Ends the stream. Buffered samples can still be read.
    func stop() {
        guard let handle, !isStopped else { return }
        isStopped = true
        dictation_capture_stop(handle)
    }

    private static let stateChanged: dictation_capture_state_changed = { context, state, message in
        // The context is the one of `open`. `stop`, which `deinit` calls, ends the callbacks.
        let stream = Unmanaged<CaptureStream>.fromOpaque(context).takeUnretainedValue()
        // The buffered samples came before this: the stream's next source has not started yet.
        let samples = stream.read()
        if !samples.isEmpty { stream.report(.captured(stream.id, samples)) }
        stream.state = State(state, message: message)
        stream.report(.captureChanged(stream.id, stream.state))
    }
}

extension CaptureStream.Options {
    fileprivate func open(
        on connection: OpaquePointer, stateChanged: dictation_capture_state_changed, of stream: CaptureStream
    ) -> OpaquePointer? {
        // Not retained: `deinit` stops the stream and with it the callbacks.
        let context = Unmanaged.passUnretained(stream).toOpaque()
        func open(_ target: UnsafePointer<CChar>?) -> OpaquePointer? {
            name.withCString { name in
                description.withCString { description in
                    var options = dictation_capture_options(
                        name: name, description: description, target: target, rate: UInt32(clamping: rate),
                        ring_frames: ringFrames, has_port: hasPort, has_one_channel: hasOneChannel)
                    return dictation_capture_new(connection, &options, stateChanged, context)
                }
            }
        }
        return target?.withCString(open) ?? open(nil)
    }
}

extension CaptureStream.State {
    fileprivate init(_ state: dictation_capture_state, message: UnsafePointer<CChar>?) {
        self =
            switch state {
            case DICTATION_CAPTURE_UNCONNECTED: .over
            case DICTATION_CAPTURE_CONNECTING: .connecting
            case DICTATION_CAPTURE_PAUSED: .paused
            case DICTATION_CAPTURE_STREAMING: .streaming
            default: .unavailable(message.map { DeviceText($0).text } ?? "")
            }
    }
}

/// The stream could not be created.
struct CaptureRefusal: Error, CustomStringConvertible {
    let description: String

    init(errno: Int32) { description = String(cString: strerror(errno)) }
}
