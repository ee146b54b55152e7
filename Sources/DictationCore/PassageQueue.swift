/// A stretch of speech that an engine is asked about at once.
public struct Passage: Hashable, Sendable {
    public var block: BlockNumber
    public var samples: [Int16]
    /// Seconds on the block's clock.
    public var start: Double
    public var end: Double
    /// Its first samples belong to the passage before as well.
    public var overlaps: Bool
    /// It ends in the middle of speech.
    public var isCut: Bool
    /// The segments that the preview engine finished in it.
    public var preview: [Segment]
    /// Whether the preview engine heard all of it. If not, its text is no help.
    public var hasPreview: Bool

    public init(
        block: BlockNumber, samples: [Int16], start: Double, end: Double, overlaps: Bool = false,
        isCut: Bool = false, preview: [Segment] = [], hasPreview: Bool = true
    ) {
        self.block = block
        self.samples = samples
        self.start = start
        self.end = end
        self.overlaps = overlaps
        self.isCut = isCut
        self.preview = preview
        self.hasPreview = hasPreview
    }

    var seconds: Double { Double(samples.count) / 16000 }

    /// What the preview engine understood; nil if it did not hear all.
    var previewText: String? {
        hasPreview ? preview.map(\.text).filter { !$0.isEmpty }.joined(separator: " ") : nil
    }

    /// Appends the next passage, without the silence between.
    mutating func join(_ next: Passage) {
        samples += next.samples
        end = next.end
        isCut = next.isCut
        preview += next.preview
        hasPreview = hasPreview && next.hasPreview
    }
}

/// The final text of a passage.
public struct PassageText: Hashable, Sendable {
    /// How many of the preview's segments it replaces: the oldest that are not final yet.
    public var replaces: Int
    /// What replaces them; nil makes them final as they are.
    public var segment: Segment?
    /// Who understood it.
    public var engine: String

    public init(replaces: Int, segment: Segment?, engine: String) {
        self.replaces = replaces
        self.segment = segment
        self.engine = engine
    }
}

/// What to do when an engine has no text for a passage.
public enum EngineFallback: String, Hashable, Sendable, CaseIterable {
    /// The preview's text becomes final at once.
    case preview
    /// The text waits up to 45 s for the engine.
    case wait
}

/// A session's passages on their way to their text: one at a time goes to the engine, texts come in order, and each
/// passage has exactly one text.
///
/// Decides only. The caller carries the effects out, and tells what became of them.
public struct PassageQueue: Sendable {
    public struct Settings: Hashable, Sendable {
        public var engine: String
        /// Nil where there is no preview.
        public var previewEngine: String?
        public var fallback = EngineFallback.preview
        /// How long a commit waits in all.
        public var commitTimeout = Duration.seconds(5)
        /// The same for ``EngineFallback/wait``. Less than the machine's own timeout for commits.
        public var waitTimeout = Duration.seconds(45)
        /// The audio is a file: nothing is skipped because the engine is slow.
        public var isRecorded = false

        public init(engine: String, previewEngine: String?) {
            self.engine = engine
            self.previewEngine = previewEngine
        }
    }

    public typealias ID = Int

    public enum Effect: Hashable, Sendable {
        case send(ID, samples: [Int16], timeout: Duration)
        case cancel(ID)
        case tell(RecognitionEvent, BlockNumber)
    }

    private enum Entry: Sendable {
        case passage(Item)
        case blockEnd(BlockNumber, duration: Double)
    }

    private struct Item: Sendable {
        var id: ID
        var passage: Passage
        var state = State.waiting
        var attempts = 0
        /// The text must be final by then.
        var limit: Duration?
        /// Nothing follows it in its block.
        var isLastOfBlock = false
    }

    private enum State: Sendable {
        case waiting
        case sent(at: Duration, deadline: Duration)
        case settled(Outcome)

        var isWaiting: Bool {
            if case .waiting = self { true } else { false }
        }
    }

    private enum Outcome: Sendable {
        case text(PassageText)
        /// Only what the preview understood of it.
        case lost(PassageText, message: String)
    }

    /// Passages that may wait for the one that was sent.
    private static let waitingLimit = 2
    /// Seconds of audio: the longest request, and what may wait before the preview's text is used.
    private static let joinedLimit = 20.0
    private static let attemptLimit = 2

    public let settings: Settings
    private var entries: [Entry] = []
    private var lastID = 0
    /// The text of the passage before, for overlaps.
    private var previousText = ""
    /// The outage that was told last.
    private var toldOutage: Int
    private var untoldFailure: (message: String, block: BlockNumber)?

