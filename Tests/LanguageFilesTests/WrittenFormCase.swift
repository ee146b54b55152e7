import DictationCore
import DictationSimulation
import Foundation
import LanguageFiles

/// A line of written-form-cases.tsv, whose first line explains the columns, or of more-written-form-cases.tsv.
struct WrittenFormCase: CustomStringConvertible {
    var spoken: String
    var written: String
    var phrases: [UserPhrase] = []
    var locale = "en-US"
    var isPunctuated = false

    var description: String { spoken }

    static let all = cases(in: "written-form-cases.tsv")
    static let more = cases(in: "more-written-form-cases.tsv")
    /// Sentences in four languages in which words that can be marks are words, and numbers of several parts.
    static let general = cases(in: "general-written-form-cases.tsv")
    /// What people dictate every day, in four languages.
    static let daily = cases(in: "daily-written-form-cases.tsv")

    private static func cases(in name: String) -> [WrittenFormCase] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: name)
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").filter { !$0.hasPrefix("# ") }.compactMap(WrittenFormCase.init)
    }

    private init?(_ line: Substring) {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard columns.count == 3 else { return nil }
        spoken = columns[0]
        written = columns[1]
        for option in columns[2].split(separator: "; ").dropFirst() {
            let parts = option.split(separator: "=", maxSplits: 1)
            // Some notes have a semicolon of their own.
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "replace":
                let map = try? JSONDecoder().decode([String: String].self, from: Data(parts[1].utf8))
                guard let map else { return nil }
                phrases = map.map { UserPhrase(spoken: $0.key, written: $0.value) }
            case "locale": locale = String(parts[1])
            case "engine": isPunctuated = parts[1] == "punctuating"
            case "needs": break
            default: return nil
            }
        }
    }
}

extension WrittenFormCase {
    /// - Parameter tables: the languages' tables, and their words in the usual region without a user's phrases.
    func write(_ tables: WrittenFormTables) -> String {
        let lexicon = tables.lexicon(locale, phrases)
        var dictated = Dictated(lexicon, punctuated: isPunctuated)
        dictated.say(spoken.split(separator: " "))
        dictated.commit()
        return dictated.written
    }

    /// No-break and thin spaces look like spaces.
    static func folded(_ text: String) -> String {
        var text = text
        for space in ["\u{A0}", "\u{202F}", "\u{2009}"] { text = text.replacing(space, with: " ") }
        return text
    }
}

/// The tables of packaging/languages, each read once.
struct WrittenFormTables {
    private let tables: [String: LanguageTable]
    private let usual: [String: Lexicon]

    static let shared: Result<Self, LanguageFileError> = {
        Result { () throws(LanguageFileError) in try Self() }
    }()

    private init() throws(LanguageFileError) {
        var tables: [String: LanguageTable] = [:]
        for language in ["en", "de", "fr", "es"] { tables[language] = try languages.table(for: language) }
        self.tables = tables
        var usual: [String: Lexicon] = [:]
        for locale in ["en-US", "de-DE", "fr-FR", "es-ES"] {
            usual[locale] = tables[LanguageFolder.primary(of: locale)].map {
                Lexicon($0, region: LanguageFolder.region(of: locale))
            }
        }
        self.usual = usual
    }

    func table(_ language: String) -> LanguageTable { tables[language] ?? LanguageTable(language: language) }

    func lexicon(_ locale: String, _ phrases: [UserPhrase] = []) -> Lexicon {
        if phrases.isEmpty, let lexicon = usual[locale] { return lexicon }
        let table = table(LanguageFolder.primary(of: locale))
        return Lexicon(table, region: LanguageFolder.region(of: locale), phrases: phrases)
    }
}
