// "five thirty p m", "half past three".

extension Parser {
    /// An hour and minutes, if AM or PM, the word before them, or a multiple of fifteen minutes shows that they are a time.
    mutating func clockTime() -> Unit? {
        guard let hour = hour(0), !context.last.roles.contains(.numbered) else { return nil }
        if has(.colon, hour.end) {
            return minutes(hour.end + 1).map { Unit($0.end, .fixed(time(hour.value, $0.value))) }
        }
        if hour.isMilitary, has(.hundred, hour.end), has(.hours, hour.end + 1) {
            return Unit(hour.end + 2, .fixed("0\(hour.value):00"))
        }
        guard let minutes = minutes(hour.end) else { return nil }
        let text = time(hour.value, minutes.value)
        if (1...12).contains(hour.value), let (half, end) = longest(lexicon.halvesOfDay, minutes.end) {
            return Unit(end, .fixed("\(text) \(half)"))
        }
        if has(.hours, minutes.end), hour.value >= 10 || hour.isMilitary {
            return Unit(minutes.end + 1, .fixed(text))
        }
        guard !isCounting(minutes.end), !has(.hundred, minutes.end), !has(.scale, minutes.end) else {
            return nil
        }
        // "at six oh seven five five five" is a telephone number.
        if isDigit(minutes.end), isDigit(minutes.end + 1) { return nil }
        let roles = context.last.roles
        if roles.contains(.timeCue) {
            // "by twenty thirty" is a year.
            return roles.contains(.yearCue) && hour.value >= 15 ? nil : Unit(minutes.end, .fixed(text))
        }
        let isQuarter = (1...12).contains(hour.value) && minutes.value > 0 && minutes.value % 15 == 0
        // "in ten fifteen" is a year.
        let isYear = roles.contains(.yearCue) && hour.value >= 10
        return isQuarter && !isYear ? Unit(minutes.end, .fixed(text)) : nil
    }

    /// "fünfzehn uhr dreißig", "quinze heures trente".
    mutating func timeWithWord() -> Unit? {
        guard let hour = belowHundred(0), hour.value <= 24 else { return nil }
        if let range = hourRange(hour) ?? timeWithAnd(hour) { return range }
        guard let form = lexicon.forms.timeOfDay, has(.hourWord, hour.end) else { return nil }
        if let minutes = belowHundred(hour.end + 1), minutes.value < 60, !isCounting(minutes.end) {
            let padded = minutes.value < 10 ? "0\(minutes.value)" : "\(minutes.value)"
            let text = form.replacing("{hour}", with: "\(hour.value)").replacing("{minutes}", with: padded)
            return Unit(minutes.end, .fixed(text))
        }
        guard let full = lexicon.forms.fullHour else { return nil }
        return Unit(hour.end + 1, .fixed(full.replacing("{hour}", with: "\(hour.value)")))
    }

    /// "neun bis siebzehn uhr", "neuf heures à dix-sept heures".
    private mutating func hourRange(_ first: (value: Int, end: Int)) -> Unit? {
        let hasWord = has(.hourWord, first.end)
        let to = hasWord ? first.end + 1 : first.end
        guard has(.to, to), let last = belowHundred(to + 1), last.value <= 24, has(.hourWord, last.end),
            belowHundred(last.end + 1) == nil
        else { return nil }
        let full = lexicon.forms.fullHour ?? "{hour} \(text(last.end))"
        guard lexicon.forms.fullHour != nil || max(first.value, last.value) >= 10 else { return nil }
        let begin = hasWord ? full.replacing("{hour}", with: "\(first.value)") : "\(first.value)"
        let end = full.replacing("{hour}", with: "\(last.value)")
        return Unit(last.end + 1, .fixed("\(begin) \(text(to)) \(end)"))
    }

    /// "a las diecisiete y doce": a cue, an hour and minutes that do not count the next word.
    private mutating func timeWithAnd(_ hour: (value: Int, end: Int)) -> Unit? {
        guard context.last.roles.contains(.timeCue), has(.and, hour.end),
            let minutes = belowHundred(hour.end + 1), (1...59).contains(minutes.value), hour.value >= 10,
            isEnd(minutes.end) || !classes(minutes.end).isDisjoint(with: .function)
        else { return nil }
        return Unit(minutes.end, .fixed(time(hour.value, minutes.value)))
    }

    private mutating func hour(_ index: Int) -> (value: Int, end: Int, isMilitary: Bool)? {
        let isMilitary = has(.oh, index) || value(.digit, index) == 0
        if isMilitary, let digit = value(.digit, index + 1), digit > 0 { return (digit, index + 2, true) }
        guard let hour = belowHundred(index), hour.value < 24 else { return nil }
        return (hour.value, hour.end, false)
    }

    /// Two digits: "thirty", "oh five".
    private mutating func minutes(_ index: Int) -> (value: Int, end: Int)? {
        if has(.oh, index), let digit = value(.digit, index + 1), digit > 0 { return (digit, index + 2) }
        guard let minutes = belowHundred(index), (10...59).contains(minutes.value) else { return nil }
        return minutes
    }

    /// "half past three", "a quarter to five", and after a cue "ten to six".
    mutating func clockWords() -> Unit? {
        var index = has(.article, 0) ? 1 : 0
        let isNamed: Bool
        let minutes: Int
        if has(.half, index) {
            (isNamed, minutes) = (true, 30)
            index += 1
        } else if has(.quarter, index) {
            (isNamed, minutes) = (true, 15)
            index += 1
        } else if index == 0, let number = belowHundred(0), (1...29).contains(number.value) {
            minutes = number.value
            index = number.end
            isNamed = has(.minutes, index)
            if isNamed { index += 1 }
        } else {
            return nil
        }
        guard isNamed || minutes % 5 == 0 else { return nil }
        let isBefore: Bool
        if has(.past, index) {
            isBefore = false
        } else if minutes != 30, has(.till, index),
            isNamed || context.last.roles.contains(.clockCue)
        {
            isBefore = true
        } else {
            return nil
        }
        guard let hour = value(.digit, index + 1) ?? value(.teen, index + 1), (1...12).contains(hour) else {
            return nil
        }
        // "it's five to one odds"
        if isBefore, !isNamed, !isEnd(index + 2), classes(index + 2).isDisjoint(with: .function),
            longest(lexicon.halvesOfDay, index + 2) == nil
        {
            return nil
        }
        let text = isBefore ? time(hour == 1 ? 12 : hour - 1, 60 - minutes) : time(hour, minutes)
        if let (half, end) = longest(lexicon.halvesOfDay, index + 2) {
            return Unit(end, .fixed("\(text) \(half)"))
        }
        return Unit(index + 2, .fixed(text))
    }

    private func time(_ hour: Int, _ minutes: Int) -> String {
        minutes < 10 ? "\(hour):0\(minutes)" : "\(hour):\(minutes)"
    }
}
