// "january fifth twenty twenty six", "the fifth of july", "nineteen eighty four".

extension Parser {
    /// A month with its day, its year or both.
    mutating func monthAndDay() -> Unit? {
        guard has(.month, 0) else { return nil }
        let month = name(0)
        if let day = dayAfterMonth(1) {
            let year = yearAfterDay(day.end)
            if day.isCertain || year != nil {
                let text = "\(month) \(day.value)"
                guard let year else { return Unit(day.end, .fixed(text)) }
                return Unit(year.end, .fixed("\(text), \(year.value)"))
            }
        }
        let isMonth = !has(.vagueMonth, 0) || context.last.roles.contains(.monthCue)
        if isMonth, let year = fullYear(1) { return Unit(year.end, .fixed("\(month) \(year.value)")) }
        return isMonth && has(.vagueMonth, 0) ? Unit(1, .word(month)) : nil
    }

    /// "the fifth of july". The article has been written already.
    mutating func dayOfMonth() -> Unit? {
        guard let day = ordinal(0), (1...31).contains(day.value), has(.of, day.end), has(.month, day.end + 1)
        else { return nil }
        let of = text(day.end)
        let text = "\(written(ordinal: day.value)) \(of) \(name(day.end + 1))"
        guard let year = fullYear(day.end + 2) else { return Unit(day.end + 2, .fixed(text)) }
        return Unit(year.end, .fixed("\(text) \(year.value)"))
    }

    /// "twenty five december".
    mutating func dayAndMonth(_ quantity: Quantity) -> (text: String, end: Int)? {
        guard quantity.isWhole, quantity.scale == nil, (1...31).contains(quantity.whole),
            has(.month, quantity.end), !has(.vagueMonth, quantity.end)
        else { return nil }
        let text = "\(quantity.whole) \(name(quantity.end))"
        guard let year = fullYear(quantity.end + 1) else { return (text, quantity.end + 1) }
        return ("\(text) \(year.value)", year.end)
    }

    /// A year in two numbers, or a decade: "nineteen eighty four", "nineteen eighties".
    mutating func year() -> Unit? {
        guard let century = century(0) else { return nil }
        if century.value >= 13, let decade = value(.decade, century.end) {
            return Unit(century.end + 1, .fixed("\(century.value * 100 + decade)\(lexicon.decadeSuffix)"))
        }
        guard let year = yearInTwoNumbers(0) else { return nil }
        if has(.dash, year.end), let last = fullYear(year.end + 1), !isCounting(last.end) {
            return Unit(last.end, .fixed("\(year.value)–\(last.value)"))
        }
        let isCertain = century.value >= 15 || context.last.roles.contains(.yearCue)
        return isCertain && !isCounting(year.end) ? Unit(year.end, .fixed("\(year.value)")) : nil
    }

    // MARK: Parts of dates

    /// A day of the month. Not certain if it is a small number that may count the next word.
    private mutating func dayAfterMonth(_ index: Int) -> (value: Int, end: Int, isCertain: Bool)? {
        if let ordinal = ordinal(index) {
            return (1...31).contains(ordinal.value) ? (ordinal.value, ordinal.end, true) : nil
        }
        guard !has(.vagueMonth, 0), let number = belowHundred(index), (1...31).contains(number.value),
            !has(.hundred, number.end), !has(.scale, number.end)
        else { return nil }
        // "june twenty twenty" is a year, "june twenty twenty twenty six" a day and a year.
        if yearInTwoNumbers(index) != nil { return (number.value, number.end, false) }
        if isCounting(number.end) { return nil }
        return (number.value, number.end, number.value >= 10 || isEnd(number.end))
    }

    /// The year after a day, with or without a comma.
    private mutating func yearAfterDay(_ index: Int) -> (value: Int, end: Int)? {
        fullYear(has(.comma, index) ? index + 1 : index)
    }

    private mutating func fullYear(_ index: Int) -> (value: Int, end: Int)? {
        if let year = yearInTwoNumbers(index) { return year }
        guard let number = cardinal(index), number.scale == nil, (1000...2999).contains(number.whole) else {
            return nil
        }
        return (number.whole, number.end)
    }

    private mutating func yearInTwoNumbers(_ index: Int) -> (value: Int, end: Int)? {
        guard let century = century(index) else { return nil }
        if has(.oh, century.end), let digit = value(.digit, century.end + 1), digit > 0 {
            return (century.value * 100 + digit, century.end + 2)
        }
        guard let rest = belowHundred(century.end), rest.value >= 10, !has(.hundred, rest.end),
            !has(.scale, rest.end)
        else { return nil }
        return (century.value * 100 + rest.value, rest.end)
    }

    /// Ten to twenty, in one word.
    private mutating func century(_ index: Int) -> (value: Int, end: Int)? {
        guard let value = value(.teen, index) ?? value(.tens, index), (10...20).contains(value) else {
            return nil
        }
        return (value, index + 1)
    }

    /// The word with a capital: "March".
    private func name(_ index: Int) -> String {
        let name = text(index)
        return name.prefix(1).uppercased() + name.dropFirst()
    }
}
