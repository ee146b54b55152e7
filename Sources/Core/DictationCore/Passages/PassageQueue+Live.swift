// Passages whose engine gets the sound while it is captured. The preview engine works on a passage only while the engine is
// down, late or behind.

extension PassageQueue {
    /// Speech without the engine's text, in samples, from which the preview engine takes over: before the first text, at least,
    /// and at most.
    private static let firstLag = 48_000
    private static let leastLag = 24_000
    private static let mostLag = 96_000
    /// The engine is back when its text has come this close, in samples: half of its usual lag, within these limits.
    private static let closeLag = 16_000...32_000
    /// Speech without the engine's text from which the preview engine starts where the engine does not respond.
    private static let hangLag = 8_000
    /// How long after that its text is shown. On a busy machine, most engines go on before.
    private static let hangTime = Duration.milliseconds(350)
    /// From the end of a passage until the preview engine prepares for the engine's failure.
    private static let answerTime = Duration.seconds(2)
    /// Connections that get the sound of one passage while it is spoken.
    private static let streamLimit = 4
    private static let keptLags = 4

    /// A passage begins.
    /// - Parameters:
    ///   - start: position on the block's clock, in samples.
    ///   - overlaps: whether its first samples also belong to the passage before.
    ///   - kind: of the engine.
    ///   - mayChange: no passage waits for the preview engine.
    /// - Returns: nil if the engine gets it as a whole: see ``add(_:_:at:)``.
    public mutating func begin(
        block: BlockNumber, at start: Int, overlaps: Bool, kind: PassageEngineKind, mayChange: Bool,
        _ health: inout EngineHealth, at now: Duration
    ) -> (id: ID?, effects: [Effect]) {
        if mayChange, openCount == 0 { isLive = kind.isLive }
        guard isLive else { return (nil, []) }
        lastID += 1
        let passage = Passage(
            block: block, samples: [], start: Double(start) / sampleRate, end: Double(start) / sampleRate,
            overlaps: overlaps)
        var item = QueuedPassage(id: lastID, passage: passage)
        item.state = .open
        item.live = LivePassage(start: start)
        entries.append(.passage(item))
        return (lastID, proceed(&health, at: now))
    }

    /// More sound of a passage that is open.
    /// - Parameter isSpeech: whether somebody speaks at its end.
    public mutating func append(
        _ id: ID, _ samples: [Int16], isSpeech: Bool, _ health: inout EngineHealth, at now: Duration
    ) -> [Effect] {
        guard var found = find(id), case .open = found.item.state else { return [] }
        found.item.passage.samples += samples
        if isSpeech { found.live.speechEnd = found.item.passage.samples.count }
        put(found)
        return (found.live.hasStream ? [.sound(id, samples)] : []) + proceed(&health, at: now)
    }

    /// The sound of a passage is complete.
    public mutating func close(
        _ id: ID, _ passage: Passage, _ health: inout EngineHealth, at now: Duration
    ) -> [Effect] {
        guard var found = find(id), case .open = found.item.state else { return [] }
        let sent = found.item.passage.samples.count
        found.item.passage = passage
        found.live.closedAt = now
        if settings.waitsForEngine, !settings.inputWaits { found.item.limit = now + settings.waitTimeout }
        var effects: [Effect] = []
        if found.live.hasStream {
            // An engine that was late at the end of a passage is late in the next one.
            let isMute = found.live.partial == nil && found.live.speechEnd >= Self.firstLag
            if isMute || found.live.preview?.isShown ?? false { isBehind = true }
            let timeout = Self.timeout(of: found.item, health, hasPreview: !settings.waitsForEngine, at: now)
            found.item.attempts = 1
            found.item.state = .sent(at: now, deadline: now + timeout)
            if sent < passage.samples.count { effects.append(.sound(id, Array(passage.samples[sent...]))) }
            effects.append(.finish(id, timeout: timeout))
        } else {
            found.item.state = .waiting
        }
        put(found)
        return effects + proceed(&health, at: now)
    }

