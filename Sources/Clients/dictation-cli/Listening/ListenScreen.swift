import DictationClient
import Localization

/// The screen of `listen`: a value that is computed from the events so far.
struct ListenScreen {
    private(set) var state = SessionState.starting
    private(set) var reasons: [InterruptionReason] = []
    private(set) var pending = 0
    private(set) var text = BlockText()
    /// The text that was discarded last.
    private var discarded: String?
    /// The last final text, of which words may be taken back.
    private var lastFinal: Final?
    private(set) var microphone: String?
    private(set) var level: Level?
    /// What is wrong with the sound; nil if nothing is.
    private(set) var problem: String?
    /// The last error, until listening continues.
    private(set) var notice: String?
    /// The wide meter; nil where none is wanted.
    var meter: LevelBar?
    /// Whether the keyboard is read.
    var hasKeys = false
    /// The last block is being committed; then the program ends.
    var isEnding = false

    /// Returns the text that is final now.
    mutating func apply(_ event: DictationEvent) -> String? {
        switch event {
        case .partial(let partial):
            text.apply(partial)
        case .retracted(let retraction):
            takeBack(retraction)
        case .final(let final):
            if final.block >= text.block { text.clear() }
            lastFinal = final
            return final.text.isEmpty ? nil : final.text
        case .stateChanged(let change):
            state = change.state
            pending = change.pending
            reasons = change.state == .interrupted ? change.reasons : []
            if state != .listening { clearLevel() } else { notice = nil }
        case .problemsChanged(let problems):
            problem = problems.notice.map(DisplayText.harmless)
        case .interrupted(let reason, let all):
            state = .interrupted
            reasons = all.isEmpty ? [reason] : all
            clearLevel()
        case .resumed:
            state = .listening
            reasons = []
            notice = nil
        case .routeChanged(_, _, let current):
            setMicrophone(current)
        case .failed(let error):
            notice = DisplayText.harmless(error.description)
        case .level(let level):
            self.level = level
            meter?.show(level)
        case .serviceVanished:
            state = .interrupted
            notice = translated("The dictation service has ended; starting it again.")
        case .restored:
            state = .paused
            reasons = []
            notice =
                translated(
                    "The dictation service was restarted. The text is kept; up to a second of sound is missing."
                )
        case .command(let phrase):
            notice = DisplayText.harmless(translated("Heard “\(phrase)”."))
        case .serviceAppeared, .stopped, .permissionChanged, .segmentRecorded:
            break
        }
        return nil
    }

    private mutating func clearLevel() {
        level = nil
        if meter != nil { meter = LevelBar() }
    }

    /// A finished block is above the screen and cannot be changed.
    private mutating func takeBack(_ retraction: Retraction) {
        text.apply(retraction)
        guard retraction.block != text.block else { return }
        guard let final = lastFinal, final.block == retraction.block else {
            notice = translated("Took back the end of an earlier text.")
            return
        }
        let scalars = final.text.unicodeScalars
        let words = String(scalars.dropFirst(Int(clamping: retraction.offset)))
        lastFinal?.text = String(scalars.prefix(Int(clamping: retraction.offset)))
        notice = DisplayText.harmless(translated("Took back “\(words.drop { $0.isWhitespace })”."))
    }

    mutating func setMicrophone(_ route: Route?) {
        microphone = route.map { DisplayText.harmless($0.title) }
    }

    /// The text so far, which will not become final.
    mutating func takeText() -> String? {
        defer { text.clear() }
        return text.isEmpty ? nil : text.text
    }

    /// The block was discarded. Its text can be brought back.
    /// - Returns: whether there was text.
    @discardableResult
    mutating func discardText(of block: UInt64, _ recognised: String?) -> Bool {
        let shown = text.block == block ? text.text : ""
        if text.block <= block { text.clear() }
        let whole = recognised.flatMap { $0.isEmpty ? nil : $0 } ?? shown
        guard !whole.isEmpty else { return false }
        discarded = whole
        notice = translated("Discarded. u brings it back.")
        return true
    }

    mutating func takeDiscardedText() -> String? {
        if discarded != nil { notice = nil }
        return discarded.take()
    }

    mutating func showNotice(_ message: String) { notice = DisplayText.harmless(message) }

    /// At most `rows` lines of at most `columns` columns: the end of the text so far, the state, and the keys.
    func lines(columns: Int, rows: Int) -> [StyledLine] {
        var tail = [stateLine]
        if let meter, state == .listening, !isEnding { tail.append(meter.line(columns: columns)) }
        if let problem, state == .listening, !isEnding { tail.append(StyledLine(problem, .warning)) }
        if let banner { tail.append(StyledLine(banner, .warning)) }
        if let notice { tail.append(StyledLine(notice, .bad)) }
        if hasKeys, !isEnding { tail.append(StyledLine(keys, .dim)) }
        let below = tail.flatMap { $0.wrapped(to: columns) }.prefix(max(1, rows))
        return textLines(columns: columns, rows: rows - below.count) + below
    }

    private func textLines(columns: Int, rows: Int) -> [StyledLine] {
        guard !text.isEmpty, rows > 0 else { return [] }
        var line = StyledLine(DisplayText.harmlessLines(text.stable))
        line.append(DisplayText.harmlessLines(text.volatile), .dim)
        let all = line.wrapped(to: columns)
        guard all.count > rows else { return all }
        return [StyledLine("…", .dim)] + all.suffix(rows - 1)
    }

    private var stateLine: StyledLine {
        var line = StyledLine()
        switch state {
        case _ where isEnding: line.append("○ ", .dim)
        case .listening: line.append("● ", .good)
        case .interrupted: line.append("▲ ", .warning)
        case .paused: line.append("‖ ", .dim)
        default: line.append("○ ", .dim)
        }
        line.append(isEnding ? translated("Finishing") : state.phrase, .bold)
        if let microphone, state == .listening { line.append("  \(microphone)", .dim) }
        if let level, meter == nil { line.append("  " + Self.meter(level.rms), .good) }
        if pending > 0 { line.append(pending == 1 ? "  processing" : "  processing \(pending) blocks", .dim) }
        return line
    }

    private var banner: String? {
        guard state == .interrupted, !reasons.isEmpty, !isEnding else { return nil }
        let sentence = reasons.sentence
        return sentence.prefix(1).uppercased() + sentence.dropFirst() + "."
    }

    private var keys: String {
        let space = state == .paused ? translated("Space resumes") : translated("Space pauses")
        return translated("\(space) · Enter commits · Esc discards · q commits and quits")
    }

    /// Ten steps from -60 dB up to full scale.
    private static func meter(_ decibels: Double) -> String {
        let steps = Int(max(0, min(10, (decibels + 60) / 6)).rounded())
        return String(repeating: "▮", count: steps) + String(repeating: "▯", count: 10 - steps)
    }
}
