// Punctuation and symbols.

extension Parser {
    /// A mark that the engine itself distinguished from words.
    private func certainMark() -> Unit? {
        lexicon.certainMarks[text(0)].map { Unit(1, .mark($0)) }
    }

    /// A spoken mark, unless the neighbouring words show that it is a word.
    mutating func mark() -> Unit? {
        if word(0)?.isCertainMark == true { return certainMark() }
        guard let (mark, end) = longest(lexicon.marks, 0), !isAfterDeterminer || closes(mark),
            !isSentenceOfOneWord(before: mark), !mark.notAfter.contains(context.last.number),
            !(mark.needsOpening && context.openQuotes == 0)
        else { return nil }
        if !mark.notBefore.isEmpty, let next = word(end), mark.notBefore.contains(next.number),
            mark.exceptBefore.isEmpty || longest(mark.exceptBefore, end) == nil
        {
            return nil
        }
        return Unit(end, .mark(mark))
    }

    /// Whether the mark closes an open one, as in "open paren a close paren".
    private func closes(_ mark: Lexicon.Mark) -> Bool { mark.spacing == .closing && context.openQuotes > 0 }

    /// "his period was long": a sentence rarely consists of one such word.
    private func isSentenceOfOneWord(before mark: Lexicon.Mark) -> Bool {
        mark.spacing == .sentence && context.wordsSinceMark == 1
            && context.last.roles.contains(.demonstrative)
    }

    /// "and slash or", "he slash she".
    mutating func slashBetweenAlternatives() -> Unit? {
        guard context.last.roles.contains(.alternative), has(.slash, 0), has(.alternative, 1) else {
            return nil
        }
        return Unit(1, .mark(.joining("/")))
    }

    /// Whether the word before is a determiner, so that a noun follows and not a mark.
    var isAfterDeterminer: Bool {
        context.last.roles.contains(.determiner)
            || context.last.roles.contains(.demonstrative) && context.lastButOne.roles.contains(.preposition)
    }
}

extension Lexicon.Mark {
    static func joining(_ written: String) -> Self {
        Self(
            written: written, spacing: .between, notAfter: [], notBefore: [], exceptBefore: PhraseTree(),
            needsOpening: false)
    }
}
