// "twenty first", "one hundred and first".

extension Parser {
    /// Ordinals are written in digits from the tenth on.
    mutating func writtenOrdinal() -> Unit? {
        guard let ordinal = ordinal(0), ordinal.value >= 10 else { return nil }
        if ordinal.end == 2, isSeconds(ordinal.end) { return nil }
        if context.last.roles.contains(.article) {
            // "a tenth of it", "a thirty second break"
            if ordinal.end == 1, has(.part, 0), has(.of, 1) { return nil }
            if has(.duration, ordinal.end - 1) { return nil }
        }
        return Unit(ordinal.end, .fixed(written(ordinal: ordinal.value)))
    }

    /// "thirty second timeout", unlike "the thirty second of march".
    private mutating func isSeconds(_ end: Int) -> Bool {
        has(.duration, end - 1) && !context.clause.last.contains(.determiner)
            && !context.clause.last.contains(.demonstrative) && !isEnd(end)
            && classes(end).isDisjoint(with: .function)
    }

    mutating func ordinal(_ index: Int) -> (value: Int, end: Int)? {
        if let value = value(.ordinal, index) {
            // "hundredth" alone is not an ordinal number in digits.
            return value < 100 ? (value, index + 1) : nil
        }
        guard let number = cardinal(index), number.scale == nil else {
            guard let number = cardinal(index), let power = value(.ordinal, number.end), power < 100 else {
                return nil
            }
            return (number.whole * number.scaleValue + power, number.end + 1)
        }
        if let value = value(.ordinal, number.end) {
            return combined(number.whole, value).map { ($0, number.end + 1) }
        }
        // "vingt et unième"
        if lexicon.forms.date != nil, number.whole % 10 == 0, (20...60).contains(number.whole),
            has(.tensAnd, number.end), let value = value(.ordinal, number.end + 1), value < 10
        {
            return (number.whole + value, number.end + 2)
        }
        guard number.whole >= 100, number.whole % 100 == 0, has(.and, number.end) else { return nil }
        if let value = value(.ordinal, number.end + 1), value < 100 {
            return (number.whole + value, number.end + 2)
        }
        return nil
    }

    /// The value of a cardinal number and the ordinal after it; nil if they are two numbers.
    private func combined(_ number: Int, _ ordinal: Int) -> Int? {
        if ordinal >= 100 {
            // "one thousand two hundredth"
            let hundreds = number % 1000
            if ordinal == 100, number > 1000, (1...9).contains(hundreds) {
                return number - hundreds + hundreds * ordinal
            }
            return number > 0 && number < 1000 ? number * ordinal : nil
        }
        if number >= 100, number % 100 == 0 { return number + ordinal }
        let isTens = number % 10 == 0 && number % 100 >= 20
        return isTens && ordinal < 10 ? number + ordinal : nil
    }

    func written(ordinal value: Int) -> String {
        let digit = value % 10
        let isRegular = digit > 3 || (11...13).contains(value % 100)
        return grouped(value, from: 10_000) + lexicon.ordinalSuffixes[isRegular ? 0 : digit]
    }
}
