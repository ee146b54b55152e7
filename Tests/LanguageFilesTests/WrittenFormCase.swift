import DictationCore
import DictationSimulation
import Foundation
import LanguageFiles

/// A line of written-form-cases.tsv, whose first line explains the columns, or of more-written-form-cases.tsv.
struct WrittenFormCase: CustomStringConvertible {
    var spoken: String
    var written: String
    var phrases: [UserPhrase] = []
    var region = "US"
    var isPunctuated = false

    var description: String { spoken }

    static let all = cases(in: "written-form-cases.tsv")
    static let more = cases(in: "more-written-form-cases.tsv")

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
            case "locale": region = String(parts[1].suffix(2))
            case "engine": isPunctuated = parts[1] == "punctuating"
            default: return nil
            }
        }
    }
}

extension WrittenFormCase {
    /// - Parameter usual: of en-US, without a user's phrases; others are made of `table`.
    func write(_ usual: Lexicon, _ table: LanguageTable) -> String {
        let isUsual = region == "US" && phrases.isEmpty
        let lexicon = isUsual ? usual : Lexicon(table, region: region, phrases: phrases)
        var dictated = Dictated(lexicon, punctuated: isPunctuated)
        dictated.say(spoken.split(separator: " "))
        dictated.commit()
        return dictated.written
    }
}
