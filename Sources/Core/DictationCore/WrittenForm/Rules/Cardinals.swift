// Cardinal numbers in words: "one hundred and five", "two point five million".

/// A spoken number.
struct Quantity {
    var whole: Int
    /// Digits after the point.
    var decimals = ""
    /// "million", if no smaller number follows it.
    var scale: String?
    /// The value of the scale; 1 without a scale.
    var scaleValue = 1
    /// A fraction such as "1/2".
    var fraction: String?
    var isNegative = false
    /// A sign other than minus, such as ±.
    var sign = ""
    /// The index after its last word.
    var end: Int

    /// Whether it is a whole number below ten. Those are written in words unless the context requires digits.
    var isSmall: Bool {
        whole < 10 && decimals.isEmpty && scale == nil && fraction == nil && !isNegative && sign.isEmpty
    }

    var isWhole: Bool { decimals.isEmpty && fraction == nil }
}

extension Parser {
    /// A number below a hundred.
    mutating func belowHundred(_ index: Int) -> (value: Int, end: Int)? {
        if let value = value(.compound, index) { return value < 100 ? (value, index + 1) : nil }
        if let tens = tens(index) {
            let next = has(.tensAnd, tens.end) ? tens.end + 1 : tens.end
            if let unit = value(.digit, next), unit > 0 { return (tens.value + unit, next + 1) }
            if lexicon.teensAfter.contains(tens.value), let teen = teen(next) {
                return (tens.value + teen.value, teen.end)
            }
            return tens
        }
        if let value = value(.digit, index) { return (value, index + 1) }
        return teen(index)
    }

    /// "twelve", "dix-sept".
    private mutating func teen(_ index: Int) -> (value: Int, end: Int)? {
        guard let teen = value(.teen, index) else { return nil }
        // In English "ten seven" are two numbers.
        if teen == 10, !lexicon.teensAfter.isEmpty, let unit = value(.digit, index + 1), unit > 6 {
            return (teen + unit, index + 2)
        }
        return (teen, index + 1)
    }

    /// "eighty", "quatre-vingt".
    private mutating func tens(_ index: Int) -> (value: Int, end: Int)? {
        if let tens = value(.tens, index) { return (tens, index + 1) }
        guard lexicon.teensAfter.contains(80), value(.digit, index) == 4, value(.tens, index + 1) == 20 else {
            return nil
        }
        return (80, index + 2)
    }

    /// A number with its hundreds: "twelve hundred", "three hundred and forty two".
    mutating func hundreds(_ index: Int) -> (value: Int, end: Int)? {
        if let value = value(.compound, index), value >= 100 {
            return value < 1000 ? (value, index + 1) : nil
        }
        let hundreds: (value: Int, end: Int)
        if let value = value(.hundreds, index) {
            hundreds = (value, index + 1)
        } else if has(.hundred, index), has(.bare, index) {
            hundreds = (100, index + 1)
        } else {
            guard let head = belowHundred(index) else { return nil }
            guard head.value > 0, has(.hundred, head.end) else { return head }
            hundreds = (head.value * 100, head.end + 1)
        }
        guard let rest = rest(hundreds.end) else { return hundreds }
        return (hundreds.value + rest.value, rest.end)
    }

    /// The number below a hundred after hundreds or thousands, with or without "and".
    private mutating func rest(_ index: Int) -> (value: Int, end: Int)? {
        let start = has(.and, index) ? index + 1 : index
        guard let rest = belowHundred(start), rest.value > 0, !has(.hundred, rest.end) else { return nil }
        return rest
    }

    /// A whole number without sign. "a" means one before "hundred" or a scale if more words of the number follow:
    /// "a hundred and five".
    mutating func cardinal(_ index: Int) -> Quantity? {
        if has(.article, index) { return cardinalAfterArticle(index) }
        if let compound = compound(index) { return compound }
        let isBare = value(.scale, index) != nil && has(.bare, index)
        guard var group = isBare ? (1, index) : hundreds(index) else { return nil }
        var quantity = Quantity(whole: 0, end: index)
        var below = Int.max
        var groups = 0
        while true {
            guard let scale = value(.scale, group.end), scale < below, group.value > 0, group.value < 1000
            else {
                quantity.whole += group.value
                quantity.end = group.end
                break
            }
            quantity.whole += group.value * scale
            quantity.end = group.end + 1
            quantity.scale = text(group.end)
            quantity.scaleValue = scale
            groups += 1
            below = scale
            guard let next = groupAfterScale(quantity.end) else { break }
            group = next
        }
        if groups != 1 || quantity.whole % quantity.scaleValue != 0 || quantity.scaleValue < 1_000_000 {
            quantity.scale = nil
            quantity.scaleValue = 1
        } else {
            quantity.whole /= quantity.scaleValue
        }
        return quantity
    }

