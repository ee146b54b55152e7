/// What a terminal shows that was told these things: text, ends of lines, and the few sequences of ECMA-48 that our
/// programs use.
public struct TerminalScreen: Sendable {
    public private(set) var lines: [String] = [""]
    private var row = 0
    private var column = 0
    private let columns: Int

    public init(columns: Int) { self.columns = columns }

    public mutating func write(_ text: String) {
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\r": column = 0
            case "\n": newLine()
            case "\u{1B}" where rest.first == "[":
                rest.removeFirst()
                let parameters = rest.prefix { $0.value < 0x40 }
                rest = rest.dropFirst(parameters.count)
                let number = Int(String(String.UnicodeScalarView(parameters))) ?? 0
                switch rest.popFirst() {
                case "A": row = max(0, row - max(1, number))
                case "J": eraseBelow()
                default: break
                }
            default: put(Character(scalar))
            }
        }
    }

    private mutating func put(_ character: Character) {
        if column == columns {
            column = 0
            newLine()
        }
        var line = Array(lines[row])
        while line.count <= column { line.append(" ") }
        line[column] = character
        lines[row] = String(line)
        column += 1
    }

    private mutating func newLine() {
        row += 1
        if row == lines.count { lines.append("") }
    }

    private mutating func eraseBelow() {
        lines.removeSubrange((row + 1)...)
        lines[row] = String(lines[row].prefix(column))
    }
}
