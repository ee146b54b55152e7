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
    ///   - language: BCP 47.
    ///   - punctuatingEngines: names of engines that write punctuation themselves, beside those of the configuration.
    func plan(
        _ request: FormattingRequest, language: String, of identity: Identity, configuration: Configuration,
        punctuatingEngines: Set<String> = []
    ) throws(Refusal) -> FormattingPlan? {
        guard (request.style ?? configuration.formatting) == .dictation else { return nil }
        guard let table = tables[LanguageFolder.primary(of: language)] else {
            // The client did not ask for it, so its absence is no error.
            guard request.style != nil else { return nil }
            throw Refusal(.unsupportedLanguage, whyNoTable(for: language))
        }
        let kind = FormattingPlan.Kind(
            language: language, commands: request.commands,
            phrases: configuration.replacements.phrases(for: identity))
        return FormattingPlan(
            kind: kind, table: table, clientPhrases: request.phrases,
            punctuatingEngines: punctuatingEngines.union(
                configuration.engines.filter(\.punctuates).map(\.name)))
    }

    private func whyNoTable(for language: String) -> String {
        guard !tables.isEmpty else {
            return "The service has no language files in \(folder.path), which 'formatting' needs. "
                + "Install the service completely, or leave out 'formatting'."
        }
        return "There is no written form of \(language), but of: "
            + tables.keys.sorted().joined(separator: ", ") + ". Leave out 'formatting'."
    }

    /// The cached lexicon of an equal plan; nil if it must be built.
    func lexicon(for plan: FormattingPlan) -> Lexicon? {
        plan.isShared ? lexicons[plan.kind] : nil
    }

    mutating func keep(_ lexicon: Lexicon, for plan: FormattingPlan) {
        guard plan.isShared else { return }
        if lexicons.count >= Self.keptLexicons { lexicons = [:] }
        lexicons[plan.kind] = lexicon
    }
}

/// The inputs of a session's lexicon.
struct FormattingPlan: Sendable {
    /// Equal kinds have the same lexicon, apart from a client's phrases.
    fileprivate struct Kind: Hashable {
        var language: String
        var commands: Bool
        /// The user's phrases for the application.
        var phrases: [UserPhrase]
    }

    fileprivate let kind: Kind
    fileprivate let table: LanguageTable
    fileprivate let clientPhrases: [String]
    fileprivate let punctuatingEngines: Set<String>

    fileprivate var isShared: Bool { clientPhrases.isEmpty }

    /// Takes up to a tenth of a second with the maximum number of phrases, so not for the event loop.
    func makeLexicon() -> Lexicon {
        Lexicon(
            table, region: LanguageFolder.region(of: kind.language),
            phrases: kind.phrases, clientPhrases: clientPhrases, commands: kind.commands)
    }

    func formatting(with lexicon: Lexicon) -> Formatting {
        Formatting(lexicon, punctuatingEngines: punctuatingEngines)
    }
}
