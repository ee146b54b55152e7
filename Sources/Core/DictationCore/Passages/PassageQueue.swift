/// The passages of a session that have no final text yet. One at a time is sent to the engine, texts come in order, and
/// each passage gets exactly one text.
///
/// Pure: the caller carries out the effects and reports their results.
public struct PassageQueue: Sendable {
    public typealias ID = Int

    public enum Effect: Hashable, Sendable {
        /// Recognise a complete passage.
        case send(ID, samples: [Int16], timeout: Duration)
        /// Begin a passage whose sound follows while it is captured.
        case open(ID)
        case sound(ID, [Int16])
        /// The sound is complete.
        case finish(ID, timeout: Duration)
        case cancel(ID)
        case report(RecognitionEvent, BlockNumber)
    }

    enum Entry: Sendable {
        case passage(QueuedPassage)
        case blockEnd(BlockNumber, duration: Double)
    }

    /// Passages that may wait for the one that was sent.
    private static let waitingLimit = 2
    /// Seconds of audio: the longest request, and what may wait before the preview's text is used.
    private static let joinedLimit = 20.0
    private static let attemptLimit = 2

    public let settings: Settings
    /// Nil if the user has no words of their own.
    let respelling: Respelling?
    var entries: [Entry] = []
    var lastID = 0
    /// The text of the last passage, to remove overlaps.
    private(set) var previousText = ""
    /// The number of the last reported outage.
    private var reportedOutage: Int
    var unreportedFailure: (message: String, block: BlockNumber)?

    /// Whether the engine gets sound while it is captured.
    public internal(set) var isLive = false
    /// Whether the engine gave no text, or the preview engine's was needed, until the end of a passage. Lasts until the
    /// engine's next text.
    var isBehind = false
    var hasPreviewEngine: Bool
    var lastPreview = 0
    /// How far the engine was behind when its latest texts came, in samples.
    var lags: [Int] = []
    var reportedLive: [BlockNumber: LiveText] = [:]

    public init(settings: Settings, health: EngineHealth, respelling: Respelling? = nil) {
        self.settings = settings
        self.respelling = respelling
        hasPreviewEngine = settings.previewEngine != nil
        reportedOutage = health.outages
    }

    /// Passages without a text.
    public var openCount: Int {
        entries.count { entry in
            guard case .passage(let item) = entry else { return false }
            return item.outcome == nil
        }
    }

    /// When ``tick(_:at:)`` is due.
    public var nextDeadline: Duration? {
        entries.compactMap { entry -> Duration? in
            guard case .passage(let item) = entry else { return nil }
            let previewTime = settings.streams && hasPreviewEngine ? Self.previewTime(of: item) : nil
            return [item.deadline, previewTime].compactMap(\.self).min()
        }.min()
    }

    // MARK: Events

    public mutating func add(
        _ passage: Passage, _ health: inout EngineHealth, at now: Duration
    ) -> [Effect] {
        lastID += 1
        var item = QueuedPassage(id: lastID, passage: passage)
        if settings.waitsForEngine, !settings.inputWaits { item.limit = now + settings.waitTimeout }
        if passage.samples.isEmpty { item.abandon("Decoding is too slow.", settings) }
        if item.isWaiting, item.isNoise, !health.detectsSpeech { item.finishAsNoise(settings) }
        entries.append(.passage(item))
        if !settings.inputWaits, !settings.waitsForEngine { shortenBacklog() }
        return proceed(&health, at: now)
    }

    /// - Parameter duration: seconds of audio in the block.
    public mutating func endBlock(
        _ number: BlockNumber, duration: Double, _ health: inout EngineHealth, at now: Duration
    ) -> [Effect] {
        let limit = now + (settings.waitsForEngine ? settings.waitTimeout : settings.commitTimeout)
        let inputWaits = settings.inputWaits
        var last: ID?
        forEach { item in
            guard item.passage.block == number else { return }
            if !inputWaits { item.limit = min(item.limit ?? limit, limit) }
            last = item.id
        }
        forEach { item in if item.id == last { item.isLastOfBlock = true } }
        entries.append(.blockEnd(number, duration: duration))
        return proceed(&health, at: now)
    }

    public mutating func discard(
        _ block: BlockNumber, _ health: inout EngineHealth, at now: Duration
    ) -> [Effect] {
        var effects: [Effect] = []
        entries.removeAll { entry in
            switch entry {
            case .passage(let item):
                guard item.passage.block == block else { return false }
                if item.isAtEngine { effects.append(.cancel(item.id)) }
                return true
            case .blockEnd(let number, _):
                return number == block
            }
        }
        reportedLive[block] = nil
        return effects + proceed(&health, at: now)
    }

