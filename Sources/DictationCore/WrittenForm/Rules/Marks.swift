// Punctuation and symbols.

extension Parser {
    /// A spoken mark, unless the words around it make a word of it.
    mutating func mark() -> Unit? {
        guard let (mark, end) = longest(lexicon.marks, 0), !isBehindDeterminer,
            !mark.notBehind.contains(context.last.number), !(mark.needsOpening && context.openQuotes == 0)
        else { return nil }
        if !mark.notBefore.isEmpty, let next = word(end), mark.notBefore.contains(next.number),
            mark.exceptBefore.isEmpty || longest(mark.exceptBefore, end) == nil
        {
            return nil
        }
        return Unit(end, .mark(mark))
    }

    /// "and slash or", "he slash she".
    mutating func slashBetweenAlternatives() -> Unit? {
        guard context.last.roles.contains(.alternative), has(.slash, 0), has(.alternative, 1) else {
            return nil
        }
        return Unit(1, .mark(.joining("/")))
    }

    /// Articles and the like: what follows them is a noun, not a mark.
    var isBehindDeterminer: Bool {
        context.last.roles.contains(.determiner)
            || context.last.roles.contains(.demonstrative) && context.lastButOne.roles.contains(.preposition)
    }
}

extension Lexicon.Mark {
    static func joining(_ written: String) -> Self {
        Self(
            written: written, spacing: .between, notBehind: [], notBefore: [], exceptBefore: PhraseTree(),
            needsOpening: false)
    }
}
