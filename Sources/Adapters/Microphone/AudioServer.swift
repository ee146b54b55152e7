public import DictationCore
public import EventLoop

/// A PipeWire server: what its graph holds, and capture from it.
///
/// The connection is made by descriptor, so that it can be lent by another process. When it is lost it is
/// made anew, for ever, with growing delays.
@EventLoopActor
public final class AudioServer {
    private let timing: Timing
    private let connect: @Sendable () async throws -> Descriptor
    private let publish: @EventLoopActor (AudioFacts) -> Void
    private let report: @EventLoopActor (MicrophoneError) -> Void
    private let dataThreadStarted: @EventLoopActor (Int32) -> Void
    private let linksLentStreams: Bool

    private var phase = Phase.stopped
    private var backoff: Backoff
    /// The facts told last; none before the first attempt to connect has succeeded or failed.
    private var facts: AudioFacts?
    private var captures: [StreamID: OpenCapture] = [:]
    /// Captures that could not be opened, until that is told.
    private var failedToOpen: Set<StreamID> = []
    private var lastStreamID: StreamID = 0

    private enum Phase {
        case stopped
        case connecting(Task<Void, Never>)
        case connected(ConnectionState)
        case waiting(EventLoop.Timer)
    }

    /// Makes a server that is not connected before ``start()``.
    /// - Parameters:
    ///   - connect: Gives a socket that is connected to the server. Asked again after each loss.
    ///   - publish: Told the facts whenever they have changed, complete; first when the first attempt to
    ///     connect has succeeded or failed.
    ///   - report: Told each loss and each failure to connect, for the log.
    ///   - dataThreadStarted: Given the kernel's id of the thread that takes the samples, once for each connection that
    ///     captures. It deserves real-time priority.
    ///   - linksLentStreams: Also link the capture streams of the connections that this process has lent
    ///     (``LentConnection``), which may not do so themselves.
    public nonisolated init(
        timing: Timing = Timing(),
        connect: @escaping @Sendable () async throws -> Descriptor,
        publish: @escaping @EventLoopActor (AudioFacts) -> Void,
        report: @escaping @EventLoopActor (MicrophoneError) -> Void,
        dataThreadStarted: @escaping @EventLoopActor (Int32) -> Void = { _ in },
        linksLentStreams: Bool = false
    ) {
        self.timing = timing
        self.connect = connect
        self.publish = publish
        self.report = report
        self.dataThreadStarted = dataThreadStarted
        self.linksLentStreams = linksLentStreams
        backoff = Backoff(timing.retry)
    }

    /// How long to wait for what.
    public struct Timing: Sendable {
        /// A stream that delivers nothing for so long is stalled.
        public var stall = Duration.seconds(2)
        /// A server that leaves a question unanswered for so long is lost.
        public var answer = Duration.seconds(10)
        /// A default source that does not fit the rest for so long is asked for anew.
        public var doubt = Duration.milliseconds(250)
        /// A stream that is not linked for so long is given a port of its own if it needs one, and after as long again it is
        /// linked without the session manager, which takes 30 ms.
        public var link = Duration.milliseconds(1500)
        /// From the first to the longest delay between attempts to connect.
        public var retry = Duration.milliseconds(50)...Duration.seconds(5)

        public init() {}
    }
}

// MARK: - Connecting

extension AudioServer {
    /// Connects, and keeps connected until ``stop()``.
    public func start() {
        guard case .stopped = phase else { return }
        tryToConnect()
    }

    /// Connects now where the next attempt would be later: there is reason to think that it will succeed.
    public func connectNow() {
        guard case .waiting(let timer) = phase else { return }
        timer.cancel()
        backoff.reset()
        tryToConnect()
    }

    /// Takes the connection for lost, and tries to get another: whoever lent it wants it back.
    public func disconnect() {
        switch phase {
        case .connected: lose(MicrophoneError(.disconnected, message: "the connection was withdrawn"))
        // What is on its way was lent by the same.
        case .connecting(let task):
            task.cancel()
            tryLater(MicrophoneError(.cannotConnect, message: "the connection was withdrawn"))
            tell(.serverLost)
        case .stopped, .waiting: break
        }
    }

