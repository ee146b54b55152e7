public import DictationCore
public import Yams

/// The keys that begin dictation, in a file of settings.
public struct ShortcutSettings: Hashable, Sendable {
    public static let key = "shortcut"
    public static let languagesKey = "language-shortcuts"
    /// Maximum number of languages with a key.
    public static let languageLimit = 8
    private static let none = "none"

    /// Nil for none.
    public var shortcut: ShortcutKey?
    /// By BCP 47 tag.
    public var languages: [String: ShortcutKey] = [:]
    private var text = ""

    public init() {}

    public init(_ text: String) throws(LanguageFileError) {
        self.text = text
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw LanguageFileError(file: "", message: "it is not valid YAML: \(error)")
        }
        if let node = root?[Self.key] { shortcut = try Self.shortcut(node, file: "") }
        if let node = root?[Self.languagesKey] { languages = try Self.languages(node, file: "") }
    }

    /// The file's text with another key.
    public func changed(to key: ShortcutKey) throws(SettingsLineError) -> String {
        try SettingsLine.changed(text, Self.key, to: "\(key)")
    }

    /// A key; nil for "none" and an empty value.
    public static func shortcut(_ node: Node, file: String) throws(LanguageFileError) -> ShortcutKey? {
        guard let text = node.scalar?.string, text.isEmpty || text == none || ShortcutKey(text) != nil else {
            throw LanguageFileError(
                file: file, line: node.mark?.line,
                message: "'\(key)' must be none, or \(ShortcutKey.rule)")
        }
        return ShortcutKey(text)
    }

    /// Keys by language.
    public static func languages(_ node: Node, file: String) throws(LanguageFileError) -> [String:
        ShortcutKey]
    {
        func failure(_ node: Node, _ message: String) -> LanguageFileError {
            LanguageFileError(file: file, line: node.mark?.line, message: "'\(languagesKey)' \(message)")
        }
        guard let mapping = node.mapping, mapping.count <= languageLimit else {
            throw failure(node, "must be keys by language, at most \(languageLimit), as in {de: Super+Alt+d}")
        }
        var keys: [String: ShortcutKey] = [:]
        for (language, value) in mapping {
            guard let tag = language.scalar?.string, LanguageTag.isTag(tag) else {
                throw failure(language, "must name languages by BCP 47 tags")
            }
            guard let key = value.scalar.flatMap({ ShortcutKey($0.string) }) else {
                throw failure(value, "must hold for \(tag) \(ShortcutKey.rule)")
            }
            guard !keys.values.contains(key) else { throw failure(value, "has \(key) twice") }
            keys[tag] = key
        }
        return keys
    }
}
