package import DictationCore
import LanguageFiles

/// Settings for what some applications dictate. Nil leaves the setting for all applications.
package struct ApplicationSettings: Hashable, Sendable {
    /// Maximum number of patterns. Each is compared at every Start.
    package static let limit = 64

    package var pattern: ApplicationPattern
    package var formatting: FormattingStyle?
    package var languages: [String]?
    package var engine: [String]?
    package var cleanUp: CleanUpStyle?
    package var autoCommit: Duration?
    /// Whether the history keeps its texts.
    package var history: Bool?

    /// The keys of one application in a file.
    package enum Key: String, CaseIterable {
        case application, formatting, language, engine
        case cleanUp = "clean-up"
        case autoCommit = "auto-commit"
        case history
    }

    package init(_ pattern: ApplicationPattern) { self.pattern = pattern }
}

extension Configuration {
    /// The settings for what an application dictates. Of several that match, the later ones count.
    /// - Parameter identity: of the application, or of that into whose window it types.
    package func settings(for identity: Identity) -> Configuration {
        let matching = applications.filter { $0.pattern.matches(identity) }
        guard !matching.isEmpty else { return self }
        var configuration = self
        for settings in matching { configuration.adopt(settings) }
        return configuration
    }

    /// Whether the history keeps an application's texts; nil: by the rule for all.
    package func keepsTexts(of identity: Identity) -> Bool? {
        applications.last { $0.history != nil && $0.pattern.matches(identity) }?.history
    }

    /// What the administrator has set for all is not changed by the user's settings for one.
    private mutating func adopt(_ settings: ApplicationSettings) {
        func isFree(_ key: ApplicationSettings.Key) -> Bool {
            administered.contains("applications") || !administered.contains(key.rawValue)
        }
        if let formatting = settings.formatting, isFree(.formatting) { self.formatting = formatting }
        if let languages = settings.languages, isFree(.language) {
            self.languages = languages
            spokenLanguage = LanguageSettings.automatic
        }
        if let engine = settings.engine, isFree(.engine) { self.engine = engine }
        if let cleanUp = settings.cleanUp, isFree(.cleanUp) { self.cleanUp = cleanUp }
        if let autoCommit = settings.autoCommit, isFree(.autoCommit) { self.autoCommit = autoCommit }
    }
}
