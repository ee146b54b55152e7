/// The screen of a terminal after this output: text, line ends, and the few sequences of ECMA-48 that our
/// programs use.
///
/// As in xterm, a character in the last column leaves the cursor on it: only the next one begins another line.
public struct TerminalScreen: Sendable {
    /// The columns of each line, including lines that were scrolled off. A wide character is in the first of its two
    /// columns.
    private var cells: [[String]] = [[]]
    private var row = 0
    private var column = 0
    private let columns: Int
    private let rows: Int

    public init(columns: Int, rows: Int = .max) {
        self.columns = columns
        self.rows = rows
    }

    /// All lines from the first.
    public var lines: [String] { cells.map { $0.joined() } }

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
                case "A": row = max(top, row - max(1, number))
                case "J": eraseBelow()
                default: break
                }
            default: put(scalar)
            }
        }
    }

    /// The cursor does not move above the screen.
    private var top: Int { max(0, cells.count - rows) }

    private mutating func put(_ scalar: Unicode.Scalar) {
        let width = Self.width(scalar)
        if width == 0 {
            if column > 0 { cells[row][column - 1].unicodeScalars.append(scalar) }
            return
        }
        if column + width > columns {
            column = 0
            newLine()
        }
        while cells[row].count < column + width { cells[row].append(" ") }
        cells[row][column] = String(scalar)
        if width == 2 { cells[row][column + 1] = "" }
        column += width
    }

    private mutating func newLine() {
        row += 1
        if row == cells.count { cells.append([]) }
    }

    private mutating func eraseBelow() {
        cells.removeSubrange((row + 1)...)
        cells[row] = Array(cells[row].prefix(column))
    }

    /// 0 for combining characters, 2 for East Asian characters and emoji.
    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return scalar.properties.isEmojiPresentation || isIdeographic(scalar.value) ? 2 : 1
        }
    }

    /// In a block of Unicode whose characters are wide: from CJK radicals to Yi, Hangul, their compatibility forms.
    private static func isIdeographic(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