    /// The engine's text so far.
    public mutating func partial(
        _ id: ID, _ partial: PassagePartial, _ health: inout EngineHealth, at now: Duration
    ) -> [Effect] {
        guard var found = find(id), found.live.hasStream, found.item.isAtEngine else { return [] }
        let heard = found.item.passage.samples.count
        // An older text.
        if let samples = partial.samples, found.live.partial != nil, samples < found.live.covered {
            return []
        }
        let text = written(partial)
        // A text that comes again shows that nobody speaks, not how fast the engine is.
        if text.text != found.live.partial?.text ?? "" {
            lags = Array(([found.live.lag] + lags).prefix(Self.keptLags))
        }
        isBehind = false
        found.live.isBroken = false
        found.live.hangsSince = nil
        found.live.isDistrusted = false
        found.live.covered = min(max(partial.samples ?? heard - Int(sampleRate), found.live.covered), heard)
        found.live.partial = text
        let closeLag = min(max(lagLimit / 2, Self.closeLag.lowerBound), Self.closeLag.upperBound)
        if found.live.lag <= closeLag, case .open = found.item.state { found.live.preview = nil }
        put(found)
        return proceed(&health, at: now)
    }

    /// Whether the engine answers at all on the passage's connection.
    public mutating func responds(
        _ id: ID, _ responds: Bool, _ health: inout EngineHealth, at now: Duration
    ) -> [Effect] {
        guard var found = find(id), found.live.hasStream else { return [] }
        found.live.hangsSince = responds ? nil : found.live.hangsSince ?? now
        put(found)
        return proceed(&health, at: now)
    }

    /// The preview engine's report about a wish.
    public mutating func previewed(
        _ id: ID, number: Int, _ event: PreviewEvent, _ health: inout EngineHealth, at now: Duration
    ) -> [Effect] {
        guard var found = find(id), found.live.preview?.number == number else { return [] }
        if case .hypothesis(let text) = event {
            found.live.preview?.hypothesis = text
        } else {
            found.live.preview?.hypothesis = ""
        }
        switch event {
        case .hypothesis: break
        case .segment(let segment): found.live.preview?.segments.append(segment)
        case .failed: found.live.preview?.hasFailed = true
        case .complete: found.live.preview?.isComplete = true
        }
        put(found)
        return proceed(&health, at: now)
    }

    /// The preview engine cannot be used any more.
    public mutating func previewEngineLost(_ health: inout EngineHealth, at now: Duration) -> [Effect] {
        hasPreviewEngine = false
        forEach { item in
            item.live?.preview?.hasFailed = true
            item.live?.preview?.isComplete = true
        }
        return proceed(&health, at: now)
    }

    /// What the preview engine must recognise, in the order of the sound.
    public var wishes: [PreviewWish] {
        entries.compactMap { entry in
            guard case .passage(let item) = entry, item.outcome == nil, let live = item.live,
                let preview = live.preview, !preview.isComplete
            else { return nil }
            return PreviewWish(
                passage: item.id, number: preview.number, block: item.passage.block,
                start: live.start + preview.from, isClosed: live.closedAt != nil)
        }
    }

    /// The sound for a wish so far.
    public func sound(for wish: PreviewWish) -> ArraySlice<Int16> {
        for case .passage(let item) in entries where item.id == wish.passage {
            return item.passage.samples.dropFirst(wish.start - (item.live?.start ?? 0))
        }
        return []
    }

    // MARK: Steps

    /// Connects open passages, starts previews, and settles passages that the engine gave no answer for.
    mutating func proceedLive(_ health: EngineHealth, at now: Duration) -> [Effect] {
        guard isLive else { return [] }
        var effects: [Effect] = []
        var number = lastPreview
        let lagLimit = lagLimit
        let settings = settings
        let isBehind = isBehind
        let hangsSince = hangsSince
        let hasPreviewEngine = hasPreviewEngine
        forEach { item in
            guard var live = item.live, item.outcome == nil else { return }
            if case .open = item.state, settings.streams, !live.hasStream, !health.isDown,
                live.streams < Self.streamLimit
            {
                live.streams += 1
                live.hasStream = true
                effects.append(.open(item.id))
                if !item.passage.samples.isEmpty { effects.append(.sound(item.id, item.passage.samples)) }
            }
            let isLate =
                switch item.state {
                case .open:
                    settings.streams && (!live.hasStream || live.isBroken || isBehind || live.lag > lagLimit)
                case .waiting, .sent:
                    settings.streams && live.closedAt.map { now >= $0 + Self.answerTime } ?? false
                case .abandoned: true
                case .finished: false
                }
            let mayHang =
                settings.streams && hangsSince != nil && (live.closedAt != nil || live.lag > Self.hangLag)
            if isLate || mayHang, hasPreviewEngine, live.preview == nil {
                number += 1
                live.preview = PassagePreview(number: number, of: live, isShown: false)
            }
            if isLate || hangsSince.map({ now >= $0 + Self.hangTime }) ?? false {
                live.preview?.isShown = true
            }
            if hangsSince == nil, live.preview?.isShown == false { live.preview = nil }
            live.hold()
            item.live = live
            if case .abandoned(let message) = item.state {
                item.finishGivenUp(message, settings, hasPreviewEngine: hasPreviewEngine)
            }
        }
        lastPreview = number
        return effects
    }

