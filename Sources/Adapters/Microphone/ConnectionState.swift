internal import DictationCore
internal import EventLoop

/// The state of one connection to the server.
final class ConnectionState {
    let connection: PipeWireConnection
    var graph = Graph()
    var watch: EventLoop.Watch?
    /// Round trips that the server has not answered yet.
    var roundTrips: [Int32: RoundTrip] = [:]
    /// The server has listed all objects that existed when the connection began,
    var isEnumerated = false
    /// and all their properties.
    var isKnown = false

    /// Closed streams that the server has not removed yet, and the tasks that wait for it.
    private var leaving: [CaptureStream] = []
    private var removalWaiters: [CheckedContinuation<Void, Never>] = []

    /// The links that this connection makes.
    let links = StreamLinks()

    /// The data thread, once it was reported.
    var thread: Int32?

    /// The contradiction of the default source, and the timer for querying it again.
    var defaultMismatch: DefaultMismatch?
    var rereading: EventLoop.Timer?
    private var defaultEvidence = DefaultEvidence()

    init(_ connection: PipeWireConnection) {
        self.connection = connection
    }

    struct RoundTrip {
        var purpose: Purpose
        var deadline: EventLoop.Timer
    }

    enum Purpose {
        /// All objects of the graph are known.
        case enumerate
        /// All properties of these nodes are known.
        case complete([ObjectID])
        /// A stream's node has left the graph.
        case release(CheckedContinuation<Void, Never>)
        /// The server has answered.
        case check
    }

    /// PipeWire (0.3.65, and 1.7 by its source) loses a change of metadata for clients that have bound it, if another
    /// client binds it at the same time. A default that contradicts the rest may be due to such a loss.
    struct DefaultMismatch: Hashable {
        var sources: Set<NodeName>
        var evidence: DefaultEvidence

        init?(_ facts: AudioFacts, _ evidence: DefaultEvidence) {
            sources = Set(facts.sources.keys)
            self.evidence = evidence
            let isMissing = facts.defaultSource == nil && !sources.isEmpty
            guard isMissing || evidence.contradictsDefault else { return nil }
        }
    }

    /// What the session manager has linked to streams that follow the default.
    struct DefaultEvidence: Hashable {
        private var defaultSource: NodeName?
        private var followed: Set<Graph.Peer> = []

        /// Streams that are linked replace what was known. It outlives them, because one that is linked to a monitor is
        /// closed at once, but not the default.
        mutating func update(_ peers: [Graph.Peer], default source: NodeName?) {
            let peers = Set(peers).subtracting([.none])
            if !peers.isEmpty || source != defaultSource { followed = peers }
            defaultSource = source
        }

        /// The session manager links another source than the default, or a monitor although the default is a source.
        var contradictsDefault: Bool {
            let expected = defaultSource.map(Graph.Peer.source) ?? .other
            return followed.contains { $0 != expected }
        }
    }

    func defaultMismatch(of facts: AudioFacts, followed: [Graph.Peer]) -> DefaultMismatch? {
        defaultEvidence.update(followed, default: facts.defaultSource)
        return DefaultMismatch(facts, defaultEvidence)
    }

    var isChecking: Bool {
        roundTrips.values.contains { if case .check = $0.purpose { true } else { false } }
    }

    /// Some nodes have unknown properties.
    var isCompleting: Bool {
        roundTrips.values.contains { if case .complete = $0.purpose { true } else { false } }
    }

    func options(for request: CaptureRequest) -> CaptureStream.Options {
        CaptureStream.Options(
            name: request.name, description: request.description,
            target: request.target.map { graph.target($0) }, rate: request.rate,
            ringFrames: request.scaled(request.bufferedFrames), hasOneChannel: request.hasOneChannel)
    }

    /// Call after each event: checks whether the graph is known now.
    func settle() {
        if isEnumerated && !isCompleting { isKnown = true }
    }

    /// Whether a stream may be opened. A client that starts and stops all the time would otherwise fill the server with streams
    /// that are on their way out.
    var mayOpen: Bool { leaving.count < Self.mostLeaving }

    private static let mostLeaving = 4

    /// Removes a closed stream as soon as the server has removed it.
    func dismiss(_ stream: CaptureStream) {
        leaving.append(stream)
        endRemovedStreams()
    }

    /// Removes the closed streams that the server has removed. Call after each batch of events.
    func endRemovedStreams() {
        leaving.removeAll { stream in
            let isRemoved = stream.withdraw()
            if isRemoved { stream.stop() }
            return isRemoved
        }
        if leaving.isEmpty { resumeRemovalWaiters() }
    }

    /// Returns when all closed streams are gone.
    func awaitRemovals(_ continuation: CheckedContinuation<Void, Never>) {
        removalWaiters.append(continuation)
        endRemovedStreams()
    }

    private func resumeRemovalWaiters() {
        for continuation in removalWaiters { continuation.resume() }
        removalWaiters = []
    }

    /// Ends the connection and everything that waits for it.
    func end() {
        watch?.cancel()
        rereading?.cancel()
        links.follow([])
        for roundTrip in roundTrips.values {
            roundTrip.deadline.cancel()
            // The server removes the nodes of a connection that ends.
            if case .release(let continuation) = roundTrip.purpose { continuation.resume() }
        }
        roundTrips = [:]
        for stream in leaving { stream.stop() }
        leaving = []
        resumeRemovalWaiters()
        connection.close()
    }
}
