/// A page of the manual under construction, in the language of man(7).
public struct ManualPage {
    public private(set) var source: String

    /// - Parameters:
    ///   - title: the page's name: `dictation.conf`.
    ///   - summary: the text after the title in NAME.
    ///   - origin: the source of this page.
    public init(_ title: String, section: Int, summary: String, origin: String) {
        source = """
            .\\" Written by packaging/generate from \(origin); change that instead.
            .TH \(title) \(section) \(Release.date) "Dictation \(Release.version)"
            .SH NAME
            \(title) \\- \(summary)

            """
    }

    public mutating func section(_ title: String) {
        line(".SH \(title)")
    }

    public mutating func subsection(_ title: String) {
        line(".SS \(Self.argument(title))")
    }

    public mutating func paragraph(_ text: String) {
        separate()
        line(Self.escaped(text))
    }

    /// A term and its explanation.
    public mutating func item(_ term: String, _ text: String) {
        line(".TP")
        line("\\fB\(Self.escaped(term))\\fR")
        line(text.isEmpty ? "\\&" : Self.escaped(text))
    }

    /// Lines without filling.
    public mutating func verbatim(_ lines: [String]) {
        separate()
        line(".nf")
        line(".RS")
        for text in lines { line(Self.escaped(text)) }
        line(".RE")
        line(".fi")
    }

    /// The output of `body`, indented.
    public mutating func indented(_ body: (inout ManualPage) -> Void) {
        line(".RS")
        body(&self)
        line(".RE")
    }

    /// After a heading, no blank line.
    private mutating func separate() {
        guard let last = source.split(separator: "\n").last else { return }
        if !last.hasPrefix(".SH"), !last.hasPrefix(".SS") { line(".PP") }
    }

    private mutating func line(_ text: String) {
        source += text + "\n"
    }

    /// Text escaped for roff; a *word* between stars is emphasised.
    static func escaped(_ text: String) -> String {
        let text = text.replacing("\\", with: "\\e").replacing("--", with: "\\-\\-")
            .replacing(/\*(\w+)\*/) { "\\fI\($0.1)\\fR" }
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }

    private static func argument(_ text: String) -> String {
        "\"" + escaped(text).replacing("\"", with: "\\(dq") + "\""
    }
}

/// The date of the pages.
public enum Release {
    public static let version = "0.1.0"
    /// ISO 8601.
    public static let date = "2026-11-21"
}
