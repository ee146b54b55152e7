// Numbers that are spoken digit by digit, and numbers with dots.

extension Parser {
    /// "five five five one two one two", "double oh seven", "room one oh one".
    mutating func digitRun() -> Unit? {
        let isInternational = has(.plus, 0)
        guard let run = runOfDigits(isInternational ? 1 : 0) else { return nil }
        if isInternational {
            return run.digits.count >= 7 ? Unit(run.end, .fixed("+" + run.digits)) : nil
        }
        // "one oh one point four"
        if run.digits.count == 3, run.parts == 3, has(.point, run.end), let decimals = decimals(run.end + 1) {
            return Unit(decimals.end, .fixed(run.digits + lexicon.decimalSeparator + decimals.digits))
        }
        // "version two oh"
        if run.parts == 2, run.digits.hasSuffix("0"), has(.oh, 1), context.last.roles.contains(.version) {
            return Unit(run.end, .fixed("\(run.digits.dropLast()).0"))
        }
        let isLong = run.digits.count >= 3
        let isCode = context.last.roles.contains(.numbered) && run.parts >= 2
        guard isLong && run.parts >= 2 || isCode else { return nil }
        if run.hasHundred {
            guard run.digits.count >= 10 else { return nil }
        }
        // "pages five dash nine" is a range.
        if run.dashed != nil, run.parts == 2 { return nil }
        return Unit(run.end, .fixed(run.dashed ?? telephoneNumber(run.digits)))
    }

    private struct DigitRun {
        var digits = ""
        /// The digits with the spoken dashes; nil without dashes.
        var dashed: String?
        /// The number of words or pairs of words that gave digits.
        var parts = 0
        var hasHundred = false
        var end: Int
    }

    private static let longestRun = 32

    private mutating func runOfDigits(_ start: Int) -> DigitRun? {
        var run = DigitRun(end: start)
        let isCode = context.last.roles.contains(.numbered) || start > 0
        while run.digits.count < Self.longestRun {
            let part: String
            if let count = value(.repetition, run.end), let digit = digit(run.end + 1) {
                part = String(repeating: "\(digit)", count: count)
                run.end += 2
            } else if let digit = digit(run.end) {
                run.end += 1
                if digit > 0, run.digits.isEmpty || run.digits == "1", has(.hundred, run.end) {
                    part = "\(digit)00"
                    run.hasHundred = true
                    run.end += 1
                } else {
                    part = "\(digit)"
                }
            } else if isCode, run.digits.isEmpty, let pair = belowHundred(run.end), has(.oh, pair.end),
                value(.digit, pair.end + 1) != nil
            {
                // "room twelve oh five"
                part = "\(pair.value)"
                run.end = pair.end
            } else if isCode && run.parts > 0 || run.digits.count >= 3 || isNational(run.digits),
                let pair = belowHundred(run.end), pair.value >= 10
            {
                part = "\(pair.value)"
                run.end = pair.end
            } else if !run.digits.isEmpty, has(.dash, run.end) || has(.hyphen, run.end),
                digit(run.end + 1) != nil
            {
                run.dashed = (run.dashed ?? run.digits) + "-"
                run.end += 1
                continue
            } else {
                break
            }
            run.digits += part
            run.dashed?.append(part)
            run.parts += 1
        }
        return run.digits.isEmpty ? nil : run
    }

    /// "zéro six douze": a telephone number with a prefix is said in pairs.
    private func isNational(_ digits: String) -> Bool {
        digits.count >= 2 && digits.first == "0" && lexicon.telephoneNumbers.contains { $0.prefix == "0" }
    }

    mutating func isDigit(_ index: Int) -> Bool { digit(index) != nil }

    private mutating func digit(_ index: Int) -> Int? {
        has(.oh, index) ? 0 : value(.digit, index)
    }

    private func telephoneNumber(_ digits: String) -> String {
        guard
            let format = lexicon.telephoneNumbers.first(where: {
                digits.count == $0.groups.reduce(0, +) && digits.hasPrefix($0.prefix)
            })
        else { return digits }
        var rest = digits[...]
        return format.groups.map { count in
            defer { rest = rest.dropFirst(count) }
            return String(rest.prefix(count))
        }.joined(separator: lexicon.forms.telephoneSeparator)
    }

    /// "one ninety two dot one sixty eight dot one dot one", "three point five point one".
    mutating func dottedNumber() -> Unit? {
        guard var part = dottedPart(0) else { return nil }
        var text = part.text
        var dots = 0
        var points = 0
        while dots + points < 8 {
            let isDot = has(.dot, part.end)
            guard isDot || has(.point, part.end), let next = dottedPart(part.end + 1) else { break }
            if isDot { dots += 1 } else { points += 1 }
            text += "." + next.text
            part = next
        }
        return dots > 0 || points > 1 ? Unit(part.end, .fixed(text)) : nil
    }

    private mutating func dottedPart(_ index: Int) -> (text: String, end: Int)? {
        if let first = digit(index) {
            if let pair = belowHundred(index + 1), pair.value >= 10 {
                return ("\(first)\(pair.value)", pair.end)
            }
            if digit(index + 1) != nil, let run = decimals(index) { return (run.digits, run.end) }
            if first == 0 { return ("0", index + 1) }
        }
        return hundreds(index).map { ("\($0.value)", $0.end) }
    }
}
