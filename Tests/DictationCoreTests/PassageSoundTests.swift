import Testing

@testable import DictationCore

/// A dictation by an engine that gets whole passages and answers, fails or hangs at random.
@Suite struct PassageSoundTests {
    @Test func everyWordIsInTheTextOnceWhateverTheEngineDoes() {
        for seed in 0..<300 as Range<UInt64> {
            var dictation = WholePassages(seed: seed)
            dictation.play()
            if let failure = dictation.ledger.failures.first { Issue.record("seed \(seed): \(failure)") }
        }
    }
}

private struct WholePassages {
    var ledger = WordLedger(errorsLoseWords: true)
    private var random: SequenceGenerator
    private var health = EngineHealth()
    private var queue: PassageQueue
    private let settings: PassageQueue.Settings
    private var now = Duration.zero
    private var block: BlockNumber = 1
    private var nextWord = 1
    /// Words at the end of the passage before that the next one has too.
    private var shared = 0
    /// What the preview engine recognised and no passage has replaced, by block.
    private var previews: [BlockNumber: [String]] = [:]
    /// What the engine got and has not answered.
    private var requests: [Int: String] = [:]
    private var cancelled: [Int: String] = [:]
    private var commits: [BlockNumber: Duration] = [:]

    init(seed: UInt64) {
        random = SequenceGenerator(state: seed)
        var settings = PassageQueue.Settings(
            engine: "e", previewEngine: Int.random(in: 0..<4, using: &random) == 0 ? nil : "p")
        if Int.random(in: 0..<4, using: &random) == 0 { settings.fallback = .wait }
        settings.inputWaits = Int.random(in: 0..<4, using: &random) == 0
        self.settings = settings
        queue = PassageQueue(settings: settings, health: health)
    }

    mutating func play() {
        for _ in 0..<40 {
            advance(to: now + .milliseconds(Int.random(in: 0..<3000, using: &random)))
            step()
        }
        commit()
        for _ in 0..<100 where queue.openCount > 0 {
            guard let deadline = queue.nextDeadline else { break }
            advance(to: max(now, deadline))
        }
        let expected = (1..<block).filter { !ledger.discarded.contains($0) }
        if ledger.ended != expected { ledger.fail("\(ledger.ended) ended of \(expected)") }
        if !requests.isEmpty { ledger.fail("requests without a use: \(requests.keys)") }
    }

    private mutating func step() {
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<6: speak()
        case 6: commit()
        case 7:
            take(queue.discard(block, &health, at: now))
            ledger.discard(block)
            beginBlock()
        case 8..<12:
            guard let id = requests.keys.sorted().randomElement(using: &random),
                let text = requests.removeValue(forKey: id)
            else { return }
            take(queue.answered(id, .success(PassageAnswer(text)), &health, at: now))
        case 12, 13:
            guard let id = requests.keys.sorted().randomElement(using: &random) else { return }
            requests[id] = nil
            let kinds: [EngineFailure.Kind] = [.closed, .malformed, .tooSlow]
            let failure = EngineFailure(kinds.randomElement(using: &random) ?? .closed, "failed")
            take(queue.answered(id, .failure(failure), &health, at: now))
        case 14:
            // An answer that is not wanted any more.
            guard let id = cancelled.keys.sorted().first(where: { requests[$0] == nil }),
                let text = cancelled.removeValue(forKey: id)
            else { return }
            take(queue.answered(id, .success(PassageAnswer(text)), &health, at: now))
        default:
            health.described()
            take(queue.healthChanged(&health, at: now))
        }
    }

    private mutating func speak() {
        let new = nextWord..<nextWord + Int.random(in: 1...55, using: &random)
        nextWord = new.upperBound
        let first = new.lowerBound - shared
        let hasPreview = settings.previewEngine != nil && Int.random(in: 0..<6, using: &random) > 0
        let middle = Int.random(in: new, using: &random)
        let segments = [new.lowerBound..<middle, middle..<new.upperBound].map {
            Segment(text: WordSound.text($0))
        }
        ledger.say(new, in: block, mayBeLost: !hasPreview)
        if hasPreview { previews[block, default: []] += segments.map(\.text) }
        let passage = Passage(
            block: block, samples: WordSound.samples(first..<new.upperBound), start: Double(first) * 0.4,
            end: Double(new.upperBound) * 0.4, overlaps: shared > 0, preview: hasPreview ? segments : [],
            hasPreview: hasPreview)
        shared = new.count > 3 && Int.random(in: 0..<3, using: &random) == 0 ? 3 : 0
        take(queue.add(passage, &health, at: now))
    }

    private mutating func commit() {
        commits[block] = now
        take(queue.endBlock(block, duration: 1, &health, at: now))
        beginBlock()
    }

    private mutating func beginBlock() {
        block += 1
        shared = 0
    }

    /// Every timeout comes when it is due.
    private mutating func advance(to time: Duration) {
        for _ in 0..<100 {
            guard let deadline = queue.nextDeadline, deadline <= time else { break }
            now = max(now, deadline)
            take(queue.tick(&health, at: now))
        }
        now = time
    }

    private mutating func take(_ effects: [PassageQueue.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let id, let samples, let timeout):
                let text = WordSound.text(of: samples)
                let words = WordSound.words(in: text)
                if words != Array((words.first ?? 0)..<(words.last ?? 0) + 1) {
                    ledger.fail("sound twice or in another order: \(words)")
                }
                if samples.count > 20 * 16000, words.count > 58 {
                    ledger.fail("\(words.count) words at once")
                }
                if requests.updateValue(text, forKey: id) != nil {
                    ledger.fail("\(id) is sent twice at once")
                }
                if requests.count > 2 { ledger.fail("\(requests.count) requests at once") }
                if timeout > .seconds(60) { ledger.fail("a timeout of \(timeout)") }
            case .cancel(let id):
                guard let text = requests.removeValue(forKey: id) else {
                    ledger.fail("\(id) is cancelled, which was not sent")
                    continue
                }
                cancelled[id] = text
            case .report(.passage(let number, let text), _): write(text, in: number, isLoss: false)
            case .report(.passageLost(let number, let text, _), _): write(text, in: number, isLoss: true)
            case .report(.blockEnded(let number, _), _):
                ledger.end(number)
                checkTime(of: number)
            case .report: break
            case .open, .sound, .finish: ledger.fail("a whole passage was streamed")
            }
        }
    }

    private mutating func write(_ text: PassageText, in number: BlockNumber, isLoss: Bool) {
        let replaced = previews[number]?.prefix(text.replaces) ?? []
        if replaced.count != text.replaces { ledger.fail("\(text.replaces) previews are replaced") }
        previews[number]?.removeFirst(replaced.count)
        ledger.write(text.segment?.text ?? replaced.joined(separator: " "), in: number, isLoss: isLoss)
    }

    /// A commit waits for the engine for a limited time, except for a file.
    private mutating func checkTime(of number: BlockNumber) {
        guard let began = commits[number], !settings.inputWaits else { return }
        let waits = settings.fallback == .wait || settings.previewEngine == nil
        let limit = waits ? settings.waitTimeout : settings.commitTimeout
        if now > began + limit { ledger.fail("the commit of \(number) took \(now - began)") }
    }
}
