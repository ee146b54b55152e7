// "u s a", "spell k u b e".

extension Parser {
    private static let longestRun = 32

    /// Spelled letters: three or more, or two of which the first is not also a word.
    mutating func letters() -> Unit? {
        if has(.spell, 0) { return spelledWord() }
        var run = ""
        while run.count < Self.longestRun, has(.letter, run.count) { run += text(run.count) }
        guard run.count >= 2 else { return nil }
        // "flight u a two thirty one"
        let isLabel =
            context.last.roles.contains(.numbered)
            && word(run.count)?.roles.isDisjoint(with: Self.number) == false
        if !isLabel, !lexicon.acronyms.contains(run) {
            // "the p d f i sent", "a p d f"
            if has(.function, run.count - 1), !isEnd(run.count) { run.removeLast() }
            if has(.function, 0), run.count == 2 || has(.article, 0) { return nil }
        }
        guard run.count >= 2 else { return nil }
        return Unit(run.count, .word(run.uppercased()))
    }

    /// The "s" of "dog's", which some engines write as a letter: "the dog s bone", "it s".
    mutating func suffix() -> Unit? {
        guard has(.suffix, 0), context.endsWithWord, context.pause == .none, context.heldPunctuation.isEmpty,
            !context.last.roles.contains(.letter), !isEnd(1), word(1)?.roles.contains(.letter) == false
        else { return nil }
        let pronouns = WordClasses(.pronoun, .nominative, .demonstrative)
        let isAfterPronoun = !context.clause.last.isDisjoint(with: pronouns)
        let isNoun = context.clause.phrase == .noun && classes(1).isDisjoint(with: .function)
        guard isAfterPronoun || isNoun && has(.possessive, 0) else { return nil }
        return Unit(1, .continued("'" + text(0)))
    }

    /// Letters and digits in turn: "b seven x nine".
    mutating func code() -> Unit? {
        var code = ""
        var changes = 0
        var wasLetter: Bool?
        while code.utf8.count < Self.longestRun {
            let index = code.utf8.count
            let isLetter = has(.letter, index)
            guard isLetter || value(.digit, index) != nil else { break }
            if let wasLetter, wasLetter != isLetter { changes += 1 }
            wasLetter = isLetter
            code += isLetter ? text(index).uppercased() : "\(value(.digit, index) ?? 0)"
        }
        return changes >= 3 ? Unit(code.utf8.count, .fixed(code)) : nil
    }

    /// A word of spelled letters and digits.
    private mutating func spelledWord() -> Unit? {
        guard !context.last.roles.contains(.spellGuard) else { return nil }
        var word = ""
        var index = 1
        while word.count < Self.longestRun {
            if has(.letter, index) {
                word += text(index)
                index += 1
            } else if let digit = value(.digit, index) {
                word += "\(digit)"
                index += 1
            } else if let (control, end) = longest(lexicon.controls, index), control == .capital,
                has(.letter, end)
            {
                word += text(end).uppercased()
                index = end + 1
            } else {
                break
            }
        }
        return word.count >= 2 ? Unit(index, .fixed(word)) : nil
    }
}
