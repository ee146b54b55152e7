import DictationCore
import EventLoop

/// The passages of one session that a ``FinalEngine`` recognises. Carries out the decisions of a ``PassageQueue``.
final class SecondPass: Sendable {
    private struct State {
        var queue: PassageQueue
        /// Connections by passage, and the number of the attempt.
        var requests: [PassageQueue.ID: (attempt: Int, stream: any PassageStream)] = [:]
        var lastAttempt = 0
        var alarm: (deadline: Duration, timer: EventLoop.Timer)?
        var isClosed = false
    }

    private let engine: FinalEngine
    /// As the client asked for them, the preferred one first.
    private let languages: [String]
    private let vocabulary: [String]
    private let state: Lock<State>
    private let sink: @Sendable (RecognitionEvent) -> Void
    /// Called when a passage has its text.
    private let hasProgress: @Sendable () -> Void
    /// Called when ``wishes`` may have changed, but not within calls to this.
    private let wishesChanged = Lock<@Sendable () -> Void>({})
    private let stopObserving = Lock<(@Sendable () -> Void)?>(nil)
    private let epoch = SuspendingClock.now

    /// - Parameters:
    ///   - isOrdinary: whether a word in lower case is in the language's dictionary.
    ///   - sink: as ``Transcription``'s.
    ///   - hasProgress: must return at once, and must not call this.
    init(
        _ engine: FinalEngine, _ request: TranscriptionRequest,
        isOrdinary: @escaping @Sendable (String) -> Bool,
        sink: @escaping @Sendable (RecognitionEvent) -> Void, hasProgress: @escaping @Sendable () -> Void
    ) {
        self.engine = engine
        languages = [request.language] + request.otherLanguages
        // A word may have several pronunciations.
        var words: Set<String> = []
        vocabulary = request.vocabulary.map(\.word).filter { words.insert($0).inserted }
        self.sink = sink
        self.hasProgress = hasProgress
        var settings = PassageQueue.Settings(engine: engine.name, previewEngine: request.previewEngine)
        settings.fallback = engine.fallback
        settings.commitTimeout = engine.commitTimeout
        settings.inputWaits = request.inputWaits
        settings.streams = !request.inputWaits && !request.isRecorded
        let alike = Dictionary(grouping: request.vocabulary, by: \.word).mapValues { entries in
            Array(Set(entries.compactMap(\.alikeWords)))
        }
        let wanted = vocabulary.map { Respelling.Wanted($0, alike: alike[$0] ?? []) }
        let respelling = wanted.isEmpty ? nil : Respelling(wanted, isOrdinary: isOrdinary)
        let queue = PassageQueue(settings: settings, health: engine.health, respelling: respelling)
        state = Lock(State(queue: queue))
        let stop = engine.observe { [weak self] in
            self?.engineChange { queue, health, now in queue.healthChanged(&health, at: now) }
        }
        stopObserving.withLock { $0 = stop }
    }

    deinit { close() }

    /// Passages without a text.
    var openCount: Int { state.withLock { $0.queue.openCount } }

    /// - Parameter body: must not be called with a lock held that it takes.
    func whenWishesChange(_ body: @escaping @Sendable () -> Void) {
        wishesChanged.withLock { $0 = body }
    }

    // MARK: Passages

    /// A passage begins.
    /// - Parameters:
    ///   - start: in frames, on the block's clock.
    ///   - overlaps: whether its first samples also belong to the passage before.
    ///   - mayChange: no passage waits for the preview engine.
    /// - Returns: nil if the engine gets whole passages, after the preview engine: see ``add(_:)``.
    func begin(block: BlockNumber, at start: Int, overlaps: Bool, mayChange: Bool) -> PassageQueue.ID? {
        let kind = engine.kind
        return change { queue, health, now in
            queue.begin(
                block: block, at: start, overlaps: overlaps, kind: kind, mayChange: mayChange, &health,
                at: now)
        }
    }

    func append(_ id: PassageQueue.ID, _ samples: [Int16], isSpeech: Bool) {
        change { queue, health, now in queue.append(id, samples, isSpeech: isSpeech, &health, at: now) }
    }

    func close(_ id: PassageQueue.ID, _ passage: Passage) {
        change { queue, health, now in queue.close(id, passage, &health, at: now) }
    }

    /// What the preview engine must recognise.
    var wishes: [PreviewWish] { state.withLock { $0.queue.wishes } }

