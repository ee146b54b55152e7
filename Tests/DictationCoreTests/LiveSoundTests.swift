import Testing

@testable import DictationCore

/// A dictation by an engine that gets the sound while it is captured, and a preview engine that helps out.
@Suite struct LiveSoundTests {
    @Test func everyWordIsInTheTextOnceWhicheverEngineHeardIt() throws {
        for seed in 0..<300 as Range<UInt64> {
            var dictation = LivePassages(seed: seed)
            dictation.play()
            if let failure = dictation.ledger.failures.first { Issue.record("seed \(seed): \(failure)") }
        }
    }
}

private struct LivePassages {
    var ledger = WordLedger(errorsLoseWords: false)
    private var random: SequenceGenerator
    private var health = EngineHealth()
    private var queue: PassageQueue
    private let settings: PassageQueue.Settings
    private var now = Duration.zero
    private var block: BlockNumber = 1
    private var nextWord = 1
    private var shared = 0
    /// The first word of the block: its clock begins there.
    private var blockStart = 1
    private var open: (id: Int, first: Int)?
    /// What each connection to the engine got.
    private var streams: [Int: [Int16]] = [:]
    /// Words of the engine's latest text.
    private var partials: [Int: Int] = [:]
    private var finished: Set<Int> = []
    /// Words that the preview engine has recognised of its wish, and those in segments.
    private var preview = (number: 0, heard: 0, settled: 0)
    private var commits: [BlockNumber: Duration] = [:]

    init(seed: UInt64) {
        random = SequenceGenerator(state: seed)
        settings = PassageQueue.Settings(
            engine: "e", previewEngine: Int.random(in: 0..<4, using: &random) == 0 ? nil : "p")
        health.described()
        queue = PassageQueue(settings: settings, health: health)
    }

    mutating func play() {
        for _ in 0..<80 {
            advance(to: now + .milliseconds(Int.random(in: 0..<900, using: &random)))
            step()
        }
        commit()
        for _ in 0..<200 where queue.openCount > 0 {
            if let deadline = queue.nextDeadline { advance(to: max(now, deadline)) }
            recognise(all: true)
        }
        let expected = (1..<block).filter { !ledger.discarded.contains($0) }
        if ledger.ended != expected { ledger.fail("\(ledger.ended) ended of \(expected)") }
        if !streams.isEmpty { ledger.fail("connections without a use: \(streams.keys)") }
    }

    private mutating func step() {
        switch Int.random(in: 0..<22, using: &random) {
        case 0..<6: speak(Int.random(in: 1...6, using: &random))
        case 6, 7: close()
        case 8: commit()
        case 9:
            guard Int.random(in: 0..<3, using: &random) == 0 else { return }
            close()
            take(queue.discard(block, &health, at: now))
            ledger.discard(block)
            beginBlock()
        case 10..<13: report()
        case 13, 14: answer()
        case 15: fail()
        case 16..<19: recognise(all: false)
        case 19, 20: respond(Bool.random(using: &random))
        default:
            health.described()
            take(queue.healthChanged(&health, at: now))
        }
    }

    // MARK: The user

    private mutating func speak(_ count: Int) {
        if open == nil {
            let first = nextWord - shared
            let begun = queue.begin(
                block: block, at: (first - blockStart) * WordSound.wordLength, overlaps: shared > 0,
                kind: .revises, mayChange: true, &health, at: now)
            guard let id = begun.id else { return ledger.fail("a passage is not live") }
            open = (id, first)
            take(begun.effects)
            let again = WordSound.samples(first..<nextWord)
            shared = 0
            if !again.isEmpty { take(queue.append(id, again, isSpeech: true, &health, at: now)) }
        }
        guard let (id, _) = open else { return }
        let words = nextWord..<nextWord + count
        nextWord = words.upperBound
        ledger.say(words, in: block, mayBeLost: true)
        take(queue.append(id, WordSound.samples(words), isSpeech: true, &health, at: now))
    }

    private mutating func close() {
        guard let (id, first) = open else { return }
        open = nil
        let isCut = nextWord - first > 6 && Int.random(in: 0..<3, using: &random) == 0
        shared = isCut ? 3 : 0
        let passage = Passage(
            block: block, samples: WordSound.samples(first..<nextWord),
            start: Double(first - blockStart) * 0.4,
            end: Double(nextWord - blockStart) * 0.4, overlaps: overlaps(first), isCut: isCut,
            hasPreview: false)
        take(queue.close(id, passage, &health, at: now))
    }

    private var firstNew = 1

    /// Whether the passage that begins with this word has words of the one before.
    private mutating func overlaps(_ first: Int) -> Bool {
        defer { firstNew = nextWord }
        return first < firstNew
    }

