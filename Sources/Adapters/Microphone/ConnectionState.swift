internal import DictationCore
internal import EventLoop

/// What lasts as long as one connection to the server.
final class ConnectionState {
    let connection: PipeWireConnection
    var graph = Graph()
    var watch: EventLoop.Watch?
    /// Questions that the server has not answered yet.
    var roundTrips: [Int32: RoundTrip] = [:]
    /// The server has told all that was there when the connection began,
    var isEnumerated = false
    /// and all about it.
    var isKnown = false

    /// Streams that were closed and that the server has not removed yet, and who waits for their end.
    private var leaving: [CaptureStream] = []
    private var removalWaiters: [CheckedContinuation<Void, Never>] = []

    /// The links that this connection makes.
    let links = StreamLinks()

    /// The data thread, once it was reported.
    var thread: Int32?

    /// What makes the default source doubtful at present, and when it will be asked for anew.
    var doubt: DefaultMismatch?
    var rereading: EventLoop.Timer?

    init(_ connection: PipeWireConnection) {
        self.connection = connection
    }

    struct RoundTrip {
        var purpose: Purpose
        var deadline: EventLoop.Timer
    }

    enum Purpose {
        /// Everything in the graph has been told.
        case enumerate
        /// These nodes have told everything about themselves.
        case complete([ObjectID])
        /// A stream's node has left the graph.
        case release(CheckedContinuation<Void, Never>)
        /// The server lives.
        case check
    }

    /// PipeWire (0.3.65, and 1.7 by its source) tells a change of metadata to nobody who has bound it while somebody
    /// else is just binding it. A default that does not fit the rest may be such a change, lost.
    struct DefaultMismatch: Hashable {
        var sources: Set<NodeName>
        var defaultSource: NodeName?
        /// Where the session manager has linked streams that follow the default.
        var followed: Set<NodeName>

        init?(_ facts: AudioFacts, followed: Set<NodeName>) {
            sources = Set(facts.sources.keys)
            defaultSource = facts.defaultSource
            self.followed = followed
            let isMissing = facts.defaultSource == nil && !sources.isEmpty
            guard isMissing || followed.contains(where: { $0 != facts.defaultSource }) else { return nil }
        }
    }

    var isChecking: Bool {
        roundTrips.values.contains { if case .check = $0.purpose { true } else { false } }
    }

    /// Of some nodes not all is known yet.
    var isCompleting: Bool {
        roundTrips.values.contains { if case .complete = $0.purpose { true } else { false } }
    }

    func options(for request: CaptureRequest) -> CaptureStream.Options {
        CaptureStream.Options(
            name: request.name, description: request.description,
            target: request.target.map { graph.target($0) }, ringFrames: request.bufferedFrames)
    }

    /// To be called when something was told: notes when the graph is known.
    func settle() {
        if isEnumerated && !isCompleting { isKnown = true }
    }

    /// Ends a stream as soon as the server has removed it.
    func dismiss(_ stream: CaptureStream) {
        leaving.append(stream)
        endRemovedStreams()
    }

    /// Ends the streams that the server has removed. To be called after each batch of events.
    func endRemovedStreams() {
        leaving.removeAll { stream in
            let isRemoved = stream.withdraw()
            if isRemoved { stream.stop() }
            return isRemoved
        }
        if leaving.isEmpty { resumeRemovalWaiters() }
    }

    /// Resumes when all streams that were dismissed have been ended.
    func awaitRemovals(_ continuation: CheckedContinuation<Void, Never>) {
        removalWaiters.append(continuation)
        endRemovedStreams()
    }

    private func resumeRemovalWaiters() {
        for continuation in removalWaiters { continuation.resume() }
        removalWaiters = []
    }

    /// Ends the connection and everything that waited for it.
    func end() {
        watch?.cancel()
        rereading?.cancel()
        links.follow([])
        for roundTrip in roundTrips.values {
            roundTrip.deadline.cancel()
            // A connection that ends takes its nodes with it.
            if case .release(let continuation) = roundTrip.purpose { continuation.resume() }
        }
        roundTrips = [:]
        for stream in leaving { stream.stop() }
        leaving = []
        resumeRemovalWaiters()
        connection.close()
    }
}
