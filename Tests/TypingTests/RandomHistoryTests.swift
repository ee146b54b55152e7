import Testing

@testable import Typing

/// Random orders of events, and the invariants of a typist.
@Suite struct RandomHistoryTests {
    @Test(arguments: 0..<40)
    func promisesHold(run: UInt64) {
        for seed in run * 50..<(run + 1) * 50 {
            var history = RandomHistory(seed: seed)
            history.play()
            for failure in history.failures { Issue.record("seed \(seed): \(failure)") }
        }
    }

    /// The histories cover everything: text is typed, kept, split and retracted, and the focus returns.
    @Test func randomHistoriesReachEveryOutcome() {
        var seen: Set<String> = []
        for seed in 0..<300 as Range<UInt64> {
            var history = RandomHistory(seed: seed)
            history.play()
            seen.formUnion(history.reached)
        }
        #expect(
            seen.isSuperset(of: [
                "arrived", "sent", "left", "password", "noField", "refused", "unfinished", "retracted",
                "split", "deletion", "several pieces", "typed after return", "refused elsewhere",
            ]), "\(seen.sorted())")
    }
}

/// A user, a service and three applications that act in random order.
struct RandomHistory {
    private(set) var failures: [String] = []
    private(set) var reached: Set<String> = []
    private var random: SplitMix
    private var typist: Typist
    private var fields: [TextField]
    /// Index of the field with the focus.
    private var focus: Int?
    private var waits: [UInt64] = []
    private var visit: UInt64 = 1
    /// The commit that has not arrived, was not given up, and whose field still has the focus.
    private var inFlight: UInt64?
    private var toArrive: (field: Int, text: String)?

    private var isDictating = false
    private var block: UInt64 = 1
    private var spoken: [String] = []
    /// The last partial text of the block.
    private var partialText = ""
    private var lastWord = 0
    /// The field that had the focus when a word was spoken.
    private var homes: [String: Int?] = [:]
    /// The first word of each word's block.
    private var firstWords: [String: String] = [:]
    /// The last outcome of each text.
    private var texts: [UInt64: TypingOutcome] = [:]
    private var finals: [String] = []
    private var lastTexts: [(block: UInt64, length: Int)] = []

    init(seed: UInt64) {
        random = SplitMix(state: seed)
        fields = [
            .entry("", id: "one"), .entry(nil, id: "two", place: nil, commitLimit: 12),
            .entry("", id: "three", abilities: [.commitReports, .deletion], commitLimit: 20),
            .entry("", id: "secret", purpose: .password),
        ]
        typist = Typist(style: TypingStyle(fitsCapitals: false))
    }

    mutating func play() {
        for _ in 0..<60 { step() }
        end()
        // Without further events everything ends.
        for _ in 0..<200 where typist.isBusy || toArrive != nil || !waits.isEmpty {
            arrive()
            elapse()
        }
        if typist.isBusy { failures.append("typing does not end") }
        focus = nil
        handle(.field(nil))
        checkThatNothingIsLost()
    }

    private mutating func step() {
        switch UInt8.random(in: 0..<20, using: &random) {
        case 0, 1: moveFocus()
        case 2 where !isDictating:
            isDictating = true
            block = 1
            spoken = []
            partialText = ""
            lastTexts = []
            handle(.begin(block: 1))
        case 2..<7: speak()
        case 7..<10: tellPartial()
        case 10, 11: finish()
        case 12: click()
        case 13..<16: arrive()
        case 16, 17: elapse()
        case 18:
            guard isDictating else { return }
            if Bool.random(using: &random) { return retract() }
            handle(.cancelled(block: block))
            spoken = []
            partialText = ""
            block += 1
        default:
            guard isDictating, UInt8.random(in: 0..<4, using: &random) == 0 else { return }
            end()
        }
    }

    /// The partial text of a dictation's last block is its last text.
    private mutating func end() {
        if isDictating, !partialText.isEmpty { finals.append(partialText) }
        isDictating = false
        handle(.end)
    }

    // MARK: The user

    private mutating func moveFocus() {
        visit += 1
        let next = Int.random(in: -1..<fields.count, using: &random)
        focus = next < 0 ? nil : next
        if !reportsCommit {
            toArrive = nil
            inFlight = nil
        }
        if let focus { fields[focus].visit = visit }
        handleFocus()
    }

    private mutating func click() {
        guard let focus, let text = fields[focus].surrounding?.text else { return }
        visit += 1
        fields[focus].visit = visit
        fields[focus].surrounding = SurroundingText(
            String(text), cursor: Int.random(in: 0...text.count, using: &random))
        handleFocus()
    }

    private mutating func speak() {
        guard isDictating else { return }
        lastWord += 1
        let word = "w\(lastWord)."
        homes[word] = focus
        spoken.append(word)
    }

    private mutating func retract() {
        guard let last = lastTexts.last else { return }
        handle(.retracted(block: last.block, offset: Bool.random(using: &random) ? 0 : last.length / 2))
    }

    // MARK: The service

    private mutating func tellPartial() {
        guard isDictating, !spoken.isEmpty else { return }
        partialText = spoken.joined(separator: " ")
        handle(.partial(block: block, text: partialText))
    }

