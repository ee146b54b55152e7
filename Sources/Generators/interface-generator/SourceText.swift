/// Swift source under construction, in the style of `.swift-format`.
struct SourceText {
    static let lineLength = 110

    private(set) var text = ""
    private var depth = 0

    private var indentation: String { String(repeating: " ", count: 4 * depth) }

    mutating func line(_ line: String = "") {
        text += line.isEmpty ? "\n" : "\(indentation)\(line)\n"
    }

    /// `head {`, what `body` writes one step further in, and `}`.
    mutating func block(_ head: String, _ body: (inout SourceText) throws -> Void) rethrows {
        line("\(head) {")
        depth += 1
        try body(&self)
        depth -= 1
        line("}")
    }

    /// What `body` writes, one step further in.
    mutating func indented(_ body: (inout SourceText) throws -> Void) rethrows {
        depth += 1
        try body(&self)
        depth -= 1
    }

    /// `open`, the items separated by commas, and `close`: on one line where that fits, else the items on lines
    /// of their own, the last with a comma too where they are a collection's.
    mutating func list(_ open: String, _ items: [String], _ close: String, isCollection: Bool = false) {
        let single = open + items.joined(separator: ", ") + close
        guard !fits(single), !items.isEmpty else { return line(single) }
        let end = isCollection ? "," : ""
        let together = items.joined(separator: ", ") + end
        line(open)
        indented { source in
            if source.fits(together) {
                source.line(together)
            } else {
                for (index, item) in items.enumerated() {
                    source.line(item + (index < items.count - 1 ? "," : end))
                }
            }
        }
        line(close)
    }

    /// `keyword`, the items separated by commas, and `close`, on one line where that fits, else an item a line.
    mutating func clauses(_ keyword: String, _ items: [String], _ close: String) {
        let single = "\(keyword) \(items.joined(separator: ", "))\(close)"
        guard !fits(single) else { return line(single) }
        for (index, item) in items.enumerated() {
            let text = item + (index < items.count - 1 ? "," : close)
            if index == 0 { line("\(keyword) \(text)") } else { indented { $0.line(text) } }
        }
    }

    /// Whether `line` ends before the right margin. Where a comma follows, the formatter keeps the last column free.
    func fits(_ line: String) -> Bool {
        indentation.count + line.count < Self.lineLength
    }

    /// As ``list(_:_:_:isCollection:)``, with the opening of a block behind.
    mutating func block(
        _ open: String, _ items: [String], _ close: String, _ body: (inout SourceText) throws -> Void
    ) rethrows {
        list(open, items, close + " {")
        depth += 1
        try body(&self)
        depth -= 1
        line("}")
    }

    /// A member's comment as a documentation comment. Its own indentation is kept, `Member:` before the first
    /// word is not.
    mutating func documentation(_ comment: String, of member: String) {
        for line in DocumentationComment.lines(comment, member: member) {
            self.line(line.isEmpty ? "///" : "/// \(line)")
        }
    }
}