    /// The live text of each block that has changed.
    mutating func reportLive() -> [Effect] {
        guard isLive else { return [] }
        var effects: [Effect] = []
        var blocks: [BlockNumber] = []
        for case .passage(let item) in entries where item.live != nil && blocks.last != item.passage.block {
            blocks.append(item.passage.block)
        }
        for block in blocks {
            let text = liveText(of: block)
            if reportedLive[block] ?? LiveText() != text {
                reportedLive[block] = text
                effects.append(.report(.live(block, text), block))
            }
        }
        return effects
    }

    /// The text of all passages of a block that are not final yet.
    func liveText(of block: BlockNumber) -> LiveText {
        var all = LiveText()
        var isSettled = true
        var previous = previousText
        for case .passage(let item) in entries where item.passage.block == block {
            guard let live = item.live else { continue }
            var text = live.text
            var engine = settings.engine
            var mayGoOn = true
            if case .text(let final)? = item.outcome {
                mayGoOn = false
                text = LiveText(final.segment?.text ?? "", language: final.language)
                text.settled = text.text.unicodeScalars.count
                engine = final.engine
            }
            if item.passage.overlaps {
                let rest = PassageOverlap.remainder(
                    of: text.text, after: previous, mayGoOn: mayGoOn)
                text.settled = max(
                    0, text.settled - text.text.unicodeScalars.count + rest.unicodeScalars.count)
                text.text = rest
            }
            previous = text.text
            guard !text.text.isEmpty else { continue }
            if all.text.isEmpty { all.engine = engine } else { all.text += " " }
            if isSettled { all.settled = all.text.unicodeScalars.count + text.settled }
            isSettled = isSettled && text.settled == text.text.unicodeScalars.count
            all.text += text.text
            all.language = text.language ?? all.language
        }
        return all
    }

    /// The connection of an open passage failed. The next one gets all of its sound.
    mutating func loseStream(
        of item: inout QueuedPassage, _ failure: EngineFailure, _ health: inout EngineHealth
    ) {
        item.live?.hasStream = false
        item.live?.hangsSince = nil
        item.live?.isBroken = true
        if failure.kind == .malformed { item.live?.isDistrusted = true }
        health.failed(failure)
        unreportedFailure = (failure.message, item.passage.block)
    }

    /// Without control characters, and with the user's words.
    private func written(_ partial: PassagePartial) -> PassagePartial {
        var text = partial
        text.text = EngineText.clean(partial.text)
        let settled = min(max(0, partial.settled), text.text.unicodeScalars.count)
        text.settled = settled
        guard let respelling, case let respelled = respelling(text.text), respelled != text.text else {
            return text
        }
        let beginning = String(String.UnicodeScalarView(text.text.unicodeScalars.prefix(settled)))
        text.text = respelled
        text.settled =
            zip(respelled.unicodeScalars, respelling(beginning).unicodeScalars).prefix { $0 == $1 }.count
        return text
    }

    private struct Found {
        let index: Int
        var item: QueuedPassage
        var live: LivePassage
    }

    private func find(_ id: ID) -> Found? {
        for index in entries.indices {
            if case .passage(let item) = entries[index], item.id == id, let live = item.live {
                return Found(index: index, item: item, live: live)
            }
        }
        return nil
    }

    private mutating func put(_ found: Found) {
        var item = found.item
        item.live = found.live
        entries[found.index] = .passage(item)
    }

    /// Since when the engine does not respond on some connection.
    private var hangsSince: Duration? {
        entries.compactMap { entry in
            guard case .passage(let item) = entry, let live = item.live, live.hasStream else { return nil }
            return live.hangsSince
        }.min()
    }

    private var lagLimit: Int {
        guard let most = lags.max() else { return Self.firstLag }
        return min(max(Self.leastLag, most / 2 * 3), Self.mostLag)
    }

    /// When the preview engine prepares for the failure of a passage.
    static func previewTime(of item: QueuedPassage) -> Duration? {
        guard let live = item.live, !(live.preview?.isShown ?? false) else { return nil }
        switch item.state {
        case .waiting, .sent: return live.closedAt.map { $0 + answerTime }
        case .open, .abandoned, .finished: return nil
        }
    }
}
