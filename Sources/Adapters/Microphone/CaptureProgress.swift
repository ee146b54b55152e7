internal import DictationCore

/// How a capture stream fares: turns what is seen of it into what is told of it.
struct CaptureProgress {
    private(set) var isFlowing = false
    private(set) var isStalled = false
    /// The last source that fed the stream.
    private(set) var source: NodeName?
    /// What feeds the stream, or last fed it, is a microphone: its samples may be heard.
    private(set) var isMicrophone = false
    /// PipeWire runs the stream.
    private var isStreaming = false
}

extension CaptureProgress {
    /// The graph shows what feeds the stream. A gap between two sources changes nothing: samples that come
    /// during it are the old one's.
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
        // The same stream may come back from another source, or the same one after a pause: that is told.
        isFlowing = false
    }

    /// Samples came.
    mutating func arrive() -> CaptureEvent? {
        // What still comes after a pause is no sign of life.
        guard isMicrophone, isStreaming else { return nil }
        isStalled = false
        defer { isFlowing = true }
        return isFlowing ? nil : .flowing
    }

    /// Nothing came for too long, or nothing can come.
    mutating func stall() -> CaptureEvent? {
        isFlowing = false
        defer { isStalled = true }
        return isStalled ? nil : .stalled
    }
}
