/// The comment before a member, parsed for the manual.
///
/// Indented lines are a list: a term, two spaces or more, and its meaning, which may continue in lines that are
/// indented further. A line that begins with `@name:` describes an argument.
struct MemberComment {
    enum Kind: Equatable {
        case paragraph, argument, entry, command
    }

    struct Part: Equatable {
        var kind: Kind
        /// Of an argument or an entry.
        var term = ""
        var text: String
    }

    private(set) var parts: [Part] = []

    init(_ comment: String, member: String) {
        // The indentation of the present list's terms; 0 if there is none.
        var margin = 0
        var isContinued = false
        for line in DocumentationComment.lines(comment, member: member) {
            let indentation = line.prefix { $0 == " " }.count
            let text = String(line.dropFirst(indentation)).replacing("`", with: "")
            if text.isEmpty {
                isContinued = false
            } else if isContinued, margin > 0 ? indentation > margin : indentation == 0,
                !line.hasPrefix("`")
            {
                append(text)
            } else if indentation > 0 {
                parts.append(Self.listed(text))
                margin = indentation
                isContinued = parts.last?.kind == .entry
            } else {
                parts.append(line.hasPrefix("`") ? Self.argument(text) : Part(kind: .paragraph, text: text))
                margin = 0
                isContinued = true
            }
        }
    }

    private mutating func append(_ text: String) {
        guard var last = parts.popLast() else { return }
        last.text += last.text.isEmpty ? text : "\n" + text
        parts.append(last)
    }

    private static func listed(_ text: String) -> Part {
        guard let gap = text.firstRange(of: #/  +/#) else {
            return text.contains("org.example.")
                ? Part(kind: .command, text: text) : Part(kind: .entry, term: text, text: "")
        }
        return Part(
            kind: .entry, term: String(text[..<gap.lowerBound]), text: String(text[gap.upperBound...]))
    }

    private static func argument(_ text: String) -> Part {
        guard let colon = text.firstIndex(of: ":") else { return Part(kind: .paragraph, text: text) }
        return Part(
            kind: .argument, term: String(text[..<colon]),
            text: String(text[text.index(after: colon)...].drop { $0 == " " }))
    }
}
