// Numbers with their measures, arithmetic and ranges.

extension Parser {
    /// "five percent", "ten to twelve", "two plus two", "five apples".
    mutating func amount() -> Unit? {
        if let price = priceAfterArticle() { return price }
        guard let first = quantity(0) else { return nil }
        if let area = area(first) { return area }
        if let sum = arithmetic(first) { return sum }
        if let height = height(first) { return height }
        if let range = range(first) { return range }
        if let measured = measured(first) { return Unit(measured.end, .fixed(measured.text)) }
        // "point five" alone is not a number.
        guard !has(.point, 0) || first.decimals.count > 1 else { return nil }
        if first.isSmall, !isAfterCue { return Unit(first.end, .words) }
        return Unit(first.end, .fixed(written(first)))
    }

    /// "a dollar fifty".
    private mutating func priceAfterArticle() -> Unit? {
        guard has(.article, 0), let (measure, end) = longest(lexicon.measures, 1),
            case .currency(let index) = measure, lexicon.currencies[index].isCertain, !has(.and, end),
            let money = money(Quantity(whole: 1, end: 1), lexicon.currencies[index], end), money.end > end
        else { return nil }
        return Unit(money.end, .fixed(money.text))
    }

    /// "two by three centimeters", "ten by twenty".
    private mutating func area(_ first: Quantity) -> Unit? {
        guard has(.by, first.end), longest(lexicon.measures, first.end) == nil,
            let second = operand(first.end + 1)
        else { return nil }
        var text = "\(written(first)) \(text(first.end)) "
        var last = second
        if has(.by, second.end), let third = operand(second.end + 1) {
            text += "\(written(second)) \(self.text(second.end)) "
            last = third
        } else if first.isSmall || second.isSmall, longest(lexicon.measures, second.end) == nil {
            return nil
        }
        let measured = measured(last)
        return Unit(measured?.end ?? last.end, .fixed(text + (measured?.text ?? written(last))))
    }

    /// "five foot ten": both numbers are written in digits.
    private mutating func height(_ feet: Quantity) -> Unit? {
        guard feet.isWhole, feet.scale == nil, has(.foot, feet.end),
            let inches = belowHundred(feet.end + 1), (1...11).contains(inches.value),
            !has(.hundred, inches.end), !has(.scale, inches.end)
        else { return nil }
        return Unit(inches.end, .fixed("\(written(feet)) \(text(feet.end)) \(inches.value)"))
    }

    /// Whether the word before requires digits.
    private var isAfterCue: Bool { context.last.roles.contains(.numbered) || context.endsWithSymbol }

    /// The number of words of the amount that begins at `index`.
    mutating func amountLength(_ index: Int) -> Int? {
        quantity(index).map { $0.end - index }
    }

    /// "numeral five", "roman numeral fourteen".
    mutating func forcedNumber() -> Unit? {
        if has(.roman, 0), has(.numeral, 1), let number = cardinal(2), let roman = RomanNumeral(number.whole)
        {
            return Unit(number.end, .fixed(roman.text))
        }
        guard has(.numeral, 0), let number = quantity(1) else { return nil }
        return Unit(number.end, .fixed(written(number)))
    }

    // MARK: Measures

    /// The quantity with its measure; nil without a measure.
    private mutating func measured(_ quantity: Quantity) -> (text: String, end: Int)? {
        if let (measure, end) = longest(lexicon.measures, quantity.end) {
            switch measure {
            case .percent: return (written(quantity) + lexicon.forms.percentSign, end)
            case .unit(let symbol): return (unit(written(quantity), symbol), end)
            case .currency(let index):
                if let money = money(quantity, lexicon.currencies[index], end) { return money }
            }
        }
        return timeOfDay(quantity) ?? dayAndMonth(quantity)
    }

    func unit(_ number: String, _ symbol: String) -> String { number + lexicon.forms.unitSpace + symbol }

    /// - Parameter end: the index after the currency.
    private mutating func money(
        _ quantity: Quantity, _ currency: Lexicon.Currency, _ end: Int
    ) -> (text: String, end: Int)? {
        if quantity.isWhole, quantity.scale == nil, let cents = cents(end, of: currency) {
            let padding = cents.value < 10 ? "0" : ""
            var amount = quantity
            amount.decimals = "\(padding)\(cents.value)"
            return (money(amount, currency.sign), cents.end)
        }
        return currency.isCertain ? (money(quantity, currency.sign), end) : nil
    }

    private func money(_ quantity: Quantity, _ sign: String) -> String {
        if lexicon.forms.currencyFollows { return unit(written(quantity, groupingFrom: 1000), sign) }
        var amount = quantity
        amount.isNegative = false
        return (quantity.isNegative ? "-" : "") + sign + written(amount, groupingFrom: 1000)
    }

