/// An error in a language file, and its line.
public struct LanguageFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public var file: String
    /// From 1; nil for the whole file.
    public var line: Int?
    public var message: String

    public init(file: String, line: Int? = nil, message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    public var description: String {
        line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
    }
}
