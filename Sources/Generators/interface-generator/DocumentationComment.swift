/// XML comments as Swift documentation.
enum DocumentationComment {
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
        var result = ""
        var rest = line[...]
        while let at = rest.firstIndex(of: "@") {
            let after = rest.index(after: at)
            let name = rest[after...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            result += rest[..<at] + (name.isEmpty ? "@" : "`\(name)`")
            rest = rest[name.endIndex...]
        }
        return result + rest
    }
}
