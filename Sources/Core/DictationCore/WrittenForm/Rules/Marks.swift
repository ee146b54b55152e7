// Punctuation and symbols.

extension Parser {
    /// A spoken mark, if the evidence on both sides is enough.
    mutating func mark() -> Unit? {
        guard let (mark, end) = longest(lexicon.marks, 0), let evidence = evidence(for: mark, end) else {
            return nil
        }
        if let reasons = evidence.reasons { explain(end, evidence.isEnough ? "mark" : "words", reasons) }
        if evidence.isEnough { return Unit(end, .mark(mark)) }
        // "put a semi colon here" has no colon either.
        let isNoun = mark.group != .sentence && context.clause.phrase == .determiner
        return end > 1 || isNoun ? Unit(end, isNoun ? .nameOfMark : .words) : nil
    }

    /// - Parameter end: the index after it.
    /// - Returns: nil if it cannot be a mark.
    private mutating func evidence(for mark: Lexicon.Mark, _ end: Int) -> Evidence? {
        if mark.needsOpening, context.openQuotes == 0 { return nil }
        if mark.needsSpeech, !context.clause.last.contains(.speech) { return nil }
        var evidence = Evidence(explains: explains)
        let group = mark.group
        if mark.needsBreak, context.clause.words > 0, context.pause == .none, context.heldPunctuation.isEmpty
        {
            return nil
        }
        if mark.spacing == .closing, context.openQuotes > 0 {
            evidence.add(9, "an open mark is closed")
            return evidence
        }
        if mark.spacing == .apostrophe, has(.suffix, end) {
            evidence.add(9, "a suffix follows")
            return evidence
        }
        if isAlone(end) {
            evidence.add(9, "said alone")
            return evidence
        }
        evidence.add(end > 1 ? .unmistakable : .usual, group)
        evidence.add(mark.evidence, mark.evidence < 0 ? "a rare mark" : "a frequent mark")
        if isHeardMark(0) { evidence.add(.heard, group) }
        if context.isAboutMarks { evidence.add(.aboutMarks, group) }
        if let first = word(0), !first.roles.isDisjoint(with: Self.number), isAfterCountingWord {
            evidence.add(.counted, group)
        }
        weighWordsBefore(mark, isEnd: isEnd(end), &evidence)
        weighWordsAfter(mark, end, &evidence)
        return evidence
    }

    /// Whether pauses or the engine's punctuation separate it on both sides.
    private mutating func isAlone(_ end: Int) -> Bool {
        (context.pause != .none || !context.heldPunctuation.isEmpty) && isEnd(end)
    }

    private func weighWordsBefore(_ mark: Lexicon.Mark, isEnd: Bool, _ evidence: inout Evidence) {
        let group = mark.group
        let clause = context.clause
        if context.pause != .none, clause.words > 0 { evidence.add(.afterPause, group) }
        if !context.heldPunctuation.isEmpty {
            evidence.add(.afterPunctuation, group)
            return
        }
        guard clause.words > 0 else {
            // A closing bracket ends with a word of its own.
            let isAfterMark = context.pause == .none
            if !context.endsWithWord, !(group == .line && isAfterMark) { evidence.add(.atBeginning, group) }
            return
        }
        evidence.add(.habitBefore, group, times: lexicon.habits.before(context.lastText))
        let last = clause.last
        // "no period"
        let isAnswer = last.contains(.opener) && clause.words == 1 && isEnd
        if last.contains(.determiner) && !isAnswer || last.contains(.demonstrative) && isDeterminer(clause) {
            evidence.add(.afterDeterminer, group)
        } else if clause.phrase == .adjective {
            evidence.add(.afterAdjective, group)
        } else if clause.phrase == .perhapsAdjective {
            evidence.add(.afterPerhapsAdjective, group)
        } else if clause.phrase == .noun {
            evidence.add(.afterNoun, group)
        } else if last.contains(.adjective), !isPredicate(clause) {
            evidence.add(.afterBareAdjective, group)
        }
        if isAfterOne { evidence.add(.afterOne, group) }
        if mark.spacing != .opening {
            if last.contains(.naming) { evidence.add(.afterNaming, group) }
            if last.contains(.compound), !clause.lastButOne.contains(.quantity) {
                evidence.add(.afterCompound, group)
            }
            if last.contains(.conjunction), !last.contains(.demonstrative) {
                evidence.add(.afterConjunction, group)
            } else if last.contains(.leading) {
                evidence.add(.afterLeading, group)
            } else if last.contains(.nominative) {
                evidence.add(.afterNominative, group)
            } else if last.contains(.auxiliary) {
                evidence.add(.afterAuxiliary, group)
            } else if last.contains(.plainVerb) || last.contains(.verb) {
                evidence.add(.afterVerb, group)
            }
        }
        if !clause.hasVerb, !clause.beginsWithPreposition, clause.phrase == .noun {
            evidence.add(.withoutVerb, group)
        }
    }

