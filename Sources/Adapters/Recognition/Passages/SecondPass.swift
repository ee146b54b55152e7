import DictationCore
import EventLoop

/// The passages of one session that a ``FinalEngine`` recognises. Carries out the decisions of a ``PassageQueue``.
final class SecondPass: Sendable {
    private struct State {
        var queue: PassageQueue
        /// Pending requests by passage: how to cancel them, and the number of the attempt.
        var requests: [PassageQueue.ID: (attempt: Int, cancel: @Sendable () -> Void)] = [:]
        var lastAttempt = 0
        var alarm: (deadline: Duration, timer: EventLoop.Timer)?
        var isClosed = false
    }

    private let engine: FinalEngine
    private let language: String
    private let vocabulary: [String]
    private let state: Lock<State>
    private let sink: @Sendable (RecognitionEvent) -> Void
    /// Called when a passage has its text.
    private let hasProgress: @Sendable () -> Void
    private let stopObserving = Lock<(@Sendable () -> Void)?>(nil)
    private let epoch = SuspendingClock.now

    /// - Parameters:
    ///   - sink: as ``Transcription``'s.
    ///   - hasProgress: must return at once, and must not call this.
    init(
        _ engine: FinalEngine, _ request: TranscriptionRequest,
        sink: @escaping @Sendable (RecognitionEvent) -> Void, hasProgress: @escaping @Sendable () -> Void
    ) {
        self.engine = engine
        language = request.language
        // A word may have several pronunciations.
        var words: Set<String> = []
        vocabulary = request.vocabulary.map(\.word).filter { words.insert($0).inserted }
        self.sink = sink
        self.hasProgress = hasProgress
        var settings = PassageQueue.Settings(engine: engine.name, previewEngine: request.previewEngine)
        settings.fallback = engine.fallback
        settings.commitTimeout = engine.commitTimeout
        settings.inputWaits = request.inputWaits
        state = Lock(State(queue: PassageQueue(settings: settings, health: engine.health)))
        let stop = engine.observe { [weak self] in
            self?.change { queue, health, now in queue.healthChanged(&health, at: now) }
        }
        stopObserving.withLock { $0 = stop }
    }

    deinit { close() }

    /// Passages without a text.
    var openCount: Int { state.withLock { $0.queue.openCount } }

    func add(_ passage: Passage) {
        change { queue, health, now in queue.add(passage, &health, at: now) }
    }

    /// - Parameter duration: seconds.
    func endBlock(_ block: BlockNumber, duration: Double) {
        change { queue, health, now in queue.endBlock(block, duration: duration, &health, at: now) }
    }

    func discard(_ block: BlockNumber) {
        change { queue, health, now in queue.discard(block, &health, at: now) }
    }

    /// No event follows.
    func close() {
        stopObserving.withLock { stop in
            defer { stop = nil }
            return stop
        }?()
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            state.alarm?.timer.cancel()
            state.alarm = nil
            for effect in state.queue.close() { perform(effect, &state) }
        }
    }

    private func answered(_ id: PassageQueue.ID, attempt: Int, _ result: Result<String, EngineFailure>) {
        let isCurrent = state.withLock { state in
            guard state.requests[id]?.attempt == attempt else { return false }
            state.requests[id] = nil
            return true
        }
        guard isCurrent else { return }
        change { queue, health, now in queue.answered(id, result, &health, at: now) }
    }

    private var now: Duration { SuspendingClock.now - epoch }

    private func change(
        _ body: (inout PassageQueue, inout EngineHealth, Duration) -> [PassageQueue.Effect]
    ) {
        state.withLock { state in
            guard !state.isClosed else { return }
            let now = now
            var queue = state.queue
            let effects = engine.withHealth { health in body(&queue, &health, now) }
            state.queue = queue
            for effect in effects { perform(effect, &state) }
            setAlarm(&state)
        }
        hasProgress()
    }

    /// An engine never completes within `recognize`, so it may be called with the lock held.
    private func perform(_ effect: PassageQueue.Effect, _ state: inout State) {
        switch effect {
        case .tell(let event, _):
            sink(event)
        case .cancel(let id):
            state.requests.removeValue(forKey: id)?.cancel()
        case .send(let id, let samples, let timeout):
            state.lastAttempt += 1
            let attempt = state.lastAttempt
            let code = engine.code(for: language) ?? language
            engine.willRecognize(in: code)
            let request = PassageRequest(
                samples: samples, language: code, vocabulary: vocabulary, timeout: timeout)
            let cancel = engine.engine.recognize(request) { [weak self] result in
                self?.answered(id, attempt: attempt, result)
            }
            state.requests[id] = (attempt, cancel)
        }
    }

    private func setAlarm(_ state: inout State) {
        let deadline = state.queue.nextDeadline
        guard deadline != state.alarm?.deadline else { return }
        state.alarm?.timer.cancel()
        state.alarm = deadline.map { deadline in
            let timer = engine.schedule(after: max(.zero, deadline - now)) { [weak self] in
                self?.deadlineReached()
            }
            return (deadline, timer)
        }
    }

    private func deadlineReached() {
        state.withLock { $0.alarm = nil }
        change { queue, health, now in queue.tick(&health, at: now) }
    }
}
