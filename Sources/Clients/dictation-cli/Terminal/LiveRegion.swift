/// The lines at the bottom of the terminal that are rewritten in place. Write the returned text unchanged.
struct LiveRegion {
    /// Columns of the present lines. The cursor is after the last one.
    private var drawn: [Int] = []

    /// Replaces the region. `kept` is written above it.
    mutating func draw(_ lines: [String], widths: [Int], keeping kept: [String] = [], columns: Int) -> String
    {
        var output = erase(columns: columns)
        for line in kept { output += line + "\n" }
        output += lines.joined(separator: "\n")
        drawn = widths
        return output
    }

    /// Removes the region. Lines that were drawn on a wider screen may be wrapped now.
    mutating func erase(columns: Int) -> String {
        guard !drawn.isEmpty else { return "" }
        let rows = drawn.reduce(0) { $0 + max(1, ($1 + max(1, columns) - 1) / max(1, columns)) }
        drawn = []
        return "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\u{1B}[J"
    }
}