    /// "he was old", "it is very old": no noun follows the adjective.
    private func isPredicate(_ clause: Clause) -> Bool {
        !clause.lastButOne.isDisjoint(
            with: WordClasses(.auxiliary, .adverb, .leading, .verb, .conjunction, .pronoun, .preposition))
            || clause.words == 1
    }

    /// Whether a word such as "this" stands before a noun: "in this period", "his period was long".
    private func isDeterminer(_ clause: Clause) -> Bool {
        if !clause.hasVerb || context.isPunctuated { return true }
        return !clause.lastButOne.contains(.plainVerb)
            && !clause.lastButOne.isDisjoint(with: WordClasses(.preposition, .leading))
    }

    /// "there is one dot", unlike "chapter one".
    private var isAfterOne: Bool {
        let counting = WordClasses(.auxiliary, .verb, .plainVerb, .preposition, .leading)
        return context.last.roles.contains(.digit) && context.last.value == 1
            && !context.clause.lastButOne.isDisjoint(with: counting)
    }

    /// Whether a number may follow that counts something: "a gagné deux points", "por dos puntos".
    private var isAfterCountingWord: Bool {
        let counting = WordClasses(.verb, .plainVerb, .auxiliary, .preposition, .leading, .determiner)
        return !context.clause.last.isDisjoint(with: counting) || context.clause.phrase == .adjective
    }

    private mutating func weighWordsAfter(_ mark: Lexicon.Mark, _ end: Int, _ evidence: inout Evidence) {
        let group = mark.group
        let isEnd = self.isEnd(end)
        let isUnmarked = context.isPunctuated && context.heldPunctuation.isEmpty
        if !context.clause.hasVerb, context.clause.beginsWithPreposition {
            evidence.add(isEnd || context.clause.phrase == .none ? .afterPhraseAlone : .afterPhrase, group)
        }
        if isUnmarked {
            evidence.add(
                context.clause.phrase == .none ? .withoutPunctuation : .withoutPunctuationInPhrase, group)
        }
        if isEnd {
            evidence.add(.beforeEnd, group)
            return
        }
        guard let next = word(end) else {
            evidence.add(.beforeContent, group)
            return
        }
        if isUnmarked, hasOwnCapital(end), context.clause.words > 0 { evidence.add(.beforeCapital, group) }
        if context.last.roles.contains(.alternative), next.roles.contains(.alternative), mark.written == "/" {
            evidence.add(.betweenAlternatives, group)
        }
        evidence.add(.habitAfter, group, times: lexicon.habits.after(text(end)))
        if mark.countsBefore, !next.roles.isDisjoint(with: Self.number) { evidence.add(.beforeCount, group) }
        evidence.add(factor(of: next, end), group)
    }

    private mutating func factor(of next: SpokenWord.Sense, _ index: Int) -> MarkFactor {
        let classes = self.classes(index)
        if longest(lexicon.marks, index) != nil { return .beforeMark }
        if longest(lexicon.openers, index) != nil { return .beforeOpener }
        if classes.contains(.naming), !classes.contains(.adjective) { return .beforeNaming }
        if classes.contains(.auxiliary) {
            // "is it", "can you": a question.
            let isQuestion = !isEnd(index + 1) && self.classes(index + 1).contains(.opener)
            if isQuestion { return .beforeOpener }
            return isPhraseClosed ? .beforePredicate : .beforeAuxiliary
        }
        if classes.contains(.opener) { return .beforeOpener }
        if classes.contains(.of) { return .beforeOf }
        if classes.contains(.conjunction) { return .beforeConjunction }
        let isDeterminer = classes.contains(.determiner) || classes.contains(.demonstrative)
        if isDeterminer, !classes.contains(.preposition) { return .beforeDeterminer }
        if classes.contains(.preposition) {
            return isPhraseClosed ? .beforeLoosePreposition : .beforePreposition
        }
        if classes.contains(.adverb) { return .beforeAdverb }
        if classes.contains(.plainVerb) { return .beforePlainVerb }
        if classes.contains(.verb) { return isPhraseClosed ? .beforePredicate : .beforeVerb }
        if !next.roles.isDisjoint(with: Self.number) { return .beforeNumber }
        return .beforeContent
    }

    /// Whether nothing before the word asks for another noun.
    private var isPhraseClosed: Bool {
        context.clause.words > 0 && context.clause.phrase == .none && !context.clause.last.contains(.compound)
    }

    /// "and slash or", "he slash she".
    mutating func slashBetweenAlternatives() -> Unit? {
        guard context.last.roles.contains(.alternative), has(.slash, 0), has(.alternative, 1) else {
            return nil
        }
        return Unit(1, .mark(.joining("/")))
    }

    /// Whether the word before is a determiner, so that a noun follows.
    var isAfterDeterminer: Bool {
        let clause = context.clause
        return clause.last.contains(.determiner)
            || clause.last.contains(.demonstrative) && clause.lastButOne.contains(.preposition)
    }
}

extension Lexicon.Mark {
    static func joining(_ written: String) -> Self { Self(written: written, spacing: .between) }
}
