public import DictationCore
public import EventLoop

/// A PipeWire server: the state of its graph, and capture.
///
/// A lost connection is made again, without limit, with exponential backoff.
@EventLoopActor
public final class AudioServer {
    private let timing: Timing
    private let connect: @Sendable () async throws -> Descriptor
    private let publish: @EventLoopActor (AudioFacts) -> Void
    private let report: @EventLoopActor (MicrophoneError) -> Void
    private let dataThreadStarted: @EventLoopActor (Int32) -> Void

    private var phase = Phase.stopped
    private var backoff: Backoff
    /// The facts published last; nil before the first connection attempt has ended.
    private var facts: AudioFacts?
    private var captures: [StreamID: OpenCapture] = [:]
    /// Captures that wait until closed streams have left the server, in order. Those that are closed before are never opened.
    private var delayed: [DelayedCapture] = []
    /// Captures that could not be opened, until that is reported.
    private var failedToOpen: Set<StreamID> = []
    private var lastStreamID: StreamID = 0

    private struct DelayedCapture {
        let id: StreamID
        let request: CaptureRequest
        let samples: @EventLoopActor ([Int16]) -> Void
        let events: @EventLoopActor (CaptureEvent) -> Void
    }

    private enum Phase {
        case stopped
        case connecting(Task<Void, Never>)
        case connected(ConnectionState)
        case waiting(EventLoop.Timer)
    }

    /// Makes a server, to be connected by ``start()``.
    /// - Parameters:
    ///   - connect: Gives a socket that is connected to the server. Asked again after each loss.
    ///   - publish: Called with all facts after every change, and once after the first connection attempt.
    ///   - report: Called for each loss and each failed connection attempt, for the log.
    ///   - dataThreadStarted: Given the kernel's id of the thread that takes the samples, once for each connection that
    ///     captures. It deserves real-time priority.
    public nonisolated init(
        timing: Timing = Timing(),
        connect: @escaping @Sendable () async throws -> Descriptor,
        publish: @escaping @EventLoopActor (AudioFacts) -> Void,
        report: @escaping @EventLoopActor (MicrophoneError) -> Void,
        dataThreadStarted: @escaping @EventLoopActor (Int32) -> Void = { _ in }
    ) {
        self.timing = timing
        self.connect = connect
        self.publish = publish
        self.report = report
        self.dataThreadStarted = dataThreadStarted
        backoff = Backoff(timing.retry)
    }

    /// Timeouts.
    public struct Timing: Sendable {
        /// A stream without samples for this long is stalled.
        public var stall = Duration.seconds(2)
        /// A server that does not answer for this long is lost.
        public var answer = Duration.seconds(10)
        /// A default source that contradicts the rest for this long is queried again.
        public var defaultMismatch = Duration.milliseconds(250)
        /// A stream that is not linked for this long gets a port of its own if it needs one. After as long again it is
        /// linked without the session manager, which takes 30 ms.
        public var link = Duration.milliseconds(1500)
        /// Backoff between attempts to connect, from the shortest to the longest.
        public var retry = Duration.milliseconds(50)...Duration.seconds(5)

        public init() {}
    }
}

// MARK: - Connecting

extension AudioServer {
    /// Connects, and reconnects until ``stop()``.
    public func start() {
        guard case .stopped = phase else { return }
        tryToConnect()
    }

    /// Connects at once instead of waiting for the next attempt.
    public func connectNow() {
        guard case .waiting(let timer) = phase else { return }
        timer.cancel()
        backoff.reset()
        tryToConnect()
    }

