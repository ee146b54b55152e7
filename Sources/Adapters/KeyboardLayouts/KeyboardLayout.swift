internal import DictationCore

/// A layout of the keyboard.
public struct KeyboardLayout: Hashable, Sendable {
    /// For people, such as "German (Switzerland)".
    public let name: String
    /// What is written with it, the main language first: codes of ISO 639. Empty if that is not known.
    let languages: [String]
    /// The country, a code of ISO 3166; empty if it is of none or of several.
    let country: String

    /// The one of some languages that is written with this layout.
    /// - Parameter tags: BCP 47, the preferred one first.
    public func language(among tags: [String]) -> String? {
        for code in languages {
            for spelling in [LanguageCodes.short(code), code] {
                let tag = country.isEmpty ? spelling : "\(spelling)-\(country)"
                if let found = LanguageTag.nearest(to: tag, among: tags) { return found }
            }
        }
        return nil
    }
}

/// As a desktop reports a layout.
enum ReportedLayout: Hashable, Sendable {
    /// By the name of its symbols, such as "German (no dead keys)".
    case described(String)
    /// By the names of XKB's rules, such as "de" and "nodeadkeys". Of a variant without its name the description may be known, in
    /// English or in the language of the desktop.
    case named(String, variant: String, description: String = "")
}

/// Why the layout is not known.
public enum LayoutError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The desktop has no way to ask for it.
    case notReported
    /// The desktop, or a file, did not answer as it should.
    case failed(String)

    public var description: String {
        switch self {
        case .notReported: "this desktop does not report it"
        case .failed(let reason): reason
        }
    }
}
