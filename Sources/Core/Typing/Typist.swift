/// The rules of typing dictated text: events in, effects out.
///
/// A block belongs to the field that had the focus when the block began. While another field has the focus, the block waits
/// for its own field or is kept. It is never typed into another field. A program that has a field types there alone.
public struct Typist: Sendable {
    var style: TypingStyle
    /// The field with the focus.
    var field: TextField?
    /// The field of all blocks, if a program has one.
    var ownField: TextField?
    /// The current block; nil outside a dictation.
    var current: SpokenBlock?
    /// Blocks that were split off and have no final text yet.
    var closing: [SpokenBlock] = []
    /// Finished blocks that are not typed yet.
    var waiting: [FinishedText] = []
    /// The commit that is not done yet.
    var commit: PendingCommit?
    /// The typed texts of this dictation, the latest last.
    var typed: [FinishedText] = []
    /// Pending deletions.
    var retractions: [Retraction] = []
    /// The deletion that the field has not reported yet.
    var deletion: PendingDeletion?
    /// The end of the text that was last typed into the present field; nil if there is none.
    var lastTyped: [Unicode.Scalar]?
    /// The live text that is shown.
    var shown = ""
    /// Blocks of each dictation have the same numbers.
    var dictation: UInt64 = 0
    private var lastToken: UInt64 = 0
    /// A dictation that is restored goes on in a new ``Typist``. Its IDs begin above the numbers of the blocks
    /// before, each of which had at most one.
    private var lastID: UInt64 = 0
    var effects: [TypingEffect] = []

    /// Of the dictation before, until a field is known.
    private var recalled: TypedEnd?

    /// - Parameter recalled: what the dictation before has typed last.
    public init(style: TypingStyle = TypingStyle(), recalling recalled: TypedEnd? = nil) {
        self.style = style
        self.recalled = recalled
    }

    /// See ``init(style:recalling:)``.
    public mutating func recall(_ end: TypedEnd?) { recalled = end }

    /// The end of the text that was typed last, and its field. A field that does not report its text needs it, for the space
    /// before the next text.
    public struct TypedEnd: Hashable, Sendable {
        var field: TextField
        var text: [Unicode.Scalar]
    }

    /// A block that has no final text yet.
    struct SpokenBlock: Hashable, Sendable {
        var block: UInt64
        var home: TextField?
        var text = ""
        /// The service has failed since it began.
        var isRestored = false
    }

    /// The final text of a block.
    struct FinishedText: Hashable, Sendable {
        var id: UInt64
        var dictation: UInt64
        var block: UInt64
        var text: String
        var hasInitialCapital: Bool
        var home: TextField
        /// The remaining pieces, the next last; nil before the first is typed.
        var rest: [String]?
        /// The text, fitted to the field.
        var fitted: [Unicode.Scalar] = []
        /// The end of the typed part.
        var sent: [Unicode.Scalar] = []
        /// Whether all pieces so far were seen in the field.
        var isSeen = true
    }

    struct PendingCommit: Hashable, Sendable {
        var entry: FinishedText
        var token: UInt64
        var hasWaited = false
        /// The text of the field before it.
        var before: [Unicode.Scalar]?
        var isLast: Bool { entry.rest?.isEmpty ?? true }
    }

    struct Retraction: Hashable, Sendable {
        var block: UInt64
        var offset: Int
    }

    struct PendingDeletion: Hashable, Sendable {
        var token: UInt64
        var entry: FinishedText
        var offset: Int
        var count: Int
        /// The text of the field before it.
        var text: [Unicode.Scalar]
        /// The expected text before the cursor.
        var left: [Unicode.Scalar]
    }
}

extension Typist {
    /// Whether there are blocks without a final text, or texts that can still be typed.
    public var isBusy: Bool {
        commit != nil || deletion != nil || waiting.contains { $0.home.isSame(as: field) }
    }

    /// Nil if nothing was typed into the field with the focus.
    public var typedEnd: TypedEnd? {
        guard let field, let lastTyped else { return nil }
        return TypedEnd(field: field, text: lastTyped)
    }

    /// The live text of the current block.
    public var liveText: String { current?.text ?? "" }

    /// The number of the current block; nil outside a dictation.
    public var currentBlock: UInt64? { current?.block }

    /// The field of the current block; nil if it has none.
    public var home: TextField? { current?.home }

