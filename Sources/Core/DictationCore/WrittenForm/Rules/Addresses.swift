// "write to john at example dot com", "https colon slash slash example dot org slash help".

extension Parser {
    /// An address, or the rest of an address whose first word has been written already.
    mutating func address() -> Unit? {
        if has(.dot, 0) { return restAfterDot() }
        if has(.at, 0) { return restAfterAt() }
        if let scheme = spelled(.scheme, 0) { return webAddress(scheme) }
        if let www = spelled(.www, 0), has(.dot, www.end), let domain = domain(www.end + 1) {
            let path = path(domain.end)
            return Unit(path.end, .fixed("\(www.text).\(domain.text)\(path.text)"))
        }
        if has(.host, 0), let port = port(1) {
            let path = path(port.end)
            return Unit(path.end, .fixed(text(0) + port.text + path.text))
        }
        return nil
    }

    /// A whole address after a word such as "to": it is built before its first word is written.
    mutating func introducedAddress() -> Unit? {
        if let mailbox = mailbox(0), has(.at, mailbox.end), let domain = domain(afterAt(mailbox.end)) {
            return Unit(domain.end, .fixed("\(mailbox.text)@\(domain.text)"))
        }
        guard let first = joinedLabel(0), let rest = endings(first.end) else { return nil }
        let path = path(rest.end)
        return Unit(path.end, .fixed(first.text + rest.text + path.text))
    }

    /// The part of a mail address before the "@".
    private mutating func mailbox(_ index: Int) -> (text: String, end: Int)? {
        guard var part = mailboxLabel(index) else { return nil }
        for _ in 0..<Self.labelLimit {
            let joint: String
            if has(.dot, part.end) {
                joint = "."
            } else if has(.dash, part.end) || has(.hyphen, part.end) {
                joint = "-"
            } else if has(.underscore, part.end) {
                joint = "_"
            } else if has(.plus, part.end) {
                joint = "+"
            } else {
                break
            }
            guard let next = mailboxLabel(part.end + 1) else { return nil }
            part = (part.text + joint + next.text, next.end)
        }
        return part
    }

    /// One word with initials before it and a number after it: "j smith", "smith ninety nine".
    private mutating func mailboxLabel(_ index: Int) -> (text: String, end: Int)? {
        guard var label = label(index) else { return nil }
        let isInitial = label.end == index + 1 && has(.letter, index)
        if label.end == index + 1, label.text == text(index).lowercased() { label.text = text(index) }
        if isInitial, !has(.at, label.end), let next = self.label(label.end) {
            label = (label.text + next.text, next.end)
        }
        if let number = cardinal(label.end), number.scale == nil {
            label = ("\(label.text)\(number.whole)", number.end)
        }
        return label
    }

    /// ":8080".
    private mutating func port(_ index: Int) -> (text: String, end: Int)? {
        guard has(.colon, index) else { return nil }
        let digits = decimals(index + 1)
        if let number = cardinal(index + 1), number.end > digits?.end ?? 0 {
            guard number.scale == nil, number.whole <= 65_535 else { return nil }
            return (":\(number.whole)", number.end)
        }
        guard let digits, digits.digits.count <= 5 else { return nil }
        return (":\(digits.digits)", digits.end)
    }

    // MARK: Command lines

    /// "dash la" after "run ls".
    mutating func option() -> Unit? {
        guard context.isCommandLine, context.clause.words > 1, context.pause == .none else { return nil }
        let isLong = has(.dash, 1)
        guard let label = label(isLong ? 2 : 1) else { return nil }
        let option = (isLong ? "--" : "-") + label.text
        // "make dash j four"
        if !isLong, label.end == 2, let number = cardinal(label.end), number.scale == nil, isEnd(number.end) {
            return Unit(number.end, .fixed("\(option) \(number.whole)"))
        }
        return Unit(label.end, .fixed(option))
    }

    /// "slash home slash user", "tilde slash documents".
    mutating func filePath() -> Unit? {
        let isHome = has(.tilde, 0)
        guard isHome || slash(0) != nil else { return nil }
        let path = path(isHome ? 1 : 0)
        if isHome { return path.text.isEmpty ? nil : Unit(path.end, .fixed("~" + path.text)) }
        let isAfterCue =
            context.last.roles.contains(.introducesAddress)
            || !context.clause.last.isDisjoint(with: WordClasses(.preposition, .plainVerb))
        guard isAfterCue || context.clause.words == 0, path.text.dropFirst().contains("/") else { return nil }
        return Unit(path.end, .fixed(path.text))
    }

    private static let labelLimit = 8
    /// Words that separate labels.
    private static let joints = Roles(.dot, .at, .slash, .colon, .dash, .hyphen, .underscore, .comma)

    /// ".org/help" after a name, ".doe@example.org" after a first name.
    private mutating func restAfterDot() -> Unit? {
        guard context.endsWithWord, !isAfterDeterminer, !isDotOfPhrase else { return nil }
        var text = ""
        var index = 0
        var count = 0
        while has(.dot, index), count < Self.labelLimit, let label = label(index + 1) {
            text += "." + label.text
            index = label.end
            count += 1
        }
        if has(.at, index), count > 0, let domain = domain(afterAt(index)) {
            return Unit(domain.end, .continued("\(text)@\(domain.text)"))
        }
        guard let ends = endings(0), ends.end > 2 || !isOrdinaryWord(1) else { return nil }
        let path = path(ends.end)
        return Unit(path.end, .continued(ends.text + path.text))
    }