    /// The session is over.
    public mutating func close() -> [Effect] {
        defer { entries = [] }
        return entries.compactMap { entry in
            guard case .passage(let item) = entry, item.isAtEngine else { return nil }
            return .cancel(item.id)
        }
    }

    public mutating func answered(
        _ id: ID, _ result: Result<PassageAnswer, EngineFailure>, _ health: inout EngineHealth,
        at now: Duration
    ) -> [Effect] {
        // Drop answers after a timeout or a cancellation.
        for index in entries.indices {
            guard case .passage(var item) = entries[index], item.id == id else { continue }
            switch (item.state, result) {
            case (.sent(let sentAt, _), .success(let answer)):
                item.live?.hasStream = false
                health.answered(audio: item.passage.seconds, took: now - sentAt)
                item.judge(answer, detectsSpeech: health.detectsSpeech, settings, respelling)
            case (.sent, .failure(let failure)):
                item.live?.hasStream = false
                fail(&item, failure, &health)
            case (.open, .success):
                let failure = EngineFailure(.malformed, "The engine answered before the end of the passage.")
                loseStream(of: &item, failure, &health)
            case (.open, .failure(let failure)):
                loseStream(of: &item, failure, &health)
            default:
                continue
            }
            entries[index] = .passage(item)
        }
        return proceed(&health, at: now)
    }

    public mutating func tick(_ health: inout EngineHealth, at now: Duration) -> [Effect] {
        var effects: [Effect] = []
        let failure = EngineFailure(.tooSlow, "The engine did not answer in time.")
        for index in entries.indices {
            guard case .passage(var item) = entries[index] else { continue }
            let isOver = item.limit.map { $0 <= now } ?? false
            switch item.state {
            case .sent(_, let deadline) where deadline <= now || isOver:
                effects.append(.cancel(item.id))
                item.live?.hasStream = false
                item.attempts = Self.attemptLimit
                fail(&item, failure, &health)
                if isOver, item.isWaiting { item.abandon(failure.message, settings) }
            default:
                break
            }
            entries[index] = .passage(item)
        }
        return effects + proceed(&health, at: now)
    }

    /// The engine's health changed.
    public mutating func healthChanged(_ health: inout EngineHealth, at now: Duration) -> [Effect] {
        proceed(&health, at: now)
    }

    // MARK: Steps

    mutating func proceed(_ health: inout EngineHealth, at now: Duration) -> [Effect] {
        let message = Self.message(of: health)
        let mayWait = settings.waitsForEngine || !health.isDown
        let settings = settings
        forEach { item in
            // A passage whose time is over is not sent any more.
            let isOver = item.limit.map { $0 <= now } ?? false
            if item.isWaiting, isOver || !mayWait { item.abandon(message, settings) }
        }
        var effects = health.isDown ? [] : sendNext(health, at: now)
        effects += proceedLive(health, at: now)
        effects += reportOutage(health)
        effects += release()
        effects += reportLive()
        limitOldest(at: now)
        return effects
    }

    /// The time of a file's passage begins when all before it have their text.
    private mutating func limitOldest(at now: Duration) {
        guard settings.inputWaits, settings.waitsForEngine, case .passage(var item)? = entries.first,
            item.limit == nil
        else { return }
        item.limit = now + settings.waitTimeout
        entries[0] = .passage(item)
    }

    private mutating func sendNext(_ health: EngineHealth, at now: Duration) -> [Effect] {
        var effects: [Effect] = []
        var sent = entries.count { entry in
            if case .passage(let item) = entry, case .sent = item.state { true } else { false }
        }
        let hasPreview = !settings.waitsForEngine
        forEach { item in
            guard item.isWaiting else { return }
            // The last passage of a commit may be sent while another is under way.
            guard sent == 0 || (sent == 1 && item.isLastOfBlock) else {
                sent = .max
                return
            }
            sent += 1
            item.attempts += 1
            let timeout = Self.timeout(of: item, health, hasPreview: hasPreview, at: now)
            item.state = .sent(at: now, deadline: now + timeout)
            effects.append(.send(item.id, samples: item.samplesToSend, timeout: timeout))
        }
        return effects
    }

