/// A line for the terminal: pieces of text, each with one style.
struct StyledLine: Equatable {
    enum Style: String {
        case plain = ""
        case dim = "2"
        case bold = "1"
        case good = "32"
        case warning = "33"
        case bad = "31"
    }

    struct Span: Equatable {
        var text: String
        var style: Style
    }

    private(set) var spans: [Span] = []

    init(_ text: String = "", _ style: Style = .plain) {
        append(text, style)
    }

    mutating func append(_ text: String, _ style: Style = .plain) {
        guard !text.isEmpty else { return }
        if spans.last?.style == style {
            spans[spans.count - 1].text += text
        } else {
            spans.append(Span(text: text, style: style))
        }
    }

    var text: String { spans.map(\.text).joined() }
    var width: Int { DisplayText.width(text) }

    /// With or without the escape sequences of ECMA-48.
    func rendered(inColour: Bool) -> String {
        guard inColour else { return text }
        return spans.map { $0.style == .plain ? $0.text : "\u{1B}[\($0.style.rawValue)m\($0.text)\u{1B}[0m" }
            .joined()
    }

    /// Wrapped at newlines and spaces, and within words that are longer than a line.
    func wrapped(to columns: Int) -> [StyledLine] {
        guard columns > 0 else { return [] }
        var characters: [(Character, Style)] = []
        for span in spans { characters += span.text.map { ($0, span.style) } }
        var lines: [StyledLine] = []
        var start = 0
        while start < characters.count {
            var end = start
            var used = 0
            var lastSpace: Int?
            while end < characters.count {
                let width = DisplayText.width(characters[end].0)
                if characters[end].0 == "\n" || used + width > columns && end > start { break }
                if characters[end].0 == " " { lastSpace = end }
                used += width
                end += 1
            }
            var next = end
            if end < characters.count, characters[end].0 == " " || characters[end].0 == "\n" {
                next = end + 1
            } else if end < characters.count, let space = lastSpace, space > start {
                end = space
                next = space + 1
            }
            var line = StyledLine()
            for (character, style) in characters[start..<end] { line.append(String(character), style) }
            lines.append(line)
            start = next
        }
        return lines
    }
}
