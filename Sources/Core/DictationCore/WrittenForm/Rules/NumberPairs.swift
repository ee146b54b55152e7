// Numbers said in two parts: "one twenty" for 120, "twelve thirty four" for 1234. What stands around them decides.

extension Parser {
    /// A number of two parts. It is not a time or a year by itself.
    struct PairedNumber {
        var head: Int
        var rest: Int
        var end: Int

        var value: Int { head * 100 + rest }
    }

    /// A digit or a number from ten, and two more digits.
    mutating func paired(_ index: Int) -> PairedNumber? {
        guard lexicon.pairsNumbers else { return nil }
        guard let head = value(.digit, index) ?? value(.teen, index) ?? value(.tens, index), head > 0,
            let rest = pairRest(index + 1), !continues(rest.end)
        else { return nil }
        return PairedNumber(head: head, rest: rest.value, end: rest.end)
    }

    /// The same with a number of two words first: "twenty two fifty".
    private mutating func longPair() -> PairedNumber? {
        guard lexicon.pairsNumbers, let head = belowHundred(0), head.end == 2, let rest = pairRest(2),
            !continues(rest.end)
        else { return nil }
        return PairedNumber(head: head.value, rest: rest.value, end: rest.end)
    }

    private mutating func pairRest(_ index: Int) -> (value: Int, end: Int)? {
        if has(.oh, index), let digit = value(.digit, index + 1), digit > 0 { return (digit, index + 2) }
        guard let rest = belowHundred(index), rest.value >= 10 else { return nil }
        return rest
    }

    /// Whether the number goes on at `index`, so that its first words are no pair.
    private mutating func continues(_ index: Int) -> Bool {
        guard let next = word(index) else { return false }
        let parts = Self.number.union(Roles(.hundred, .scale, .oh, .ordinal, .point, .repetition))
        return !next.roles.isDisjoint(with: parts)
    }

    /// A pair of which the context shows that it is one number. If nothing shows it, the words stay.
    mutating func pairedNumber() -> Unit? {
        guard let pair = paired(0) else {
            guard let pair = longPair() else { return nil }
            return streetNumber(pair)
        }
        let digits = "\(pair.value)"
        if has(.dot, pair.end) || longest(lexicon.halvesOfDay, pair.end) != nil { return nil }
        if let unit = countedPair(pair) { return unit }
        if let street = streetNumber(pair) { return street }
        if has(.over, pair.end), pair.head < 10, let second = operand(pair.end + 1), second.isWhole {
            return Unit(second.end, .fixed("\(digits)/\(second.whole)"))
        }
        if has(.by, pair.end), let second = operand(pair.end + 1), second.whole >= 100 {
            return Unit(second.end, .fixed("\(digits) \(text(pair.end)) \(second.whole)"))
        }
        let roles = context.last.roles
        if roles.contains(.numbered) || context.endsWithSymbol { return Unit(pair.end, .fixed(digits)) }
        if roles.contains(.timeCue) { return nil }
        guard pair.head < 10 else { return nil }
        let isClock = pair.rest < 60 && pair.rest % 5 == 0
        if isClock, pair.rest % 15 == 0 { return nil }
        if context.clause.last.contains(.determiner), !isClock { return Unit(pair.end, .fixed(digits)) }
        return Unit(
            pair.end,
            isClock && !context.clause.last.contains(.determiner)
                ? .words : .fixed(isClock ? time(pair) : digits))
    }

    private func time(_ pair: PairedNumber) -> String {
        "\(pair.head):" + (pair.rest < 10 ? "0" : "") + "\(pair.rest)"
    }

    /// "three fifty degrees", "four eighty p".
    private mutating func countedPair(_ pair: PairedNumber) -> Unit? {
        let quantity = Quantity(whole: pair.value, end: pair.end)
        if let (measure, end) = longest(lexicon.measures, pair.end) {
            switch measure {
            case .unit(let symbol): return Unit(end, .fixed(unit(written(quantity), symbol)))
            case .percent, .currency: break
            }
        }
        if has(.degree, pair.end) { return Unit(pair.end, .fixed("\(pair.value)")) }
        if has(.duration, pair.end), pair.head < 10, pair.rest >= 20 {
            return Unit(pair.end, .fixed("\(pair.value)"))
        }
        if has(.lines, pair.end) {
            return Unit(pair.end + 1, .fixed("\(pair.value)\(text(pair.end))"))
        }
        return nil
    }

    /// "one twenty three main street", "two twenty one b baker street".
    private mutating func streetNumber(_ pair: PairedNumber) -> Unit? {
        var name = pair.end
        var letter = ""
        if has(.letter, name), !has(.function, name) {
            letter = text(name).uppercased()
            name += 1
        }
        for index in name + 1...name + 2 {
            guard word(index - 1) != nil, !has(.function, index - 1), word(index) != nil else { return nil }
            if has(.street, index) { return Unit(name, .fixed("\(pair.value)\(letter)")) }
        }
        return nil
    }

    /// A number as one side of a range: a pair is one number there.
    mutating func operand(_ index: Int) -> Quantity? {
        if let pair = paired(index), pair.head < 10 || pair.rest >= 10 {
            return Quantity(whole: pair.value, end: pair.end)
        }
        return quantity(index)
    }

    // MARK: Letters with numbers

    /// "vitamin b twelve", "seat twenty two f", "q three".
    mutating func letterAndNumber() -> Unit? {
        if has(.letter, 0) {
            guard let number = belowHundred(1) else { return nil }
            let isQuarter = has(.quarterLetter, 0) && (1...4).contains(number.value)
            guard context.last.roles.contains(.labelled) || isQuarter else { return nil }
            return Unit(
                isQuarter ? 2 : number.end,
                .fixed(text(0).uppercased() + "\(isQuarter ? value(.digit, 1) ?? 0 : number.value)"))
        }
        guard context.last.roles.contains(.labelled), let number = belowHundred(0), has(.letter, number.end),
            !has(.function, number.end) || isEnd(number.end + 1), !has(.letter, number.end + 1)
        else { return nil }
        return Unit(number.end + 1, .fixed("\(number.value)" + text(number.end).uppercased()))
    }
}
