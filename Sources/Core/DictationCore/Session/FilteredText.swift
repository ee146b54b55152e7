/// What became of a final text that a program of the user's got.
public enum FilteredText: Hashable, Sendable {
    case text(String)
    /// The text stays as it is, for this reason.
    case failed(String)

    /// - Parameter output: of the program, which got `text`.
    public init(output: [UInt8], of text: String) {
        guard var written = String(validating: output, as: UTF8.self) else {
            self = .failed("it did not write UTF-8")
            return
        }
        written.unicodeScalars.removeAll { scalar in
            scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
        }
        // Programs end their output with a line feed.
        if written.hasSuffix("\n"), !text.hasSuffix("\n") { written.removeLast() }
        self = written.allSatisfy(\.isWhitespace) ? .failed("it wrote nothing") : .text(written)
    }
}