    /// Whether the field shows live text.
    public var showsLiveText: Bool { !shown.isEmpty }

    /// Whether the field that a program has, has the focus.
    public var isInOwnField: Bool { ownField != nil && field.isSame(as: ownField) }

    public mutating func handle(_ event: TypingEvent) -> [TypingEffect] {
        effects = []
        switch event {
        case .begin(let block): begin(block, in: nil)
        case .restored(let block): restore(block)
        case .beginField: begin(1, in: field)
        case .field(let field): fieldChanged(field)
        case .partial(let block, let text): textChanged(block, text)
        case .final(let block, let text, let hasInitialCapital): finish(block, text, hasInitialCapital)
        case .withheld(let block): withhold(block)
        case .retracted(let block, let offset): retract(block, offset)
        case .cancelled(let block):
            closing.removeAll { $0.block == block }
            if let current, block >= current.block { begin(block + 1) }
        case .end: end()
        case .elapsed(let token): elapse(token)
        case .committed(let token, let arrival): report(token, arrival)
        case .lost: lose()
        case .style(let style): self.style = style
        }
        deleteNext()
        typeNext()
        showLiveText()
        return effects
    }

    mutating func nextToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    private mutating func begin(_ block: UInt64, in ownField: TextField?) {
        dictation += 1
        typed = []
        retractions = []
        closing = []
        self.ownField = ownField
        lastID = max(lastID, block - 1)
        begin(block)
    }

    private mutating func restore(_ block: UInt64) {
        begin(block + 1, in: nil)
        closing = [SpokenBlock(block: block, isRestored: true)]
    }

    private mutating func begin(_ block: UInt64) {
        current = SpokenBlock(block: block, home: ownField ?? field)
    }

    private mutating func end() {
        ownField = nil
        let unfinished = closing + (current.map { [$0] } ?? [])
        current = nil
        closing = []
        keepWhatIsElsewhere()
        for block in unfinished where !block.text.isBlank {
            lastID += 1
            let isForSecret = block.home?.isSecret == true
            report(lastID, block.block, block.text, .kept(isForSecret ? .password : .unfinished))
        }
    }

    /// After the end of its dictation no text waits for its field.
    private mutating func keepWhatIsElsewhere() {
        for entry in waiting where current == nil || entry.dictation != dictation {
            if !entry.home.isSame(as: field) { finish(entry, .kept(.left)) }
        }
    }

    // MARK: Fields

    private mutating func fieldChanged(_ next: TextField?) {
        let previous = field
        let isSame = next.isSame(as: previous)
        if !isSame || previous?.visit != next?.visit {
            // Applications drop live text when the focus moves and when the field is clicked.
            shown = ""
        }
        field = next
        refreshHomes()
        if deletion != nil { checkDeletion(isSameField: isSame) }
        if !isSame {
            leave()
            return recall()
        }
        if commit != nil, hasArrived { advance(.arrived) }
    }

    /// The field has not been left since the dictation before.
    private mutating func recall() {
        guard let field, let recalled = recalled.take() else { return }
        if field.isSame(as: recalled.field), field.visit == recalled.field.visit { lastTyped = recalled.text }
    }

    private mutating func lose() {
        if let pending = commit.take() {
            finish(pending.entry, pending.isLast ? .doubtful : .kept(.refused))
        }
        fieldChanged(nil)
    }

    /// Blocks remember their field as it is now, to recognise it when it returns.
    private mutating func refreshHomes() {
        guard let field else { return }
        let isLiveTextShown = !shown.isEmpty
        func refresh(_ home: inout TextField) {
            guard field.isSame(as: home) else { return }
            let place = isLiveTextShown ? home.place : field.place
            home = field
            home.place = place
        }
        func refresh(_ block: inout SpokenBlock) {
            guard var home = block.home else { return }
            refresh(&home)
            block.home = home
        }
        if var home = ownField {
            refresh(&home)
            ownField = home
        }
        if var block = current {
            refresh(&block)
            current = block
        }
        for index in closing.indices { refresh(&closing[index]) }
        for index in waiting.indices { refresh(&waiting[index].home) }
        for index in typed.indices { refresh(&typed[index].home) }
        if var pending = commit {
            refresh(&pending.entry.home)
            commit = pending
        }
    }