    /// Ends all captures without events, and the connection. Must be called before the server is released.
    public func stop() {
        let ended = phase
        phase = .stopped
        for capture in captures.values { capture.end(.discard) }
        captures = [:]
        delayed = []
        failedToOpen = []
        switch ended {
        case .stopped: break
        case .connecting(let task): task.cancel()
        case .connected(let state): state.end()
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
                    publishIfChanged(.serverLost)
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
        let state = ConnectionState(try PipeWireConnection(socket))
        state.watch = try EventLoopActor.watch(state.connection.descriptor, for: .readable) {
            [weak self] _ in self?.follow()
        }
        phase = .connected(state)
        ask(.enumerate, of: state)
    }

    private func lose(_ error: MicrophoneError) {
        guard case .connected(let state) = phase else { return }
        let lost = captures
        captures = [:]
        let unopened = delayed
        delayed = []
        for capture in lost.values { capture.end(.deliver) }
        state.end()
        tryLater(error)
        publishIfChanged(.serverLost)
        for capture in lost.values { capture.fail(.serverLost) }
        for capture in unopened { capture.events(.failed(.serverLost)) }
    }

    private var state: ConnectionState? {
        if case .connected(let state) = phase { state } else { nil }
    }

    // MARK: Round trips

    private func ask(_ purpose: ConnectionState.Purpose, of state: ConnectionState) {
        guard let number = state.connection.beginRoundTrip() else {
            if case .release(let continuation) = purpose { continuation.resume() }
            return lose(MicrophoneError(.disconnected, message: "a request could not be sent"))
        }
        let limit = timing.answer
        let deadline = EventLoopActor.schedule(after: limit) { [weak self] in
            self?.expire(number, after: limit)
        }
        state.roundTrips[number] = ConnectionState.RoundTrip(purpose: purpose, deadline: deadline)
    }

    /// The answer may have arrived and be waiting for this loop.
    private func expire(_ number: Int32, after limit: Duration) {
        follow()
        guard let state, state.roundTrips[number] != nil else { return }
        lose(MicrophoneError(.noAnswer, message: "no answer within \(limit)"))
    }

    private func check(_ state: ConnectionState) {
        if !state.isChecking { ask(.check, of: state) }
    }

    private func finish(_ number: Int32, of state: ConnectionState) {
        guard let roundTrip = state.roundTrips.removeValue(forKey: number) else { return }
        roundTrip.deadline.cancel()
        switch roundTrip.purpose {
        case .enumerate: state.isEnumerated = true
        case .complete(let nodes): state.graph.complete(nodes)
        case .release(let continuation): continuation.resume()
        case .check: reportStalls()
        }
    }
}

// MARK: - Observing the graph

extension AudioServer {
    /// Handles events of the server.
    private func follow() {
        guard let state else { return }
        var incomplete: [ObjectID] = []
        for capture in captures.values { capture.hold() }
        let events = state.connection.takeEvents()
        state.endRemovedStreams()
        for (index, event) in events.enumerated() {
            for object in state.graph.follow(event) {
                state.connection.watch(object)
                if case .node(let id) = object { incomplete.append(id) }
            }
            switch event {
            case .roundTripDone(let number):
                finish(number, of: state)
            case .failed(let trouble):
                if trouble.isLoss {
                    // The streams have delivered what they held from before the loss.
                    for case .captured(let stream, let samples) in events[index...] {
                        capture(of: stream)?.deliver(samples)
                    }
                    return lose(MicrophoneError(.disconnected, message: trouble.message))
                }
                check(state)
            case .captured(let stream, let samples):
                capture(of: stream)?.deliver(samples)
            case .captureChanged(let stream, let change):
                capture(of: stream)?.change(change, hasSource: state.graph.hasSource)
            case .linkAdded, .nodeAdded, .objectRemoved:
                feedCaptures(from: state.graph)
            case .identified, .clientAdded, .nodeChanged, .nodeMuteChanged, .nodeVolumeChanged,
                .clientChanged, .deviceChanged, .portAdded, .linkFactoryAdded, .defaultSourceChanged:
                break
            }
        }
        if !incomplete.isEmpty { ask(.complete(incomplete), of: state) }
        // Any request may have found that the server is gone.
        if self.state === state { settle(state) }
        release(of: state)
        openDelayed()
    }

