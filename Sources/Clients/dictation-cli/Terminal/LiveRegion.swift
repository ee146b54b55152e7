/// The lines at the bottom of the terminal that are rewritten in place. What it returns is to be written as it is.
struct LiveRegion {
    /// Columns of the lines that are on the screen; the cursor is behind the last.
    private var drawn: [Int] = []

    /// Replaces the region; `kept` is put above it and stays.
    mutating func draw(_ lines: [String], widths: [Int], keeping kept: [String] = [], columns: Int) -> String
    {
        var output = erase(columns: columns)
        for line in kept { output += line + "\n" }
        output += lines.joined(separator: "\n")
        drawn = widths
        return output
    }

    /// Takes the region off the screen. Lines that were drawn on a wider screen may have been broken since.
    mutating func erase(columns: Int) -> String {
        guard !drawn.isEmpty else { return "" }
        let rows = drawn.reduce(0) { $0 + max(1, ($1 + max(1, columns) - 1) / max(1, columns)) }
        drawn = []
        return "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\u{1B}[J"
    }
}