    public init(settings: Settings, health: EngineHealth) {
        self.settings = settings
        toldOutage = health.outages
    }

    /// Passages without a text.
    public var openCount: Int {
        entries.count { entry in
            guard case .passage(let item) = entry else { return false }
            if case .settled = item.state { return false }
            return true
        }
    }

    /// When ``tick(_:at:)`` is due.
    public var nextDeadline: Duration? {
        entries.compactMap { entry -> Duration? in
            guard case .passage(let item) = entry else { return nil }
            switch item.state {
            case .waiting: return item.limit
            case .sent(_, let deadline): return min(deadline, item.limit ?? deadline)
            case .settled: return nil
            }
        }.min()
    }

    private var waitsForEngine: Bool { settings.fallback == .wait || settings.previewEngine == nil }

    // MARK: What happens

    public mutating func add(
        _ passage: Passage, _ health: inout EngineHealth, at now: Duration
    ) -> [Effect] {
        lastID += 1
        var item = Item(id: lastID, passage: passage)
        if waitsForEngine { item.limit = now + settings.waitTimeout }
        if passage.samples.isEmpty { giveUp(&item, "Decoding is too slow.") }
        // The engine is not asked about noise: of 127 passages of speech, the preview heard a word in each.
        if passage.previewText == "" {
            item.state = .settled(.text(text(nil, of: passage, by: settings.engine)))
        }
        entries.append(.passage(item))
        if !settings.isRecorded, !waitsForEngine { shortenBacklog() }
        return proceed(&health, at: now)
    }