    private mutating func finish() {
        guard isDictating else { return }
        let text = spoken.joined(separator: " ")
        spoken = []
        partialText = ""
        for word in text.split(separator: " ") {
            firstWords[String(word)] = text.split(separator: " ").first.map(String.init)
        }
        let finished = block
        block += 1
        if !text.isEmpty {
            finals.append(text)
            lastTexts.append((finished, text.count))
        }
        handle(.final(block: finished, text: text, hasInitialCapital: false))
    }

    // MARK: The applications

    /// The route reports the commit in progress.
    private var reportsCommit: Bool {
        toArrive.map { fields[$0.field].abilities.contains(.commitReports) } ?? false && inFlight != nil
    }

    /// The field takes the last commit and reports it.
    private mutating func arrive() {
        guard let (index, text) = toArrive else { return }
        let reports = reportsCommit
        toArrive = nil
        if reports, let token = inFlight {
            inFlight = nil
            let isRefused = index != focus || UInt8.random(in: 0..<8, using: &random) == 0
            if isRefused, index != focus { reached.insert("refused elsewhere") }
            return handle(.committed(token: token, isRefused ? .refused : .unknown))
        }
        guard index == focus, let surrounding = fields[index].surrounding else { return }
        var scalars = surrounding.text
        scalars.insert(contentsOf: text.unicodeScalars, at: surrounding.cursor)
        let cursor = surrounding.cursor + text.unicodeScalars.count
        fields[index].surrounding = SurroundingText(String(scalars), cursor: cursor)
        inFlight = nil
        handleFocus()
    }

    private mutating func elapse() {
        guard let token = waits.first else { return }
        waits.removeFirst()
        if token == inFlight { inFlight = nil }
        handle(.elapsed(token: token))
    }

    private mutating func handleFocus() { handle(.field(focus.map { fields[$0] })) }

    // MARK: Effects

    private mutating func handle(_ event: TypingEvent) {
        let effects = typist.handle(event)
        var commits = 0
        for effect in effects {
            switch effect {
            case .perform(.commit(let text, let token)):
                commits += 1
                checkCommit(text, token)
            case .perform(.show(let text)):
                checkLiveText(text)
            case .perform(.delete(let count)):
                reached.insert("deletion")
                delete(count)
            case .perform(.clear), .retractionFailed: break
            case .wait(let token, _):
                waits.append(token)
                // The field could not show it before.
                if case .elapsed(token) = event { inFlight = token }
            case .outcome(let outcome): record(outcome)
            case .split: reached.insert("split")
            }
        }
        if case .committed(_, .refused) = event, case .outcome(let outcome) = effects.first {
            if case .kept = outcome.state {} else { failures.append("refused text is \(outcome.state)") }
        }
        if commits > 1 { failures.append("\(commits) commits in one turn") }
        if effects.contains(.split) { finish() }
    }

    private mutating func checkCommit(_ text: String, _ token: UInt64) {
        guard let focus else { return failures.append("a commit without a field") }
        let field = fields[focus]
        if field.isSecret { failures.append("a commit into a password field") }
        if inFlight != nil { failures.append("two commits in flight") }
        if text.isEmpty || text.utf8.count > field.commitLimit {
            failures.append("a piece of \(text.utf8.count)")
        }
        checkHome(of: text, is: focus)
        if let word = text.split(separator: " ").first, firstWords[String(word)] != String(word) {
            reached.insert("several pieces")
        }
        inFlight = token
        toArrive = (focus, text)
    }

    private mutating func checkLiveText(_ text: String) {
        guard let focus, !fields[focus].isSecret, fields[focus].abilities.contains(.liveText) else {
            return failures.append("live text where none can be")
        }
        checkHome(of: text, is: focus)
    }

    /// A block belongs to the field that had the focus when its first word was spoken.
    private mutating func checkHome(of text: String, is index: Int) {
        guard let word = text.split(separator: " ").first.map(String.init),
            let home = homes[firstWords[word] ?? word]
        else { return }
        if let home, home != index { failures.append("\(word) of \(home) in \(index)") }
    }

    private mutating func delete(_ count: Int) {
        guard let focus, let surrounding = fields[focus].surrounding, surrounding.cursor >= count else {
            return failures.append("a deletion where nothing is")
        }
        if Bool.random(using: &random) { return }
        var scalars = surrounding.text
        scalars.removeSubrange(surrounding.cursor - count..<surrounding.cursor)
        fields[focus].surrounding = SurroundingText(String(scalars), cursor: surrounding.cursor - count)
    }

    private mutating func record(_ outcome: TypingOutcome) {
        switch outcome.state {
        case .arrived: reached.insert("arrived")
        case .sent: reached.insert("sent")
        case .doubtful: reached.insert("doubtful")
        case .kept(let reason): reached.insert("\(reason)")
        case .retracted: reached.insert("retracted")
        }
        if [.arrived, .sent, .doubtful].contains(outcome.state) {
            if texts[outcome.id]?.state == .kept(.left) { reached.insert("typed after return") }
        }
        texts[outcome.id] = outcome
    }

    private mutating func checkThatNothingIsLost() {
        // Text that is taken back becomes shorter.
        if texts.count != finals.count { failures.append("\(texts.count) outcomes of \(finals.count) texts") }
        for (id, outcome) in texts where id > 0 && id <= UInt64(finals.count) {
            let final = finals[Int(id) - 1]
            if !final.hasPrefix(outcome.text) { failures.append("\(outcome.text) is not of \(final)") }
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): the same seed gives the same sequence everywhere.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