    /// A number of thousands in one word, with more words after it: "zweitausend fünfhundert".
    private mutating func compound(_ index: Int) -> Quantity? {
        guard let value = value(.compound, index), value >= 1000 else { return nil }
        var quantity = Quantity(whole: value, end: index + 1)
        if value % 1000 == 0, let rest = hundreds(index + 1), rest.value < 1000 {
            quantity.whole += rest.value
            quantity.end = rest.end
        }
        return quantity
    }

    private mutating func groupAfterScale(_ index: Int) -> (value: Int, end: Int)? {
        if has(.and, index) { return rest(index) }
        guard let group = hundreds(index), group.value > 0 else { return nil }
        return group
    }

    private mutating func cardinalAfterArticle(_ index: Int) -> Quantity? {
        let unit: Int
        if has(.hundred, index + 1) {
            unit = 100
        } else if let scale = value(.scale, index + 1) {
            unit = scale
        } else {
            return nil
        }
        // "a million and a half"
        if unit > 1000, has(.and, index + 2), has(.article, index + 3), has(.half, index + 4) {
            return Quantity(
                whole: 1, decimals: "5", scale: text(index + 1), scaleValue: unit, end: index + 5)
        }
        guard let rest = unit == 100 ? rest(index + 2) : groupAfterScale(index + 2), rest.value < unit else {
            return nil
        }
        // "a hundred and fifty thousand"
        if unit == 100, let scale = value(.scale, rest.end) {
            return Quantity(whole: (100 + rest.value) * scale, end: rest.end + 1)
        }
        if unit > 1000, let scale = value(.scale, rest.end), scale < unit {
            return Quantity(whole: unit + rest.value * scale, end: rest.end + 1)
        }
        return Quantity(whole: unit + rest.value, end: rest.end)
    }

    /// A number with sign, decimals and scale: "minus two point five million".
    mutating func quantity(_ index: Int) -> Quantity? {
        if let (sign, next) = longest(lexicon.signs, index) {
            guard var quantity = unsigned(next) else { return nil }
            quantity.sign = sign
            return quantity
        }
        guard has(.minus, index) else { return unsigned(index) }
        // "minus minus five" is no number.
        guard var quantity = unsigned(index + 1) else { return nil }
        quantity.isNegative = true
        return quantity
    }

    private mutating func unsigned(_ index: Int) -> Quantity? {
        var quantity: Quantity
        if has(.oh, index), has(.point, index + 1) {
            quantity = Quantity(whole: 0, end: index + 1)
        } else if has(.point, index), !lexicon.pointIsMark {
            quantity = Quantity(whole: 0, end: index)
        } else if let cardinal = cardinal(index) {
            quantity = cardinal
        } else {
            return nil
        }
        if quantity.scale == nil, has(.point, quantity.end), let decimals = decimals(quantity.end + 1) {
            // "un virgule deux virgule trois" are three numbers.
            if lexicon.pointIsMark, has(.point, decimals.end), self.decimals(decimals.end + 1) != nil {
                return quantity
            }
            quantity.decimals = decimals.digits
            quantity.end = decimals.end
            if let scale = value(.scale, decimals.end) {
                quantity.scale = text(decimals.end)
                quantity.scaleValue = scale
                quantity.end += 1
            }
        }
        guard quantity.end > index else { return nil }
        if quantity.decimals.isEmpty, quantity.scale == nil { addFraction(to: &quantity) }
        return quantity
    }

    /// Digits after a point: single digits, or one number below a hundred.
    mutating func decimals(_ index: Int) -> (digits: String, end: Int)? {
        var digits = ""
        var end = index
        while digits.count < 18, let digit = has(.oh, end) ? 0 : value(.digit, end) {
            digits += "\(digit)"
            end += 1
        }
        if !digits.isEmpty { return (digits, end) }
        guard let number = belowHundred(index) else { return nil }
        return ("\(number.value)", number.end)
    }

    // MARK: Writing numbers

    func written(_ quantity: Quantity, groupingFrom: Int = 10_000) -> String {
        var text = quantity.isNegative ? "-" : quantity.sign
        if quantity.whole > 0 || quantity.fraction == nil {
            text += grouped(quantity.whole, from: groupingFrom)
        }
        if !quantity.decimals.isEmpty { text += lexicon.decimalSeparator + quantity.decimals }
        if let fraction = quantity.fraction { text += quantity.whole > 0 ? " \(fraction)" : fraction }
        if let scale = quantity.scale { text += " \(scale)" }
        return text
    }

    func grouped(_ number: Int, from limit: Int) -> String {
        let digits = "\(number)"
        guard number >= limit else { return digits }
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += lexicon.groupSeparator }
            text.append(digit)
        }
        return text
    }
}
