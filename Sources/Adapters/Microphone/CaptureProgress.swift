internal import DictationCore

/// The state of a capture stream: converts observations to events.
struct CaptureProgress {
    private(set) var isFlowing = false
    private(set) var isStalled = false
    /// The last source that fed the stream.
    private(set) var source: NodeName?
    /// The present or last source of the stream is a microphone, so its samples may be used.
    private(set) var isMicrophone = false
    /// PipeWire runs the stream.
    private var isStreaming = false
}

extension CaptureProgress {
    /// The stream's source in the graph has changed. A gap between two sources changes nothing: samples that come
    /// during it are from the old one.
    mutating func feed(_ peer: Graph.Peer) -> CaptureEvent? {
        switch peer {
        case .none:
            return nil
        case .other:
            isMicrophone = false
            return stall()
        case .source(let name):
            isMicrophone = true
            defer { source = name }
            return source == name ? nil : .linked(name)
        }
    }

    mutating func change(_ state: CaptureStream.State) {
        isStreaming = state == .streaming
        // The stream may continue from another source, or after a pause: report that.
        isFlowing = false
    }

    /// Samples arrived.
    mutating func arrive() -> CaptureEvent? {
        // Samples that arrive after a pause do not count.
        guard isMicrophone, isStreaming else { return nil }
        isStalled = false
        defer { isFlowing = true }
        return isFlowing ? nil : .flowing
    }

    /// No samples for too long, or none can come.
    mutating func stall() -> CaptureEvent? {
        isFlowing = false
        defer { isStalled = true }
        return isStalled ? nil : .stalled
    }
}