    /// Whether the ending is also a word that often follows: "in", "es".
    private func isOrdinaryWord(_ index: Int) -> Bool {
        !classes(index).isDisjoint(with: WordClasses(.auxiliary, .preposition, .pronoun, .of, .conjunction))
    }

    /// "a red dot in the corner", "there is one dot in it".
    private var isDotOfPhrase: Bool {
        let phrase = context.clause.phrase
        return phrase == .adjective || phrase == .perhapsAdjective
            || context.last.roles.contains(.digit) && context.last.value == 1
    }

    private mutating func restAfterAt() -> Unit? {
        guard context.endsWithWord, !isAfterDeterminer, endsWithMailbox, let domain = domain(afterAt(0))
        else {
            return nil
        }
        return Unit(domain.end, .continued("@\(domain.text)"))
    }

    /// Whether the word before "at" is a mailbox: something introduces it, or the sentence begins with it.
    private var endsWithMailbox: Bool {
        if context.lastButOne.roles.contains(.introducesAddress) {
            return context.clause.last.isDisjoint(with: .function)
        }
        guard context.clause.words == 1 else { return false }
        if context.last.roles.contains(.mailbox) { return true }
        let last = context.clause.last
        return last.isEmpty && !context.endsWithPlural
    }

    /// The index after "at" or "at sign".
    private mutating func afterAt(_ index: Int) -> Int {
        longest(lexicon.marks, index)?.end ?? index + 1
    }

    private mutating func webAddress(_ scheme: (text: String, end: Int)) -> Unit? {
        guard has(.colon, scheme.end), let second = twoSlashes(scheme.end + 1),
            let host = domain(second) ?? label(second)
        else { return nil }
        var text = "\(scheme.text)://\(host.text)"
        var end = host.end
        if let port = port(end) {
            text += port.text
            end = port.end
        }
        let path = path(end)
        return Unit(path.end, .fixed(text + path.text))
    }

    /// Labels with dots between them, up to the last label that is a top-level domain.
    private mutating func domain(_ index: Int) -> (text: String, end: Int)? {
        guard let first = joinedLabel(index), let rest = endings(first.end) else { return nil }
        return (first.text + rest.text, rest.end)
    }

    /// ".example.com": the longest sequence of labels after dots that ends with a top-level domain.
    private mutating func endings(_ index: Int) -> (text: String, end: Int)? {
        var text = ""
        var index = index
        var found: (text: String, end: Int)?
        for _ in 0..<Self.labelLimit {
            guard has(.dot, index) else { break }
            if let ending = spelled(.ending, index + 1) {
                text += "." + ending.text
                index = ending.end
                found = (text, index)
            } else if let label = joinedLabel(index + 1) {
                text += "." + label.text
                index = label.end
            } else {
                break
            }
        }
        return found
    }

    /// "/help/start" after an address.
    private mutating func path(_ index: Int) -> (text: String, end: Int) {
        var text = ""
        var index = index
        for _ in 0..<Self.labelLimit {
            guard let after = slash(index) else { break }
            guard var label = joinedLabel(after) else {
                if isEnd(after) { return (text + "/", after) }
                break
            }
            while has(.dot, label.end), let next = joinedLabel(label.end + 1) {
                label = ("\(label.text).\(next.text)", next.end)
            }
            text += "/" + label.text
            index = label.end
        }
        return (text, index)
    }

    private mutating func twoSlashes(_ index: Int) -> Int? {
        if value(.repetition, index) == 2 { return slash(index + 1) }
        return slash(index).flatMap { slash($0) }
    }

    private mutating func slash(_ index: Int) -> Int? {
        if has(.slash, index) { return index + 1 }
        guard let (mark, end) = longest(lexicon.marks, index), mark.written == "/" else { return nil }
        return end
    }

    /// Labels with hyphens and underscores between them.
    private mutating func joinedLabel(_ index: Int) -> (text: String, end: Int)? {
        guard var label = label(index) else { return nil }
        for _ in 0..<Self.labelLimit {
            let joint: String
            if has(.dash, label.end) || has(.hyphen, label.end) {
                joint = "-"
            } else if has(.underscore, label.end) {
                joint = "_"
            } else {
                break
            }
            guard let next = self.label(label.end + 1) else { break }
            label = (label.text + joint + next.text, next.end)
        }
        return label
    }

    /// One word, a number or spelled letters.
    private mutating func label(_ index: Int) -> (text: String, end: Int)? {
        guard let word = word(index), word.roles.isDisjoint(with: Self.joints) else { return nil }
        if word.roles.contains(.letter), has(.letter, index + 1) {
            var letters = ""
            while letters.count < 16, has(.letter, index + letters.count) {
                letters += text(index + letters.count)
            }
            return (letters, index + letters.count)
        }
        // "g mail dot com"
        if word.roles.contains(.letter), let next = self.word(index + 1),
            next.roles.isDisjoint(with: Self.joints),
            has(.dot, index + 2) || has(.at, index + 2)
        {
            return ((text(index) + text(index + 1)).lowercased(), index + 2)
        }
        if let digits = decimals(index) { return (digits.digits, digits.end) }
        return (text(index).lowercased(), index + 1)
    }

    /// A word of the role, spoken as a word or letter by letter: "com", "u k".
    private mutating func spelled(_ role: Role, _ index: Int) -> (text: String, end: Int)? {
        if has(role, index) { return (text(index).lowercased(), index + 1) }
        var letters = ""
        var found: (text: String, end: Int)?
        while letters.count < 5, has(.letter, index + letters.count) {
            letters += text(index + letters.count).lowercased()
            if lexicon.sense(of: letters)?.roles.contains(role) == true {
                found = (letters, index + letters.count)
            }
        }
        return found
    }
}
