/// XML comments as Swift documentation.
enum DocumentationComment {
    /// `///` lines, each with its end, without the member's name before the first sentence.
    static func text(_ comment: String, member: String = "") -> String {
        lines(comment, member: member).map { $0.isEmpty ? "///\n" : "/// \($0)\n" }.joined()
    }

    static func lines(_ comment: String, member: String) -> [String] {
        var lines = comment.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let inner = lines.dropFirst().filter { !$0.allSatisfy(\.isWhitespace) }
        let margin = inner.map(leadingSpaces).min() ?? 0
        lines = lines.enumerated().map { index, line in
            let surplus = index == 0 ? leadingSpaces(line) : min(margin, leadingSpaces(line))
            var text = String(line.dropFirst(surplus))
            while text.last?.isWhitespace == true { text.removeLast() }
            return text
        }
        while lines.first?.isEmpty == true { lines.removeFirst() }
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard let first = lines.first else { return [] }
        lines[0] = withoutMember(first, member)
        return lines.map(parameters)
    }

    private static func leadingSpaces(_ line: some StringProtocol) -> Int {
        line.prefix(while: \.isWhitespace).count
    }

    private static func withoutMember(_ line: String, _ member: String) -> String {
        guard line.hasPrefix("\(member): ") else { return line }
        let rest = line.dropFirst(member.count + 2)
        return rest.prefix(1).uppercased() + rest.dropFirst()
    }

    /// `@name` → `` `name` ``
    private static func parameters(_ line: String) -> String {
        line.replacing(#/@(\w+)/#) { "`\($0.1)`" }
    }
}