    private mutating func commit() {
        close()
        commits[block] = now
        take(queue.endBlock(block, duration: 1, &health, at: now))
        beginBlock()
    }

    private mutating func beginBlock() {
        block += 1
        shared = 0
        blockStart = nextWord
        firstNew = nextWord
    }

    // MARK: The engines

    private mutating func report() {
        guard let id = streams.keys.sorted().randomElement(using: &random), let sound = streams[id] else {
            return
        }
        let count = Int.random(in: 0...sound.count / WordSound.wordLength, using: &random)
        guard count >= partials[id] ?? 0, count > 0 else { return }
        partials[id] = count
        let end = count * WordSound.wordLength
        let partial = PassagePartial(text: WordSound.text(of: sound[..<end]), samples: end)
        take(queue.partial(id, partial, &health, at: now))
    }

    private mutating func answer() {
        guard let id = finished.sorted().randomElement(using: &random), let sound = streams[id] else {
            return
        }
        disconnect(id)
        take(queue.answered(id, .success(PassageAnswer(WordSound.text(of: sound))), &health, at: now))
    }

    private mutating func fail() {
        guard let id = streams.keys.sorted().randomElement(using: &random) else { return }
        disconnect(id)
        let kinds: [EngineFailure.Kind] = [.closed, .malformed, .tooSlow]
        let failure = EngineFailure(kinds.randomElement(using: &random) ?? .closed, "failed")
        take(queue.answered(id, .failure(failure), &health, at: now))
    }

    private mutating func respond(_ responds: Bool) {
        let spoken = streams.keys.filter { !finished.contains($0) }
        guard let id = spoken.sorted().randomElement(using: &random) else { return }
        take(queue.responds(id, responds, &health, at: now))
    }

    private mutating func disconnect(_ id: Int) {
        streams[id] = nil
        partials[id] = nil
        finished.remove(id)
    }

    private mutating func recognise(all: Bool) {
        guard let wish = queue.wishes.first else { return }
        if wish.number != preview.number { preview = (wish.number, 0, 0) }
        let words = WordSound.words(in: WordSound.text(of: queue.sound(for: wish)))
        let heard = all ? words.count : Int.random(in: preview.heard...words.count, using: &random)
        preview.heard = heard
        let new = words[preview.settled..<heard].map { "w\($0)" }.joined(separator: " ")
        if all || Int.random(in: 0..<3, using: &random) == 0 {
            preview.settled = heard
            if !new.isEmpty { report(.segment(Segment(text: new)), of: wish) }
            if wish.isClosed, heard == words.count { report(.complete, of: wish) }
        } else {
            report(.hypothesis(new), of: wish)
        }
    }

    private mutating func report(_ event: PreviewEvent, of wish: PreviewWish) {
        take(queue.previewed(wish.passage, number: wish.number, event, &health, at: now))
    }

    // MARK: Effects

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
            case .open(let id):
                if streams.updateValue([], forKey: id) != nil { ledger.fail("\(id) has two connections") }
            case .send(let id, let samples, _):
                if streams.updateValue(samples, forKey: id) != nil {
                    ledger.fail("\(id) has two connections")
                }
                finished.insert(id)
            case .sound(let id, let samples):
                if finished.contains(id) || streams[id] == nil { ledger.fail("sound for \(id)") }
                streams[id]? += samples
            case .finish(let id, _):
                if !finished.insert(id).inserted { ledger.fail("\(id) is finished twice") }
            case .cancel(let id):
                if streams[id] == nil { ledger.fail("\(id) is cancelled, which has no connection") }
                disconnect(id)
            case .report(.passage(let number, let text), _):
                ledger.write(text.segment?.text ?? "", in: number, isLoss: false)
                if let rest = text.rest { ledger.show(rest.text, in: number) }
            case .report(.passageLost(let number, let text, _), _):
                ledger.write(text.segment?.text ?? "", in: number, isLoss: true)
                if let rest = text.rest { ledger.show(rest.text, in: number) }
            case .report(.live(let number, let text), _):
                ledger.show(text.text, in: number)
                ledger.countShown(in: number)
            case .report(.blockEnded(let number, _), _):
                ledger.end(number)
                checkTime(of: number)
            case .report: break
            }
        }
    }

    /// Without a preview engine, whose work takes time too.
    private mutating func checkTime(of number: BlockNumber) {
        guard let began = commits[number], settings.previewEngine == nil else { return }
        if now > began + settings.waitTimeout { ledger.fail("the commit of \(number) took \(now - began)") }
    }
}