    private func settle(_ state: ConnectionState) {
        state.settle()
        guard state.isKnown else { return }
        backoff.reset()
        let facts = state.graph.facts
        doubtDefault(of: facts, state)
        // Before the streams' events, so that the receiver of a route change knows the reason.
        publishIfChanged(facts)
        release(of: state)
        if !state.graph.hasSource { for capture in captures.values { capture.stall() } }
        for (id, capture) in captures {
            guard let failure = capture.failure else { continue }
            captures[id] = nil
            dismiss(capture, .deliver, state)
            capture.fail(failure)
        }
        followLinks(of: state)
    }

    /// Lets the streams report their state. A stream that was moved to a source with unknown properties waits until
    /// they are known.
    private func release(of state: ConnectionState) {
        for capture in captures.values {
            let isKnown = capture.source.map { facts?.sources[$0] != nil } ?? true
            if isKnown || !state.isCompleting { capture.release() }
        }
    }

    private func doubtDefault(of facts: AudioFacts, _ state: ConnectionState) {
        let followed = captures.values.filter(\.followsDefault).map(\.peer)
        let defaultMismatch = state.defaultMismatch(of: facts, followed: followed)
        guard defaultMismatch != state.defaultMismatch else { return }
        state.defaultMismatch = defaultMismatch
        state.rereading?.cancel()
        guard defaultMismatch != nil else { return }
        state.rereading = EventLoopActor.schedule(after: timing.defaultMismatch) { [weak self] in
            self?.state?.connection.rereadDefaultSource()
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

    private func publishIfChanged(_ new: AudioFacts) {
        guard new != facts else { return }
        facts = new
        publish(new)
    }
}

// MARK: - Capturing

extension AudioServer {
    /// Opens a capture stream. Its result, including failure, is reported to `events` after this call has returned.
    /// - Parameters:
    ///   - samples: called with the source's samples: signed 16 bit, mono, at the request's rate, in order. Must not block.
    ///   - events: called with the stream's events, in order with the samples. Must not block.
    public func open(
        _ request: CaptureRequest, samples: @escaping @EventLoopActor ([Int16]) -> Void,
        events: @escaping @EventLoopActor (CaptureEvent) -> Void
    ) -> Capture {
        lastStreamID += 1
        let new = DelayedCapture(id: lastStreamID, request: request, samples: samples, events: events)
        if let state, !state.mayOpen || !delayed.isEmpty {
            delayed.append(new)
        } else {
            open(new)
        }
        return Capture(id: new.id, server: self)
    }

    private func open(_ new: DelayedCapture) {
        guard let state else { return fail(new, .serverLost) }
        do {
            let stream = try state.connection.openCapture(new.id, state.options(for: new.request))
            let capture = OpenCapture(stream, for: new.request, samples: new.samples, events: new.events)
            capture.watch = try watch(stream, of: new.id)
            captures[new.id] = capture
            watchOver(new.id, after: timing.stall)
        } catch {
            fail(new, .refused(String(describing: error)))
        }
    }

    private func fail(_ capture: DelayedCapture, _ failure: CaptureFailure) {
        failedToOpen.insert(capture.id)
        EventLoopActor.execute { [weak self] in
            if self?.failedToOpen.remove(capture.id) != nil { capture.events(.failed(failure)) }
        }
    }

    private func openDelayed() {
        while let state, state.mayOpen, !delayed.isEmpty { open(delayed.removeFirst()) }
    }

    private func watch(_ stream: CaptureStream, of id: StreamID) throws -> EventLoop.Watch {
        try EventLoopActor.watch(stream.descriptor, for: .readable) { [weak self] _ in
            self?.read(id)
        }
    }

    /// Ends a stream. No event follows, and of its samples only the buffered ones, before this returns. Its node leaves
    /// the graph soon after; ``settled()`` waits for that.
    public func close(_ capture: Capture, _ remainder: Capture.Remainder) {
        failedToOpen.remove(capture.id)
        delayed.removeAll { $0.id == capture.id }
        guard let state, let closed = captures.removeValue(forKey: capture.id) else { return }
        dismiss(closed, remainder, state)
    }

    private func dismiss(_ closed: OpenCapture, _ remainder: Capture.Remainder, _ state: ConnectionState) {
        closed.fallSilent(remainder)
        followLinks(of: state)
        state.dismiss(closed.stream)
        // A server that hangs would not remove it.
        check(state)
    }

    /// Delivers the samples that the stream has buffered.
    public func drain(_ capture: Capture) {
        captures[capture.id]?.read()
    }

    /// Returns when the nodes of all closed streams have left the graph, or the server is gone.
    public func settled() async {
        if let state { await withCheckedContinuation { state.awaitRemovals($0) } }
        guard let state else { return }
        await withCheckedContinuation { ask(.release($0), of: state) }
    }

    private func read(_ id: StreamID) {
        guard let capture = captures[id] else { return }
        if let state, state.thread == nil, let thread = capture.stream.thread {
            state.thread = thread
            dataThreadStarted(thread)
        }
        capture.read()
    }

    private func watchOver(_ id: StreamID, after delay: Duration) {
        captures[id]?.watchdog = EventLoopActor.schedule(after: delay) { [weak self] in
            self?.inspect(id)
        }
    }

    /// A removed device often causes no error, and neither does a stopped server.
    private func inspect(_ id: StreamID) {
        guard let capture = captures[id] else { return }
        let silence = capture.inspect()
        guard silence >= timing.stall else { return watchOver(id, after: timing.stall - silence) }
        watchOver(id, after: timing.stall)
        // A stall after samples is reported at once. If no sample ever came, the server's answer distinguishes a device
        // that hangs from a server that hangs: they have different timeouts.
        if capture.isFlowing { capture.stall() }
        if let state { check(state) }
    }

    private func reportStalls() {
        for capture in captures.values where capture.inspect() >= timing.stall { capture.stall() }
    }
}

// MARK: - Linking

extension AudioServer {
    /// Links streams that the session manager leaves unlinked, as long as it does so.
    private func followLinks(of state: ConnectionState) {
        let graph = state.graph
        var unlinked: [UnlinkedStream] = []
        for capture in captures.values {
            guard let node = capture.stream.node else { continue }
            capture.setVolume(graph.volume(of: node))
            let target = capture.request.target.map { graph.target($0) }
            // A stream without ports is replaced. One with ports waits if this connection may not link.
            if let stream = graph.unlinked(node, target: target), graph.mayLink || stream.links == nil {
                unlinked.append(stream)
            }
        }
        state.links.follow(unlinked)
        for node in state.links.unscheduled(hasLinks: state.connection.hasLinks) {
            // What the server needed until now is no silence, and no samples come before a link.
            if !state.links.hasBegun(node) {
                captures.values.first { $0.stream.node == node }?.beginSilence()
            }
            let timer = EventLoopActor.schedule(after: timing.link) { [weak self] in self?.link(node) }
            state.links.schedule(node, timer)
        }
        state.connection.retainLinks(state.links.wanted)
    }

    private func link(_ node: ObjectID) {
        let due = state?.links.stream(node)
        // The session manager may have linked it, and the news only have been waiting for this loop.
        follow()
        guard let state, let due, state.links.stream(node) == due else { return }
        let own = captures.first { $0.value.stream.node == node }
        let isRepeated = state.links.hasBegun(node)
        if state.links.begin(node) {
            // Samples can come from now on.
            if !isRepeated { own?.value.beginSilence() }
            state.connection.makeLinks(state.links.wanted)
        } else if let (id, capture) = own {
            replaceStream(of: id, capture, state)
        }
    }

    /// Replaces a capture's stream by one that can be linked.
    private func replaceStream(of id: StreamID, _ capture: OpenCapture, _ state: ConnectionState) {
        lastStreamID += 1
        var options = state.options(for: capture.request)
        options.hasPort = true
        do {
            let stream = try state.connection.openCapture(lastStreamID, options)
            state.dismiss(capture.replace(stream, try watch(stream, of: id)))
        } catch {
            captures[id] = nil
            dismiss(capture, .deliver, state)
            capture.fail(.refused(String(describing: error)))
        }
    }
}