    /// "and fifty cents", or "ninety nine" alone if the currency is certain.
    private mutating func cents(_ index: Int, of currency: Lexicon.Currency) -> (value: Int, end: Int)? {
        let start = has(.and, index) ? index + 1 : index
        guard let number = belowHundred(start) else { return nil }
        if let word = word(number.end), currency.cents.contains(word.number) {
            return (number.value, number.end + 1)
        }
        let isBare =
            (start == index || has(.centsAnd, index)) && number.value >= 10 && currency.isCertain
            && !has(.hundred, number.end) && !has(.scale, number.end) && !isCounting(number.end)
        return isBare ? number : nil
    }

    /// Whether the number before `index` counts the word at `index`.
    mutating func isCounting(_ index: Int) -> Bool {
        has(.duration, index) || has(.degree, index) || longest(lexicon.measures, index) != nil
    }

    private mutating func timeOfDay(_ quantity: Quantity) -> (text: String, end: Int)? {
        guard quantity.isWhole, quantity.scale == nil, !quantity.isNegative else { return nil }
        if (1...12).contains(quantity.whole) {
            if let (half, end) = longest(lexicon.halvesOfDay, quantity.end) {
                return ("\(quantity.whole) \(half)", end)
            }
            if let (clock, end) = longest(lexicon.clock, quantity.end) {
                return ("\(quantity.whole) \(clock)", end)
            }
        }
        if (1000...2400).contains(quantity.whole), quantity.whole % 100 == 0, has(.hours, quantity.end) {
            return ("\(quantity.whole / 100):00", quantity.end + 1)
        }
        return nil
    }

    // MARK: Arithmetic and ranges

    private static let mostOperators = 8

    /// "two plus two equals four".
    private mutating func arithmetic(_ first: Quantity) -> Unit? {
        var text = written(first)
        var end = first.end
        // "tres por ciento"
        if longest(lexicon.measures, end) != nil { return nil }
        for _ in 0..<Self.mostOperators {
            guard let (sign, next) = longest(lexicon.operators, end), let number = quantity(next) else {
                break
            }
            text += " \(sign) \(written(number))"
            end = number.end
        }
        return end > first.end ? Unit(end, .fixed(text)) : nil
    }

    /// "ten to twelve", "nine or ten", "ten dash twelve"; both sides are written in the same form.
    private mutating func range(_ first: Quantity) -> Unit? {
        guard let connector = connector(first.end), let second = operand(first.end + 1) else { return nil }
        // "on page two and five people"
        if isAfterCue, has(.and, first.end), isCounting(second.end) { return nil }
        if let (measure, end) = longest(lexicon.measures, second.end), case .currency(let index) = measure,
            lexicon.currencies[index].isCertain
        {
            let sign = lexicon.currencies[index].sign
            return Unit(end, .fixed(money(first, sign) + connector + money(second, sign)))
        }
        if let measured = measured(second) {
            return Unit(measured.end, .fixed(written(first) + connector + measured.text))
        }
        let isForced =
            isAfterCue || has(.dash, first.end) || has(.slash, first.end) || has(.through, first.end)
        if !isForced {
            // Each number alone would be written in words.
            if first.isSmall, second.isSmall { return nil }
            // "two or three hundred"
            let isShared = (100..<1_000_000).contains(second.whole) && second.end - first.end == 3
            if first.isSmall, isShared, second.isWhole { return Unit(second.end, .words) }
        }
        return Unit(second.end, .fixed(written(first) + connector + written(second)))
    }

    private mutating func connector(_ index: Int) -> String? {
        guard let word = word(index) else { return nil }
        if word.roles.contains(.dash) { return "–" }
        if word.roles.contains(.slash) { return "/" }
        // "between ten and twelve", "pages two and three"
        let joins =
            word.roles.contains(.to) || word.roles.contains(.or) || word.roles.contains(.through)
            || word.roles.contains(.and)
                && !context.last.roles.isDisjoint(with: Roles(.between, .numbered))
        return joins ? " \(text(index)) " : nil
    }
}

/// A Roman numeral: XIV for 14.
struct RomanNumeral {
    let text: String

    /// Nil beyond 1...3999.
    init?(_ number: Int) {
        guard (1...3999).contains(number) else { return nil }
        let values = [
            (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
            (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
        ]
        var rest = number
        var text = ""
        for (value, letters) in values {
            while rest >= value {
                text += letters
                rest -= value
            }
        }
        self.text = text
    }
}