    /// Ends all captures without a word, and the connection. To be called before the server is let go.
    public func stop() {
        let ended = phase
        phase = .stopped
        for capture in captures.values { capture.end(.discard) }
        captures = [:]
        failedToOpen = []
        switch ended {
        case .stopped: break
        case .connecting(let task): task.cancel()
        case .connected(let session): session.end()
        case .waiting(let timer): timer.cancel()
        }
        facts = nil
    }

    private func tryToConnect() {
        phase = .connecting(
            Task {
                do {
                    let socket = try await connect()
                    if !Task.isCancelled { try begin(on: socket) }
                } catch {
                    if Task.isCancelled { return }
                    let trouble = error as? MicrophoneError
                    tryLater(trouble ?? MicrophoneError(.cannotConnect, underlying: error))
                    tell(.serverLost)
                }
            })
    }

    private func tryLater(_ error: MicrophoneError) {
        report(error)
        var generator = SystemRandomNumberGenerator()
        phase = .waiting(
            EventLoopActor.schedule(after: backoff.nextDelay(using: &generator)) { [weak self] in
                self?.tryToConnect()
            })
    }

    private func begin(on socket: Descriptor) throws {
        let session = ConnectionState(try PipeWireConnection(socket))
        session.watch = try EventLoopActor.watch(session.connection.descriptor, for: .readable) {
            [weak self] _ in self?.follow()
        }
        phase = .connected(session)
        ask(.enumerate, of: session)
    }

    private func lose(_ error: MicrophoneError) {
        guard case .connected(let session) = phase else { return }
        let lost = captures
        captures = [:]
        for capture in lost.values { capture.end(.deliver) }
        session.end()
        tryLater(error)
        tell(.serverLost)
        for capture in lost.values { capture.fail(.serverLost) }
    }

    private var session: ConnectionState? {
        if case .connected(let session) = phase { session } else { nil }
    }
}

// MARK: - Questions

extension AudioServer {
    private func ask(_ purpose: ConnectionState.Purpose, of session: ConnectionState) {
        guard let number = session.connection.beginRoundTrip() else {
            if case .release(let continuation) = purpose { continuation.resume() }
            return lose(MicrophoneError(.disconnected, message: "a question could not be sent"))
        }
        let limit = timing.answer
        let deadline = EventLoopActor.schedule(after: limit) { [weak self] in
            self?.expire(number, after: limit)
        }
        session.roundTrips[number] = ConnectionState.RoundTrip(purpose: purpose, deadline: deadline)
    }

    /// The answer may be there, and only have been waiting for this loop.
    private func expire(_ number: Int32, after limit: Duration) {
        follow()
        guard let session, session.roundTrips[number] != nil else { return }
        lose(MicrophoneError(.noAnswer, message: "nothing came for \(limit)"))
    }

    private func check(_ session: ConnectionState) {
        if !session.isChecking { ask(.check, of: session) }
    }

    private func finish(_ number: Int32, of session: ConnectionState) {
        guard let roundTrip = session.roundTrips.removeValue(forKey: number) else { return }
        roundTrip.deadline.cancel()
        switch roundTrip.purpose {
        case .enumerate: session.isEnumerated = true
        case .complete(let nodes): session.graph.complete(nodes)
        case .release(let continuation): continuation.resume()
        case .check: tellStalls()
        }
    }
}

// MARK: - Following the graph

extension AudioServer {
    /// Takes in what the server has told.
    private func follow() {
        guard let session else { return }
        var incomplete: [ObjectID] = []
        for capture in captures.values { capture.hold() }
        let events = session.connection.takeEvents()
        session.endRemovedStreams()
        for (index, event) in events.enumerated() {
            for object in session.graph.follow(event) {
                session.connection.watch(object)
                if case .node(let id) = object { incomplete.append(id) }
            }
            switch event {
            case .roundTripDone(let number):
                finish(number, of: session)
            case .failed(let trouble):
                if trouble.isLoss {
                    // The streams have told what they held behind the loss of their server.
                    for case .captured(let stream, let samples) in events[index...] {
                        capture(of: stream)?.take(samples)
                    }
                    return lose(MicrophoneError(.disconnected, message: trouble.message))
                }
                check(session)
            case .captured(let stream, let samples):
                capture(of: stream)?.take(samples)
            case .captureChanged(let stream, let state):
                capture(of: stream)?.change(state, hasSource: session.graph.hasSource)
            case .linkAdded, .nodeAdded:
                feedCaptures(from: session.graph)
            case .identified, .clientAdded, .nodeChanged, .nodeMuteChanged, .clientChanged, .deviceChanged,
                .portAdded, .linkFactoryAdded, .objectRemoved, .defaultSourceChanged:
                break
            }
        }
        if !incomplete.isEmpty { ask(.complete(incomplete), of: session) }
        // Any question may have found that the server is gone.
        if self.session === session { settle(session) }
        release(of: session)
    }

