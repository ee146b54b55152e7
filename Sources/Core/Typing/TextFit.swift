/// Fits dictated text to the text around the cursor.
struct TextFit {
    /// The text before and after the cursor; nil if unknown.
    var before: ArraySlice<Unicode.Scalar>?
    var after: ArraySlice<Unicode.Scalar>?
    /// The first letter may be changed.
    var fitsCapitals = false
    /// A BCP 47 tag; empty is English.
    var language = ""
    var isTerminal = false
    /// The text has a capital only because it begins.
    var hasInitialCapital = false

    func fitted(_ text: String) -> [Unicode.Scalar] {
        var fitted = TextPieces.withoutCommands(text, isTerminal: isTerminal)
        if isTerminal, hasInitialCapital { fitted = Self.withSmallInitial(fitted) }
        guard !fitted.isEmpty, let before else { return fitted }
        let needsSpace = needsSpace(after: before, before: fitted)
        if fitsCapitals, !isTerminal {
            fitted = withFittingCapital(fitted, before + (needsSpace ? [" "] : []))
            if endsBeforeTheSentence(fitted) { fitted.removeLast() }
        }
        if needsSpace { fitted.insert(" ", at: 0) }
        if let next = after?.first, let last = fitted.last, next.isLetter || next.isNumber,
            !last.properties.isWhitespace, !last.isUnspaced
        {
            fitted.append(" ")
        }
        return fitted
    }

    /// Whether the text ends with a full stop in the middle of a sentence: a mark or a small letter follows.
    private func endsBeforeTheSentence(_ text: [Unicode.Scalar]) -> Bool {
        guard text.last == ".", text.dropLast().last != ".", let after else { return false }
        let rest = after.drop { $0 == " " }
        guard let next = rest.first else { return false }
        return ".,;:!?…".unicodeScalars.contains(next) || next.properties.isLowercase
    }

    // MARK: Spaces

    private func needsSpace(
        after before: ArraySlice<Unicode.Scalar>, before text: [Unicode.Scalar]
    ) -> Bool {
        guard let last = before.last, let first = text.first else { return false }
        let follows = Self.endsInClosingQuote(before) || !Self.takesNoSpaceAfter(last)
        return follows && !Self.takesNoSpaceBefore(first)
    }

    private static func takesNoSpaceAfter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.isUnspaced
            || #"([{<"'“‘„‚«‹¿¡/\@#$£€_—–-"#.unicodeScalars.contains(scalar)
    }

    private static func takesNoSpaceBefore(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.isUnspaced
            || ".,;:!?…)]}>”’»›%".unicodeScalars.contains(scalar)
    }

    /// A closing quotation mark looks like an opening one. It follows a letter or a full stop.
    private static func endsInClosingQuote(_ before: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let last = before.last, last == "\"" || last == "'", let previous = before.dropLast().last
        else {
            return false
        }
        return previous.isLetter || previous.isNumber || ".,!?".unicodeScalars.contains(previous)
    }

    // MARK: Capitals

    private func withFittingCapital(
        _ text: [Unicode.Scalar], _ before: ArraySlice<Unicode.Scalar>
    ) -> [Unicode.Scalar] {
        if Self.isSentenceStart(before) { return withCapital(text) }
        if hasInitialCapital { return Self.withSmallInitial(text) }
        guard language.isEmpty || language.hasPrefix("en") else { return text }
        let word = text.prefix { $0.isLetter }
        if let next = text.dropFirst(word.count).first, "'’.".unicodeScalars.contains(next) { return text }
        let isSmall = Self.smallWords.contains(String(word).lowercased())
        return isSmall ? Self.withSmallInitial(text) : text
    }

    private static func isSentenceStart(_ before: ArraySlice<Unicode.Scalar>) -> Bool {
        if before.isEmpty { return true }
        let spaces = before.reversed().prefix { $0.properties.isWhitespace }
        if spaces.isEmpty { return false }
        if spaces.contains(where: { $0 == "\n" }) { return true }
        let end = before.dropLast(spaces.count).reversed()
            .drop { #""'”’»)]"#.unicodeScalars.contains($0) }.first
        return end.map { ".!?…".unicodeScalars.contains($0) } ?? false
    }

    private func withCapital(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
        guard let first = text.first else { return text }
        let hasDottedCapital = language.hasPrefix("tr") || language.hasPrefix("az")
        if first == "i", hasDottedCapital { return ["\u{130}"] + text.dropFirst() }
        return Array(first.properties.titlecaseMapping.unicodeScalars) + text.dropFirst()
    }

    /// "I" and words with a capital inside keep theirs.
    private static func withSmallInitial(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
        guard let first = text.first else { return text }
        let word = text.prefix { $0.isLetter }
        if word == ["I"] || word.dropFirst().contains(where: { $0.properties.changesWhenLowercased }) {
            return text
        }
        return Array(first.properties.lowercaseMapping.unicodeScalars) + text.dropFirst()
    }

    /// English words that have no capital in the middle of a sentence.
    private static let smallWords = Set(
        """
        a about after again all also although an and any are as at be because been before but by can could did do \
        does even every few first for from had has have he her here his how however if in into is it its just like \
        many may maybe might more most my no not now of on one only or other our out over perhaps she should since \
        so some still such than that the their them then there these they this those though to too under until up \
        very was we well were what when where which while who why will with would yes yet you your
        """.split(separator: " ").map(String.init))
}