    /// - Parameter duration: seconds of audio in the block.
    public mutating func endBlock(
        _ number: BlockNumber, duration: Double, _ health: inout EngineHealth, at now: Duration
    ) -> [Effect] {
        let limit = now + (waitsForEngine ? settings.waitTimeout : settings.commitTimeout)
        let isRecorded = settings.isRecorded
        var last: ID?
        forEach { item in
            guard item.passage.block == number else { return }
            if !isRecorded { item.limit = min(item.limit ?? limit, limit) }
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
                if case .sent = item.state { effects.append(.cancel(item.id)) }
                return true
            case .blockEnd(let number, _):
                return number == block
            }
        }
        return effects + proceed(&health, at: now)
    }

    /// The session is over.
    public mutating func close() -> [Effect] {
        defer { entries = [] }
        return entries.compactMap { entry in
            guard case .passage(let item) = entry, case .sent = item.state else { return nil }
            return .cancel(item.id)
        }
    }

    public mutating func answered(
        _ id: ID, _ result: Result<String, EngineFailure>, _ health: inout EngineHealth, at now: Duration
    ) -> [Effect] {
        // An answer that comes too late, or after a cancellation, is dropped.
        for index in entries.indices {
            guard case .passage(var item) = entries[index], item.id == id,
                case .sent(let sentAt, _) = item.state
            else { continue }
            switch result {
            case .success(let text):
                health.answered(audio: item.passage.seconds, took: now - sentAt)
                item.state = .settled(.text(judge(text, item.passage)))
            case .failure(let failure):
                fail(&item, failure, &health)
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
                item.attempts = Self.attemptLimit
                fail(&item, failure, &health)
                if isOver, item.state.isWaiting { giveUp(&item, failure.message) }
            case .waiting where isOver:
                giveUp(&item, Self.message(of: health))
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

    private mutating func proceed(_ health: inout EngineHealth, at now: Duration) -> [Effect] {
        if health.isDown {
            let message = Self.message(of: health)
            for index in entries.indices where !waitsForEngine {
                guard case .passage(var item) = entries[index], item.state.isWaiting else { continue }
                giveUp(&item, message)
                entries[index] = .passage(item)
            }
        }
        var effects = health.isDown ? [] : sendNext(health, at: now)
        effects += tellOutage(health)
        effects += release()
        return effects
    }

    private mutating func sendNext(_ health: EngineHealth, at now: Duration) -> [Effect] {
        var effects: [Effect] = []
        var sent = entries.count { entry in
            if case .passage(let item) = entry, case .sent = item.state { true } else { false }
        }
        forEach { item in
            guard item.state.isWaiting else { return }
            // The last passage of a commit may go beside another.
            guard sent == 0 || (sent == 1 && item.isLastOfBlock) else {
                sent = .max
                return
            }
            sent += 1
            item.attempts += 1
            var deadline = now + health.timeout(forAudio: item.passage.seconds)
            if let limit = item.limit { deadline = min(deadline, limit) }
            item.state = .sent(at: now, deadline: deadline)
            effects.append(.send(item.id, samples: item.passage.samples, timeout: deadline - now))
        }
        return effects
    }

    /// Tells texts as far as all before them are known.
    private mutating func release() -> [Effect] {
        var effects: [Effect] = []
        while let first = entries.first {
            switch first {
            case .blockEnd(let number, let duration):
                effects.append(.tell(.blockEnded(number, duration: duration), number))
                previousText = ""
            case .passage(let item):
                guard case .settled(let outcome) = item.state else { return effects }
                effects.append(tell(outcome, of: item.passage))
            }
            entries.removeFirst()
        }
        return effects
    }

    private mutating func tell(_ outcome: Outcome, of passage: Passage) -> Effect {
        switch outcome {
        case .lost(let text, let message):
            previousText = ""
            return .tell(.passageLost(passage.block, text, message: message), passage.block)
        case .text(var text):
            if passage.overlaps, let segment = text.segment {
                text.segment?.text = PassageOverlap.remainder(of: segment.text, after: previousText)
            }
            previousText = text.segment?.text ?? passage.previewText ?? ""
            return .tell(.passage(passage.block, text), passage.block)
        }
    }

    private mutating func tellOutage(_ health: EngineHealth) -> [Effect] {
        defer { untoldFailure = nil }
        guard let failure = untoldFailure, health.isDown, toldOutage < health.outages else { return [] }
        toldOutage = health.outages
        return [.tell(.finalEngineFailed(message: failure.message), failure.block)]
    }

    private mutating func fail(_ item: inout Item, _ failure: EngineFailure, _ health: inout EngineHealth) {
        health.failed(failure)
        untoldFailure = (failure.message, item.passage.block)
        if waitsForEngine || (item.attempts < Self.attemptLimit && !health.isDown) {
            item.state = .waiting
        } else {
            giveUp(&item, failure.message)
        }
    }

    private func giveUp(_ item: inout Item, _ message: String) {
        let text = PassageText(
            replaces: item.passage.preview.count, segment: nil,
            engine: settings.previewEngine ?? settings.engine)
        item.state = .settled(item.passage.hasPreview ? .text(text) : .lost(text, message: message))
    }

    private func judge(_ text: String, _ passage: Passage) -> PassageText {
        switch PassageFilter.choose(engine: text, preview: passage.previewText, seconds: passage.seconds) {
        case .engine(let text):
            self.text(text, of: passage, by: settings.engine)
        case .nothing:
            self.text(nil, of: passage, by: settings.engine)
        case .preview:
            PassageText(
                replaces: passage.preview.count, segment: nil,
                engine: settings.previewEngine ?? settings.engine)
        }
    }

    private func text(_ text: String?, of passage: Passage, by engine: String) -> PassageText {
        PassageText(
            replaces: passage.preview.count,
            segment: Segment(
                text: text ?? "", start: passage.start, end: passage.end, isCut: passage.isCut),
            engine: engine)
    }

    /// Joins passages that wait. If they still are too many, the oldest keep the preview's text.
    private mutating func shortenBacklog() {
        var waiting = entries.indices.filter { index in
            if case .passage(let item) = entries[index] { item.state.isWaiting } else { false }
        }
        guard waiting.count > Self.waitingLimit else { return }
        for index in waiting.dropLast().reversed() {
            guard index + 1 < entries.count, case .passage(var item) = entries[index],
                case .passage(let next) = entries[index + 1], next.state.isWaiting,
                item.passage.block == next.passage.block, !next.passage.overlaps, next.attempts == 0,
                item.attempts == 0, item.passage.seconds + next.passage.seconds <= Self.joinedLimit
            else { continue }
            item.passage.join(next.passage)
            item.limit = [item.limit, next.limit].compactMap(\.self).min()
            entries[index] = .passage(item)
            entries.remove(at: index + 1)
        }
        waiting = entries.indices.filter { index in
            if case .passage(let item) = entries[index] { item.state.isWaiting } else { false }
        }
        for index in waiting.dropLast(Self.waitingLimit) {
            guard case .passage(var item) = entries[index] else { continue }
            giveUp(&item, "The engine is too slow.")
            entries[index] = .passage(item)
        }
    }

    private mutating func forEach(_ body: (inout Item) -> Void) {
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