    private func settle(_ session: ConnectionState) {
        session.settle()
        guard session.isKnown else { return }
        backoff.reset()
        let facts = session.graph.facts
        doubtDefault(of: facts, session)
        // Before what became of the streams, so that who hears that one was moved knows why.
        tell(facts)
        release(of: session)
        if !session.graph.hasSource { for capture in captures.values { capture.stall() } }
        for (id, capture) in captures {
            guard let failure = capture.failure else { continue }
            captures[id] = nil
            dismiss(capture, .deliver, session)
            capture.fail(failure)
        }
        followLinks(of: session)
    }

    /// Lets the streams tell what became of them; one that was moved to a source of which not all is known yet, when
    /// it is.
    private func release(of session: ConnectionState) {
        for capture in captures.values {
            let isKnown = capture.source.map { facts?.sources[$0] != nil } ?? true
            if isKnown || !session.isCompleting { capture.release() }
        }
    }

    private func doubtDefault(of facts: AudioFacts, _ session: ConnectionState) {
        let followed = Set(captures.values.filter(\.followsDefault).compactMap(\.source))
        let doubt = ConnectionState.DefaultMismatch(facts, followed: followed)
        guard doubt != session.doubt else { return }
        session.doubt = doubt
        session.rereading?.cancel()
        guard doubt != nil else { return }
        session.rereading = EventLoopActor.schedule(after: timing.doubt) { [weak self] in
            self?.session?.connection.rereadDefaultSource()
        }
    }

    private func feedCaptures(from graph: Graph) {
        for capture in captures.values {
            if let node = capture.stream.node { capture.feed(graph.peer(of: node)) }
        }
    }

    private func capture(of stream: StreamID) -> OpenCapture? {
        captures.values.first { $0.stream.id == stream }
    }

    private func tell(_ new: AudioFacts) {
        guard new != facts else { return }
        facts = new
        publish(new)
    }
}

// MARK: - Capturing

extension AudioServer {
    /// Opens a capture stream. Whatever becomes of it, failure included, is told by `events`, after this call
    /// has returned.
    /// - Parameters:
    ///   - samples: Given what the source brings: signed 16 bit, mono, 16 kHz, in order. Must not block.
    ///   - events: Told how the stream fares, in order with the samples. Must not block.
    public func open(
        _ request: CaptureRequest, samples: @escaping @EventLoopActor ([Int16]) -> Void,
        events: @escaping @EventLoopActor (CaptureEvent) -> Void
    ) -> Capture {
        lastStreamID += 1
        let id = lastStreamID
        func fail(_ failure: CaptureFailure) -> Capture {
            failedToOpen.insert(id)
            EventLoopActor.execute { [weak self] in
                if self?.failedToOpen.remove(id) != nil { events(.failed(failure)) }
            }
            return Capture(id: id, server: self)
        }
        guard let session else { return fail(.serverLost) }
        do {
            let stream = try session.connection.openCapture(id, session.options(for: request))
            let capture = OpenCapture(stream, for: request, samples: samples, events: events)
            capture.watch = try watch(stream, of: id)
            captures[id] = capture
            watchOver(id, after: timing.stall)
            return Capture(id: id, server: self)
        } catch {
            return fail(.refused(String(describing: error)))
        }
    }

    private func watch(_ stream: CaptureStream, of id: StreamID) throws -> EventLoop.Watch {
        try EventLoopActor.watch(stream.descriptor, for: .readable) { [weak self] _ in
            self?.read(id)
        }
    }

    /// Ends a stream: no event comes any more, and of its samples only the remainder, before this returns. Its node
    /// leaves the graph soon after; ``settled()`` tells when.
    public func close(_ capture: Capture, _ remainder: Capture.Remainder) {
        failedToOpen.remove(capture.id)
        guard let session, let closed = captures.removeValue(forKey: capture.id) else { return }
        dismiss(closed, remainder, session)
    }

