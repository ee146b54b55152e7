// "two thirds", "three and a half".

extension Parser {
    /// Adds a fraction that follows a whole number: 2/3, 3 1/2.
    mutating func addFraction(to quantity: inout Quantity) {
        guard quantity.whole < 1000 else { return }
        if let part = parts(quantity.end, of: quantity.whole), !isNoFraction(quantity.end + 1) {
            quantity.fraction = "\(quantity.whole)/\(part)"
            quantity.whole = 0
            quantity.end += 1
            return
        }
        guard quantity.whole > 0, has(.and, quantity.end) else { return }
        let count: Int
        if has(.article, quantity.end + 1) {
            count = 1
        } else if let number = value(.digit, quantity.end + 1), number > 0 {
            count = number
        } else {
            return
        }
        guard let part = parts(quantity.end + 2, of: count), part > count else { return }
        quantity.end += 3
        // "three and a half million"
        if part == 2, let scale = value(.scale, quantity.end) {
            quantity.decimals = "5"
            quantity.scale = text(quantity.end)
            quantity.scaleValue = scale
            quantity.end += 1
        } else {
            quantity.fraction = "\(count)/\(part)"
        }
    }

    /// "one half a dozen", "one fourth of july".
    private mutating func isNoFraction(_ index: Int) -> Bool {
        has(.article, index) || has(.of, index) && has(.month, index + 1)
    }

    /// The denominator: "thirds" after a number, "third" after one.
    private mutating func parts(_ index: Int, of count: Int) -> Int? {
        guard count > 0, let word = word(index), word.roles.contains(.part) else { return nil }
        // The singular, which can also be an ordinal, follows only one: "one third", but "twenty third" is an ordinal.
        let isOne =
            word.roles.contains(.ordinal) || word.roles.contains(.quarter) || word.roles.contains(.half)
        return isOne == (count == 1) ? word.value : nil
    }
}