    /// How long to wait for the text of a passage whose sound is complete. Never negative.
    static func timeout(
        of item: QueuedPassage, _ health: EngineHealth, hasPreview: Bool, at now: Duration
    ) -> Duration {
        let timeout = health.timeout(forAudio: item.passage.seconds, hasPreview: hasPreview)
        return item.limit.map { min(timeout, max(.zero, $0 - now)) } ?? timeout
    }

    /// Reports texts in order, up to the first passage without one.
    private mutating func release() -> [Effect] {
        var effects: [Effect] = []
        while let first = entries.first {
            switch first {
            case .blockEnd(let number, let duration):
                effects.append(.report(.blockEnded(number, duration: duration), number))
                previousText = ""
                reportedLive[number] = nil
                entries.removeFirst()
            case .passage(let item):
                guard let outcome = item.outcome else { return effects }
                if item.isDropped { effects.append(.report(.noise(item.passage.block), item.passage.block)) }
                entries.removeFirst()
                effects.append(report(outcome, of: item))
            }
        }
        return effects
    }

    private mutating func report(_ outcome: QueuedPassage.Outcome, of item: QueuedPassage) -> Effect {
        let passage = item.passage
        let isLost = if case .lost = outcome { true } else { false }
        var text =
            switch outcome {
            case .text(let text), .lost(let text, _): text
            }
        if passage.overlaps, let segment = text.segment {
            text.segment?.text = PassageOverlap.remainder(
                of: segment.text, after: previousText, mayGoOn: isLost)
        }
        previousText = text.segment?.text ?? passage.previewText ?? ""
        text.rest = reportRest(after: item)
        switch outcome {
        case .text: return .report(.passage(passage.block, text), passage.block)
        case .lost(_, let message):
            return .report(.passageLost(passage.block, text, message: message), passage.block)
        }
    }

    /// The live text of the passages after one that is final.
    private mutating func reportRest(after item: QueuedPassage) -> LiveText? {
        guard item.live != nil else { return nil }
        let rest = liveText(of: item.passage.block)
        reportedLive[item.passage.block] = rest
        return rest
    }

    private mutating func reportOutage(_ health: EngineHealth) -> [Effect] {
        defer { unreportedFailure = nil }
        guard let failure = unreportedFailure, health.isDown, reportedOutage < health.outages else {
            return []
        }
        reportedOutage = health.outages
        return [.report(.finalEngineFailed(message: failure.message), failure.block)]
    }

    private mutating func fail(
        _ item: inout QueuedPassage, _ failure: EngineFailure, _ health: inout EngineHealth
    ) {
        health.failed(failure)
        unreportedFailure = (failure.message, item.passage.block)
        if settings.waitsForEngine || (item.attempts < Self.attemptLimit && !health.isDown) {
            item.state = .waiting
        } else {
            item.abandon(failure.message, settings)
        }
    }

    /// Joins passages that wait. If they still are too many, the oldest keep the preview's text.
    private mutating func shortenBacklog() {
        var waiting = entries.indices.filter { index in
            if case .passage(let item) = entries[index] { item.isWaiting && item.live == nil } else { false }
        }
        guard waiting.count > Self.waitingLimit else { return }
        for index in waiting.dropLast().reversed() {
            guard index + 1 < entries.count, case .passage(var item) = entries[index],
                case .passage(let next) = entries[index + 1], next.isWaiting,
                item.passage.block == next.passage.block, !next.passage.overlaps, next.attempts == 0,
                item.attempts == 0, item.passage.seconds + next.passage.seconds <= Self.joinedLimit
            else { continue }
            item.passage.join(next.passage)
            item.limit = [item.limit, next.limit].compactMap(\.self).min()
            entries[index] = .passage(item)
            entries.remove(at: index + 1)
        }
        waiting = entries.indices.filter { index in
            if case .passage(let item) = entries[index] { item.isWaiting && item.live == nil } else { false }
        }
        for index in waiting.dropLast(Self.waitingLimit) {
            guard case .passage(var item) = entries[index] else { continue }
            item.abandon("The engine is too slow.", settings)
            entries[index] = .passage(item)
        }
    }

    mutating func forEach(_ body: (inout QueuedPassage) -> Void) {
        for index in entries.indices {
            guard case .passage(var item) = entries[index] else { continue }
            body(&item)
            entries[index] = .passage(item)
        }
    }

    private static func message(of health: EngineHealth) -> String {
        if case .down(let message) = health.state { message } else { "The engine did not answer in time." }
    }
}
