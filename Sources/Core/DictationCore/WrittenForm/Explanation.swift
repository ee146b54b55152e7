/// Why some words were read as they were.
public struct Explanation: Hashable, Sendable, CustomStringConvertible {
    public var words: String
    /// "mark", "number", "words" and so on.
    public var reading: String
    /// With their weights, for a mark.
    public var reasons: [String]

    public var description: String {
        let why = reasons.isEmpty ? "" : ": " + reasons.joined(separator: ", ")
        return "“\(words)” is read as \(reading)\(why)"
    }
}