    private mutating func leave() {
        lastTyped = nil
        // A route that reports commits tells whether all was typed before.
        if let pending = commit, !pending.entry.home.abilities.contains(.commitReports) {
            commit = nil
            // The compositor has had time to pass on a commit that has waited.
            let typed: TypingOutcome.State = pending.hasWaited ? .sent : .doubtful
            finish(pending.entry, pending.isLast ? typed : .kept(.left))
        }
        keepWhatIsElsewhere()
        guard ownField == nil, let current, !field.isSame(as: current.home) else { return }
        // What is said for a secret field shares no block with other words.
        let isSecret = field?.isSecret == true || current.home?.isSecret == true
        if !isSecret {
            guard current.text.isEmpty, let field else { return }
            guard current.home != nil else {
                self.current?.home = field
                return
            }
        }
        // Words that were spoken but not reported yet belong to the field before this one.
        close(current)
        begin(current.block + 1)
        effects.append(.split)
    }

    // MARK: Speech

    private mutating func close(_ block: SpokenBlock) {
        closing.append(block)
        if closing.count > TypingLimits.waiting { closing.removeFirst() }
    }

    private mutating func textChanged(_ block: UInt64, _ text: String) {
        guard let current else { return }
        if block > current.block {
            close(current)
            begin(block)
        }
        if block >= current.block {
            self.current?.text = text
        } else if let index = closing.firstIndex(where: { $0.block == block }) {
            closing[index].text = text
        }
    }

    /// The block is finished.
    private mutating func take(_ block: UInt64) -> SpokenBlock? {
        if let current, block >= current.block {
            begin(block + 1)
            return current
        }
        return closing.firstIndex { $0.block == block }.map { closing.remove(at: $0) }
    }

    private mutating func withhold(_ block: UInt64) {
        _ = take(block)
        lastID += 1
        report(lastID, block, "", .kept(.password))
    }

    private mutating func finish(_ block: UInt64, _ text: String, _ hasInitialCapital: Bool) {
        let owner = take(block)
        guard !text.isBlank || !style.fitsText && !text.isEmpty else { return }
        lastID += 1
        guard let home = owner?.home, !home.isSecret else {
            let reason: TypingOutcome.Reason =
                owner?.isRestored == true ? .restarted : owner?.home == nil ? .noField : .password
            return report(lastID, block, text, .kept(reason))
        }
        waiting.append(
            FinishedText(
                id: lastID, dictation: dictation, block: block, text: text,
                hasInitialCapital: hasInitialCapital, home: home))
        if !home.isSame(as: field) { report(lastID, block, text, .kept(.left)) }
        if waiting.count > TypingLimits.waiting, let entry = waiting.first(where: { $0.rest == nil }) {
            finish(entry, .kept(.left))
        }
    }

    mutating func report(_ id: UInt64, _ block: UInt64, _ text: String, _ state: TypingOutcome.State) {
        // What was said for a secret field may be a password.
        let text = state == .kept(.password) ? "" : text
        effects.append(.outcome(TypingOutcome(id: id, block: block, text: text, state: state)))
    }

    // MARK: Live text

    private mutating func showLiveText() {
        var text = ""
        if style.showsLiveText, let current, let field, !current.text.isEmpty, !field.isSecret,
            field.abilities.contains(.liveText), field.isSame(as: current.home)
        {
            let fitted = fit(current.text, hasInitialCapital: style.isFormatted, in: field)
            text = TextPieces.tail(fitted, limit: TypingLimits.liveBytes)
        }
        guard !text.utf8.elementsEqual(shown.utf8) else { return }
        shown = text
        effects.append(.perform(text.isEmpty ? .clear : .show(text)))
    }

    func fit(_ text: String, hasInitialCapital: Bool, in field: TextField) -> [Unicode.Scalar] {
        guard style.fitsText else {
            return TextPieces.withoutCommands(text, isTerminal: field.purpose == .terminal)
        }
        // While a commit is in progress, the field still reports its earlier text.
        let surrounding = commit == nil ? field.surrounding : nil
        return TextFit(
            before: surrounding?.before ?? lastTyped?[...], after: surrounding?.after,
            fitsCapitals: style.fitsCapitals && field.surrounding != nil, language: style.language,
            isTerminal: field.purpose == .terminal, hasInitialCapital: hasInitialCapital
        ).fitted(text)
    }
}

extension String {
    fileprivate var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }
}
