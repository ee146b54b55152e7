import DictationCore
import LanguageFiles
import Logging

/// Makes lexicons of the languages' tables and the user's own phrases.
struct FormattingDesk {
    private struct Kind: Hashable {
        var language: String
        var commands: Bool
        var phrases: [UserPhrase]
    }

    /// Lexicons without a client's phrases are kept, so that sessions share them.
    private static let keptLexicons = 8

    private let tables: [String: LanguageTable]
    private var lexicons: [Kind: Lexicon] = [:]

    /// Reads the files of all languages: not on an event loop. One that is wrong is told, and missing.
    init(_ folder: LanguageFolder = .ofProgram(), logger: Logger) {
        var tables: [String: LanguageTable] = [:]
        for language in folder.languages {
            do throws(LanguageFileError) {
                tables[language] = try folder.table(for: language)
            } catch {
                logger.error("a language has no written form", metadata: ["why": "\(error)"])
            }
        }
        self.tables = tables
    }

    /// Nil leaves the words as they are.
    /// - Parameter language: BCP 47.
    mutating func formatting(
        _ request: FormattingRequest, language: String, of identity: Identity, configuration: Configuration
    ) throws(Refusal) -> Formatting? {
        guard (request.style ?? configuration.formatting) == .dictation else { return nil }
        guard let table = tables[LanguageFolder.primary(of: language)] else {
            // The client did not ask for it.
            guard request.style != nil else { return nil }
            throw Refusal(
                .unsupportedLanguage,
                "There is no written form of \(language), but of: "
                    + tables.keys.sorted().joined(separator: ", ") + ". Leave out 'formatting'.")
        }
        let kind = Kind(
            language: language, commands: request.commands,
            phrases: configuration.replacements.phrases(for: identity))
        return Formatting(
            lexicon(kind, table, request.phrases),
            punctuatingEngines: Set(configuration.engines.filter(\.punctuates).map(\.name)))
    }

    private mutating func lexicon(
        _ kind: Kind, _ table: LanguageTable, _ clientPhrases: [String]
    ) -> Lexicon {
        if clientPhrases.isEmpty, let known = lexicons[kind] { return known }
        let lexicon = Lexicon(
            table, region: LanguageFolder.region(of: kind.language), phrases: kind.phrases,
            clientPhrases: clientPhrases, commands: kind.commands)
        if clientPhrases.isEmpty {
            if lexicons.count >= Self.keptLexicons { lexicons = [:] }
            lexicons[kind] = lexicon
        }
        return lexicon
    }
}