    func sound(for wish: PreviewWish) -> ArraySlice<Int16> { state.withLock { $0.queue.sound(for: wish) } }

    func previewed(_ run: SegmentQueue.PreviewRun, _ event: PreviewEvent) {
        change { queue, health, now in
            queue.previewed(run.passage, number: run.number, event, &health, at: now)
        }
    }

    func previewEngineLost() {
        change { queue, health, now in queue.previewEngineLost(&health, at: now) }
    }

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

    private func handle(_ event: PassageEvent, of id: PassageQueue.ID, attempt: Int) {
        let isCurrent = state.withLock { state in
            guard state.requests[id]?.attempt == attempt else { return false }
            if case .final = event { state.requests[id] = nil }
            return true
        }
        guard isCurrent else { return }
        // Before the change, which locks the engine.
        let tagged = withTag(event)
        engineChange { queue, health, now in
            switch tagged {
            case .partial(let partial): queue.partial(id, partial, &health, at: now)
            case .responds(let responds): queue.responds(id, responds, &health, at: now)
            case .final(let result): queue.answered(id, result, &health, at: now)
            }
        }
    }

    /// With the language as the client asked for it.
    private func withTag(_ event: PassageEvent) -> PassageEvent {
        switch event {
        case .partial(var partial):
            partial.language = tag(of: partial.language)
            return .partial(partial)
        case .final(.success(var answer)):
            answer.language = tag(of: answer.language)
            return .final(.success(answer))
        case .responds, .final(.failure):
            return event
        }
    }

    private var now: Duration { SuspendingClock.now - epoch }

    private func engineChange(
        _ body: (inout PassageQueue, inout EngineHealth, Duration) -> [PassageQueue.Effect]
    ) {
        change(body)
        wishesChanged.withLock { $0 }()
    }

    private func change(
        _ body: (inout PassageQueue, inout EngineHealth, Duration) -> [PassageQueue.Effect]
    ) {
        _ = change { queue, health, now in ((), body(&queue, &health, now)) }
    }

    private func change<Result: Sendable>(
        _ body: (inout PassageQueue, inout EngineHealth, Duration) -> (Result?, [PassageQueue.Effect])
    ) -> Result? {
        let result = state.withLock { state -> Result? in
            guard !state.isClosed else { return nil }
            let now = now
            var queue = state.queue
            let (result, effects) = engine.withHealth { health in body(&queue, &health, now) }
            state.queue = queue
            for effect in effects { perform(effect, &state) }
            setAlarm(&state)
            return result
        }
        hasProgress()
        return result
    }

    /// An engine sends no event within a call, so it may be called with the lock held.
    private func perform(_ effect: PassageQueue.Effect, _ state: inout State) {
        switch effect {
        case .report(let event, _):
            sink(event)
        case .cancel(let id):
            state.requests.removeValue(forKey: id)?.stream.cancel()
        case .open(let id):
            _ = open(id, wantsPartials: true, &state)
        case .sound(let id, let samples):
            state.requests[id]?.stream.send(samples)
        case .finish(let id, let timeout):
            state.requests[id]?.stream.finish(within: timeout)
        case .send(let id, let samples, let timeout):
            let stream = open(id, wantsPartials: false, &state)
            stream.send(samples)
            stream.finish(within: timeout)
        }
    }

    /// The engine's codes of the languages. Only an engine that revises is known to detect the spoken one.
    private var codes: [String] {
        let wanted = engine.kind == .revises ? languages : [languages[0]]
        var codes: [String] = []
        for language in wanted {
            guard let code = engine.code(for: language), !codes.contains(code) else { continue }
            codes.append(code)
        }
        return codes.isEmpty ? [languages[0]] : codes
    }

    private func tag(of code: String?) -> String? {
        code.map { code in languages.first { engine.code(for: $0) == code } ?? code }
    }

    private func open(
        _ id: PassageQueue.ID, wantsPartials: Bool, _ state: inout State
    ) -> any PassageStream {
        state.lastAttempt += 1
        let attempt = state.lastAttempt
        let codes = codes
        engine.willRecognize(in: codes[0])
        let options = PassageOptions(
            languages: codes, vocabulary: vocabulary, wantsPartials: wantsPartials)
        let stream = engine.engine.open(options) { [weak self] event in
            self?.handle(event, of: id, attempt: attempt)
        }
        state.requests[id] = (attempt, stream)
        return stream
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
        engineChange { queue, health, now in queue.tick(&health, at: now) }
    }
}
