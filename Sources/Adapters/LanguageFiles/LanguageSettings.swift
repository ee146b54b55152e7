import DictationCore
import Yams

/// The user's languages and the one that is spoken now, in a file of settings. Only the line of the latter is ever written.
public struct LanguageSettings: Sendable {
    public static let automatic = "auto"
    private static let key = "spoken-language"

    /// BCP 47, the preferred one first; empty if the file does not name any.
    public let languages: [String]
    /// ``automatic``, or a language as the file has it.
    public let spoken: String
    /// Whether the keyboard layout decides; nil if the file does not say.
    public let usesLayout: Bool?
    private let text: String

    public init(_ text: String) throws(LanguageSettingsError) {
        self.text = text
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw LanguageSettingsError("it is not valid YAML: \(error)")
        }
        let value = root?["language"]
        languages =
            value?.scalar.map { [$0.string] } ?? value?.sequence?.compactMap { $0.scalar?.string } ?? []
        spoken = root?[Self.key]?.scalar?.string ?? Self.automatic
        usesLayout = root?["language-by-layout"]?.bool
    }

    /// The language that is spoken now, as the user's languages have it; nil if the engine finds out.
    /// - Parameter languages: of the user.
    public static func spoken(_ tag: String, among languages: [String]) -> String? {
        tag == automatic ? nil : LanguageTag.nearest(to: tag, among: languages)
    }

    /// The next of the user's languages.
    public static func next(after tag: String, among languages: [String]) -> String? {
        guard let present = spoken(tag, among: languages), let index = languages.firstIndex(of: present)
        else {
            return languages.first
        }
        return languages[(index + 1) % languages.count]
    }

    /// The file's text after a change of the language that is spoken.
    public func changed(to tag: String) throws(LanguageSettingsError) -> String {
        do throws(SettingsLineError) {
            return try SettingsLine.changed(text, Self.key, to: tag)
        } catch {
            throw LanguageSettingsError(error.description)
        }
    }
}

/// Why the language that is spoken cannot be changed.
public struct LanguageSettingsError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
