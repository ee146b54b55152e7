// Words that are written as they are spoken, and the user's phrases.

extension Parser {
    /// "literal comma": the mark, command or number after it is written as words.
    mutating func literal() -> Unit? {
        guard has(.literal, 0), !isAfterDeterminer else { return nil }
        for length in [length(of: lexicon.marks), length(of: lexicon.controls), length(of: lexicon.commands)]
        {
            if let length { return Unit(1 + length, .literal(length)) }
        }
        if let number = amountLength(1) { return Unit(1 + number, .literal(number)) }
        return nil
    }

    private mutating func length<Meaning>(of tree: PhraseTree<Meaning>) -> Int? {
        longest(tree, 1).map { $0.end - 1 }
    }

    /// A phrase with its own written form: "twenty four seven".
    mutating func idiom() -> Unit? {
        guard let (written, end) = longest(lexicon.idioms, 0) else { return nil }
        return Unit(end, .word(written))
    }

    /// The longest replacement or snippet that matches.
    mutating func userPhrase() -> Unit? {
        guard let phrase = userPhraseLength(0) else { return nil }
        return Unit(phrase.end, .verbatim(phrase.written))
    }

    /// A phrase that the client registered, if nothing else is said between two pauses.
    mutating func clientPhrase() -> Unit? {
        guard beginsUtterance, let phrase = longest(lexicon.clientPhrases, 0), isEnd(phrase.end)
        else { return nil }
        return Unit(phrase.end, .command(.phrase(phrase.meaning)))
    }
}
