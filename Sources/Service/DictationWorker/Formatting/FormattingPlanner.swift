import DictationBus
import DictationConfiguration
import DictationCore
import LanguageFiles
import Logging
import Wyoming

/// Chooses the written form of a session, and caches lexicons for several sessions.
struct FormattingPlanner {
    /// Lexicons without a client's phrases are cached.
    private static let keptLexicons = 8

    private let folder: LanguageFolder
    private let tables: [String: LanguageTable]
    private var lexicons: [FormattingPlan.Kind: Lexicon] = [:]

    /// Reads the files of all languages; blocks. An invalid file is logged and skipped.
    init(_ folder: LanguageFolder = .ofProgram(), logger: Logger) {
        var tables: [String: LanguageTable] = [:]
        for language in folder.languages {
            do throws(LanguageFileError) {
                tables[language] = try folder.table(for: language)
            } catch {
                logger.error("a language has no written form", metadata: ["why": "\(error)"])
            }
        }
        if tables.isEmpty {
            logger.error("no language has a written form", metadata: ["folder": "\(folder.path)"])
        }
        self.folder = folder
        self.tables = tables
    }

    /// Nil leaves the words unchanged.
    /// - Parameters:
    ///   - languages: BCP 47, the preferred one first. Passages in another one are written by its rules, if it has any.
    func plan(
        _ request: FormattingRequest, languages: [String], of identity: Identity,
        configuration: Configuration
    ) throws(Refusal) -> FormattingPlan? {
        guard (request.style ?? configuration.formatting) == .dictation else { return nil }
        let phrases = configuration.replacements.phrases(for: identity)
        let parts = languages.compactMap { language in
            tables[LanguageFolder.primary(of: language)].map { table in
                FormattingPlan.Part(
                    kind: .init(language: language, commands: request.commands, phrases: phrases),
                    table: table)
            }
        }
        let preferred = languages.first ?? ""
        guard let part = parts.first, part.kind.language == preferred else {
            // The client did not ask for it, so its absence is no error.
            guard request.style != nil else { return nil }
            throw Refusal(.unsupportedLanguage, whyNoTable(for: preferred))
        }
        return FormattingPlan(
            parts: parts, clientPhrases: request.phrases,
            punctuatingEngines: Set(configuration.engines.filter(\.punctuates).map(\.name)))
    }

    /// Nil leaves nothing out.
    /// - Parameter languages: BCP 47, the preferred one first.
    func cleanUp(_ style: CleanUpStyle, languages: [String]) -> CleanUp? {
        guard style == .fillers else { return nil }
        let rules = languages.compactMap { language in
            tables[LanguageFolder.primary(of: language)].map { (language, $0.cleanUp) }
        }
        return CleanUp(Dictionary(rules) { first, _ in first }, of: languages.first ?? "")
    }

    private func whyNoTable(for language: String) -> String {
        guard !tables.isEmpty else {
            return "The service has no language files in \(folder.path), which 'formatting' needs. "
                + "Install the service completely, or leave out 'formatting'."
        }
        return "There is no written form of \(language), but of: "
            + tables.keys.sorted().joined(separator: ", ") + ". Leave out 'formatting'."
    }

    /// The cached lexicons of an equal plan; nil if any must be built.
    func lexicons(for plan: FormattingPlan) -> [Lexicon]? {
        let cached = plan.isShared ? plan.parts.compactMap { lexicons[$0.kind] } : []
        return cached.count == plan.parts.count ? cached : nil
    }

    mutating func keep(_ formatting: Formatting, for plan: FormattingPlan) {
        guard plan.isShared else { return }
        if lexicons.count + plan.parts.count > Self.keptLexicons { lexicons = [:] }
        for part in plan.parts {
            lexicons[part.kind] = formatting.lexicon(of: part.kind.language)
        }
    }
}

/// The inputs of a session's lexicons.
struct FormattingPlan: Sendable {
    /// Equal kinds have the same lexicon, apart from a client's phrases.
    fileprivate struct Kind: Hashable {
        var language: String
        var commands: Bool
        /// The user's phrases for the application.
        var phrases: [UserPhrase]
    }

    /// One language.
    fileprivate struct Part {
        var kind: Kind
        var table: LanguageTable
    }

    /// The preferred language first.
    fileprivate let parts: [Part]
    fileprivate let clientPhrases: [String]
    fileprivate let punctuatingEngines: Set<String>

    fileprivate var isShared: Bool { clientPhrases.isEmpty }

    /// The lexicons in the order of the languages. Each takes up to a tenth of a second with the maximum number of phrases, so
    /// this is not for the event loop.
    func makeLexicons() -> [Lexicon] {
        parts.map { part in
            Lexicon(
                part.table, region: LanguageFolder.region(of: part.kind.language),
                phrases: part.kind.phrases, clientPhrases: clientPhrases, commands: part.kind.commands)
        }
    }

    /// - Parameter lexicons: in the order of the languages.
    func formatting(with lexicons: [Lexicon]) -> Formatting? {
        guard let first = lexicons.first else { return nil }
        let others = zip(parts, lexicons).dropFirst().map { ($0.kind.language, $1) }
        return Formatting(
            first, of: parts.first?.kind.language ?? "",
            others: Dictionary(others) { first, _ in first }, punctuatingEngines: punctuatingEngines)
    }
}