    private func dismiss(_ closed: OpenCapture, _ remainder: Capture.Remainder, _ session: ConnectionState) {
        closed.fallSilent(remainder)
        followLinks(of: session)
        session.dismiss(closed.stream)
        // A server that hangs would not remove it.
        check(session)
    }

    /// Hands over what the stream holds now.
    public func drain(_ capture: Capture) {
        captures[capture.id]?.read()
    }

    /// Returns when the nodes of all streams that were closed have left the graph, or the server is gone.
    public func settled() async {
        if let session { await withCheckedContinuation { session.awaitRemovals($0) } }
        guard let session else { return }
        await withCheckedContinuation { ask(.release($0), of: session) }
    }

    private func read(_ id: StreamID) {
        guard let capture = captures[id] else { return }
        if let session, session.thread == nil, let thread = capture.stream.thread {
            session.thread = thread
            dataThreadStarted(thread)
        }
        capture.read()
    }

    private func watchOver(_ id: StreamID, after delay: Duration) {
        captures[id]?.watchdog = EventLoopActor.schedule(after: delay) { [weak self] in
            self?.inspect(id)
        }
    }

    /// A vanished device often gives no error at all, and neither does a server that was stopped.
    private func inspect(_ id: StreamID) {
        guard let capture = captures[id] else { return }
        capture.inspect()
        let silence = capture.silence
        guard silence >= timing.stall else { return watchOver(id, after: timing.stall - silence) }
        watchOver(id, after: timing.stall)
        // Sound that flowed and stopped is told at once. Why none comes at all, the server's answer tells: a device
        // that hangs is waited for otherwise than a server that does.
        if capture.isFlowing { capture.stall() }
        if let session { check(session) }
    }

    private func tellStalls() {
        for capture in captures.values {
            capture.inspect()
            if capture.silence >= timing.stall { capture.stall() }
        }
    }
}

// MARK: - Linking

extension AudioServer {
    /// Links what the session manager leaves unlinked, and no longer than it does.
    private func followLinks(of session: ConnectionState) {
        let graph = session.graph
        var unlinked: [UnlinkedStream] = []
        for capture in captures.values {
            guard let node = capture.stream.node else { continue }
            capture.setVolume(graph.volume(of: node))
            let target = capture.request.target.map { graph.target($0) }
            // A stream without ports is replaced. One with ports waits if this connection may not link: whoever lent the
            // connection links it.
            if let stream = graph.unlinked(node, target: target), graph.mayLink || stream.links == nil {
                unlinked.append(stream)
            }
        }
        if linksLentStreams {
            for (node, target) in graph.lentStreams {
                let stream = graph.unlinked(node, target: target)
                if let stream, stream.links != nil { unlinked.append(stream) }
            }
        }
        session.links.follow(unlinked)
        for node in session.links.unscheduled(hasLinks: session.connection.hasLinks) {
            let timer = EventLoopActor.schedule(after: timing.link) { [weak self] in self?.link(node) }
            session.links.schedule(node, timer)
        }
        session.connection.retainLinks(session.links.wanted)
    }

    private func link(_ node: ObjectID) {
        let due = session?.links.stream(node)
        // The session manager may have linked it, and the news only have been waiting for this loop.
        follow()
        guard let session, let due, session.links.stream(node) == due else { return }
        if session.links.begin(node) {
            session.connection.makeLinks(session.links.wanted)
        } else if let (id, capture) = captures.first(where: { $0.value.stream.node == node }) {
            replaceStream(of: id, capture, session)
        }
    }

    /// Gives a capture a stream that can be linked.
    private func replaceStream(of id: StreamID, _ capture: OpenCapture, _ session: ConnectionState) {
        lastStreamID += 1
        var options = session.options(for: capture.request)
        options.hasPort = true
        do {
            let stream = try session.connection.openCapture(lastStreamID, options)
            session.dismiss(capture.replace(stream, try watch(stream, of: id)))
        } catch {
            captures[id] = nil
            dismiss(capture, .deliver, session)
            capture.fail(.refused(String(describing: error)))
        }
    }
}
