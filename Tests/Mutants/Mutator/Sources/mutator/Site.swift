/// A place in the sources where a fault can be planted.
struct Site {
    /// The number of the site among all sites of all files, in the order of the files.
    var id: Int
    var file: String
    /// The first and last line of the expression or statement, from 1.
    var lines: ClosedRange<Int>
    /// What the fault changes, such as `< → <=`.
    var fault: String
    /// The source, on one line.
    var source: String

    /// A line of tab-separated fields.
    var row: String {
        let text = source.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return "\(id)\t\(file)\t\(lines.lowerBound)\t\(lines.upperBound)\t\(fault)\t\(text.prefix(160))"
    }
}
