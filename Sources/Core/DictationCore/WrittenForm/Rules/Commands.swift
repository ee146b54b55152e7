// Spoken commands: taking text back, capitals, spaces.

extension Parser {
    /// "scratch that" anywhere; other commands only if nothing else is said between two pauses.
    mutating func command() -> Unit? {
        guard let (command, end) = longest(lexicon.commands, 0) else { return nil }
        switch command.meaning {
        case .scratch: return isOrdinary(command, end) ? nil : Unit(end, .command(.scratch))
        case .undo: return isUtterance(end) ? Unit(end, .command(.scratch)) : nil
        case .newBlock: return isUtterance(end) && isLast(end) ? Unit(end, .command(.newBlock)) : nil
        case .stop: return isUtterance(end) && isLast(end) ? Unit(end, .command(.stop)) : nil
        }
    }

    /// "cap", "all caps on", "no space".
    mutating func control() -> Unit? {
        guard let (control, end) = longest(lexicon.controls, 0), !isOrdinary(control, end) else { return nil }
        if control.meaning.needsWord {
            guard let next = word(end), !next.roles.contains(.function) || control.meaning != .capital else {
                return nil
            }
        }
        return Unit(end, .control(control.meaning))
    }

    private mutating func isUtterance(_ end: Int) -> Bool {
        beginsUtterance && isEnd(end)
    }

    /// Whether a neighbouring word makes it an ordinary phrase.
    private mutating func isOrdinary<Meaning>(_ phrase: Lexicon.Guarded<Meaning>, _ end: Int) -> Bool {
        if phrase.notAfter.contains(context.last.number) { return true }
        guard !phrase.notBefore.isEmpty, let next = word(end) else { return false }
        return phrase.notBefore.contains(next.number)
    }
}
