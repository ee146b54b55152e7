// "january fifth twenty twenty six", "the fifth of july", "nineteen eighty four".

extension Parser {
    /// A month with its day, its year or both.
    mutating func monthAndDay() -> Unit? {
        guard has(.month, 0) else { return nil }
        if let date = monthAndDay(0) { return Unit(date.end, .fixed(date.text)) }
        let month = name(0)
        let isMonth = !has(.vagueMonth, 0) || context.last.roles.contains(.monthCue)
        if isMonth, let year = fullYear(1) { return Unit(year.end, .fixed("\(month) \(year.value)")) }
        return isMonth && has(.vagueMonth, 0) ? Unit(1, .word(month)) : nil
    }

    /// "monday may third".
    mutating func weekdayAndDate() -> Unit? {
        guard has(.weekday, 0), has(.month, 1), let date = monthAndDay(1) else { return nil }
        return Unit(date.end, .fixed("\(name(0)), \(date.text)"))
    }

    private mutating func monthAndDay(_ index: Int) -> (text: String, end: Int)? {
        guard let day = dayAfterMonth(index + 1) else { return nil }
        let year = yearAfterDay(day.end)
        guard day.isCertain || year != nil else { return nil }
        let text = "\(name(index)) \(day.value)"
        if let year { return ("\(text), \(year.value)", year.end) }
        // "december first through fifth"
        if has(.through, day.end) || has(.to, day.end), let last = ordinal(day.end + 1),
            last.value > day.value,
            last.value <= 31
        {
            return ("\(text) \(self.text(day.end)) \(last.value)", last.end)
        }
        return (text, day.end)
    }

    /// "the fifth of july". The article has been written already.
    mutating func dayOfMonth() -> Unit? {
        guard lexicon.forms.date == nil, let day = ordinal(0), (1...31).contains(day.value),
            has(.of, day.end), has(.month, day.end + 1)
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

    // MARK: Languages with the day first

    /// "dritten märz zweitausendsechsundzwanzig", "tres de marzo de dos mil".
    mutating func dayFirstDate() -> Unit? {
        guard let form = lexicon.forms.date, let day = dayBeforeMonth(0) else { return nil }
        let month = has(.of, day.end) ? day.end + 1 : day.end
        guard has(.month, month) else { return nil }
        let dayText = day.value == 1 ? lexicon.forms.firstDay ?? dayText(1) : dayText(day.value)
        let name = lexicon.written(words[words.startIndex + month])
        let yearIndex = has(.of, month + 1) ? month + 2 : month + 1
        if let year = cardinal(yearIndex), year.scale == nil, (1000...2999).contains(year.whole) {
            let text = form.replacing("{day}", with: dayText).replacing("{month}", with: name)
                .replacing("{year}", with: "\(year.whole)")
            return Unit(year.end, .fixed(text))
        }
        let yearless = form.split(separator: "{month}", maxSplits: 1).first.map(String.init) ?? ""
        return Unit(month + 1, .fixed(yearless.replacing("{day}", with: dayText) + name))
    }

    private func dayText(_ day: Int) -> String {
        lexicon.forms.dayOfDate.replacing("{day}", with: "\(day)")
    }

    private mutating func dayBeforeMonth(_ index: Int) -> (value: Int, end: Int)? {
        if let ordinal = ordinal(index) { return (1...31).contains(ordinal.value) ? ordinal : nil }
        guard let number = belowHundred(index), (1...31).contains(number.value) else { return nil }
        return number
    }

    // MARK: Parts of dates

    /// A day of the month. Not certain if it is a small number that may count the next word.
    private mutating func dayAfterMonth(_ index: Int) -> (value: Int, end: Int, isCertain: Bool)? {
        if let ordinal = ordinal(index) {
            return (1...31).contains(ordinal.value) ? (ordinal.value, ordinal.end, true) : nil
        }
        guard !has(.vagueMonth, index - 1), let number = belowHundred(index), (1...31).contains(number.value),
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
