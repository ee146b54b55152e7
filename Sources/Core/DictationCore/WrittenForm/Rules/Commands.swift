// Spoken commands: taking text back, capitals, spaces.

extension Parser {
    mutating func command() -> Unit? {
        guard let (command, end) = longest(lexicon.commands, 0), isCommand(at: command.place, end) else {
            return nil
        }
        return Unit(end, .command(command.effect))
    }

    private mutating func isCommand(at place: CommandPlace, _ end: Int) -> Bool {
        switch place {
        case .anywhere: deletesText(end)
        case .utterance: isUtterance(end)
        case .lastUtterance: isUtterance(end) && isLast(end)
        }
    }

    private mutating func isUtterance(_ end: Int) -> Bool {
        beginsUtterance && isEnd(end)
    }

    /// Whether "scratch that" deletes text: alone, or where a clause may end and the next words begin another.
    private mutating func deletesText(_ end: Int) -> Bool {
        let isBreak = beginsUtterance || context.clause.words == 0
        if !isBreak, belongsToClause { return false }
        if isEnd(end) { return true }
        if !isBreak, context.clause.words <= Self.shortCorrection { return true }
        return beginsCorrection(end, isBreak: isBreak)
    }

    /// Words that somebody corrects by others without a pause: "good morning scratch that good evening".
    private static let shortCorrection = 2

    /// Whether the word before needs the command's words: "to scratch that", "let the dog scratch that door".
    private var belongsToClause: Bool {
        let clause = context.clause
        let needing = WordClasses(.leading, .preposition, .nominative, .auxiliary, .determiner, .plainVerb)
        // "you scratch that"
        let isSubject = clause.last.contains(.pronoun) && clause.last.contains(.opener)
        // "do not scratch that"
        let isNegated = clause.last.contains(.opener) && clause.lastButOne.contains(.auxiliary)
        return clause.hasCausative || isSubject || isNegated || !clause.last.isDisjoint(with: needing)
    }

    /// Whether the words after a command begin a clause, a number or another command.
    private mutating func beginsCorrection(_ index: Int, isBreak: Bool) -> Bool {
        guard let next = word(index) else { return true }
        let classes = self.classes(index)
        // "scratch that word"
        if classes.contains(.naming) { return false }
        // "efface ça du tableau": the preposition belongs to the command's verb.
        if isBreak, classes.contains(.preposition) || classes.contains(.leading) { return false }
        let beginning = WordClasses(.opener, .determiner, .demonstrative, .preposition)
        if !classes.isDisjoint(with: beginning), !classes.contains(.of) { return true }
        return !next.roles.isDisjoint(with: Self.number.union(Roles(.ordinal)))
            || !next.roles.isDisjoint(with: [.beginsCommand, .beginsControl, .beginsMark])
    }

    // MARK: Controls

    /// "cap", "all caps on", "no space".
    mutating func control() -> Unit? {
        guard let (control, end) = longest(lexicon.controls, 0), isControl(control, end) else { return nil }
        return Unit(end, .control(control))
    }

    private mutating func isControl(_ control: LanguageTable.Control, _ end: Int) -> Bool {
        if control.needsWord {
            guard let next = word(end) else { return false }
            let classes = self.classes(end)
            let isNameless = next.roles.contains(.function) || !next.roles.isDisjoint(with: Self.number)
            if control == .capital, isNameless { return false }
            if !classes.isDisjoint(with: WordClasses(.adverb)), control != .lower { return false }
            if control != .lower, classes.contains(.preposition) || classes.contains(.conjunction) {
                return false
            }
            if control == .noSpace, classes.contains(.auxiliary) { return false }
        }
        if control == .noSpace, word(end)?.roles.isDisjoint(with: .beginsMark) == false { return true }
        switch control {
        case .capitalOff: if context.lock == .capital { return true }
        case .capitalsOff: if context.lock == .capitals { return true }
        case .lowerOff: if context.lock == .lower { return true }
        case .noSpaceOff: return context.isWithoutSpaces
        default: break
        }
        return mayFollow(control)
    }

    /// Whether the words before leave a place for a control.
    private func mayFollow(_ control: LanguageTable.Control) -> Bool {
        let clause = context.clause
        if clause.words == 0 || beginsUtterance { return true }
        let last = clause.last
        if last.contains(.determiner) || last.contains(.demonstrative) && clause.phrase == .determiner {
            return false
        }
        let isNoun = last.isEmpty || last == WordClasses(.adjective)
        let hasNumber = !context.last.roles.isDisjoint(with: Self.number)
        switch control {
        case .capital:
            if context.isCapitalised || context.last.hasName { return true }
            // "the drop cap"
            if clause.phrase != .none, !last.contains(.verb) { return false }
            return !isNoun && clause.phrase != .adjective && clause.phrase != .perhapsAdjective
                && context.last.number != lexicon.infinitive
        case .capitalOn, .capitalOff:
            return last.contains(.conjunction) || last.contains(.speech)
                || last.contains(.preposition) && !last.contains(.leading)
        case .capitals, .lower, .capitalsOn, .capitalsOff, .lowerOn, .lowerOff:
            return last.isDisjoint(with: WordClasses(.auxiliary, .preposition, .leading, .of))
        case .noSpace, .noSpaceOn, .noSpaceOff: return last.isDisjoint(with: .function) || hasNumber
        }
    }
}
