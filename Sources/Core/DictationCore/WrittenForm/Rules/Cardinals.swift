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
    /// The index after its last word.
    var end: Int

    /// Whether it is a whole number below ten. Those are written in words unless the context requires digits.
    var isSmall: Bool {
        whole < 10 && decimals.isEmpty && scale == nil && fraction == nil && !isNegative
    }

    var isWhole: Bool { decimals.isEmpty && fraction == nil }
}

extension Parser {
    /// A number below a hundred.
    mutating func belowHundred(_ index: Int) -> (value: Int, end: Int)? {
        if let value = value(.digit, index) ?? value(.teen, index) { return (value, index + 1) }
        guard let tens = value(.tens, index) else { return nil }
        if let unit = value(.digit, index + 1), unit > 0 { return (tens + unit, index + 2) }
        return (tens, index + 1)
    }

    /// A number with its hundreds: "twelve hundred", "three hundred and forty two".
    mutating func hundreds(_ index: Int) -> (value: Int, end: Int)? {
        guard let head = belowHundred(index) else { return nil }
        guard head.value > 0, has(.hundred, head.end) else { return head }
        let value = head.value * 100
        guard let rest = rest(head.end + 1) else { return (value, head.end + 1) }
        return (value + rest.value, rest.end)
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
        guard var group = hundreds(index) else { return nil }
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
        if has(.minus, index) {
            guard var quantity = quantity(index + 1), !quantity.isNegative else { return nil }
            quantity.isNegative = true
            return quantity
        }
        var quantity: Quantity
        if has(.oh, index), has(.point, index + 1) {
            quantity = Quantity(whole: 0, end: index + 1)
        } else if has(.point, index) {
            quantity = Quantity(whole: 0, end: index)
        } else if let cardinal = cardinal(index) {
            quantity = cardinal
        } else {
            return nil
        }
        if quantity.scale == nil, has(.point, quantity.end), let decimals = decimals(quantity.end + 1) {
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
        var text = quantity.isNegative ? "-" : ""
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
