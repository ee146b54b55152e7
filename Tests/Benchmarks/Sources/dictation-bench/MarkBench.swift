import ArgumentParser
import DictationCore
import DictationTestKit
import Foundation
import LanguageFiles

/// Marks that were not meant, and meant marks that are missing, in ordinary text. `packaging/sentences` makes the files.
struct MarkBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "marks",
        abstract: "Words that became marks, and marks that stayed words, in ordinary text.")

    @Option(
        help: "Lines of a word that can be a mark, a source, and a sentence in which it is a word; with tabs."
    )
    var words: String?

    @Option(help: "Lines of text, whose marks are spoken.")
    var text: String?

    func run() throws {
        guard let table = try LanguageFolder.ofProgram().table(for: "en") else {
            throw TestFailure("there is no table of English")
        }
        if let words { try measureWords(in: lines(of: words), table) }
        if let text { try measureMarks(in: lines(of: text), Lexicon(table, region: "US")) }
        if words == nil, text == nil { note("packaging/sentences makes the files for --words and --text") }
    }

    private func lines(of file: String) throws -> [Substring] {
        try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    }

    // MARK: Words that are no marks

    private struct Damage {
        var sentences = 0
        var bare = 0
        var punctuated = 0

        static func += (sum: inout Damage, other: Damage) {
            sum.sentences += other.sentences
            sum.bare += other.bare
            sum.punctuated += other.punctuated
        }
    }

    /// A sentence is damaged if it would be written differently without marks, controls and commands.
    private func measureWords(in lines: [Substring], _ table: LanguageTable) {
        var plainTable = table
        plainTable.marks = []
        plainTable.controls = []
        plainTable.commands = []
        let (full, plain) = (Lexicon(table, region: "US"), Lexicon(plainTable, region: "US"))
        var counts: [Substring: Damage] = [:]
        var halves = [Damage(), Damage()]
        for line in lines {
            let columns = line.split(separator: "\t")
            guard columns.count == 3 else { continue }
            let sentence = String(columns[2])
            let bare = bareWords(of: sentence)
            let isDamaged = { (text: String, punctuated: Bool) in
                write(text, full, punctuated: punctuated) != write(text, plain, punctuated: punctuated)
            }
            let damage = Damage(
                sentences: 1, bare: isDamaged(bare, false) ? 1 : 0,
                punctuated: isDamaged(sentence, true) ? 1 : 0)
            counts[columns[0], default: Damage()] += damage
            halves[half(of: sentence)] += damage
        }
        var report = Table(
            "Sentences in which a word became a mark", columns: "word", "sentences", "bare", "punctuated")
        for (word, count) in counts.sorted(by: { $0.value.sentences > $1.value.sentences }) {
            report.add(String(word), "\(count.sentences)", "\(count.bare)", "\(count.punctuated)")
        }
        let all = counts.values.reduce(into: Damage()) { $0 += $1 }
        for (name, damage) in [
            ("all", all), ("the half that the weights were fitted on", halves[0]),
            ("the other half", halves[1]),
        ] {
            report.add(
                name, "\(damage.sentences)", share(damage.bare, of: damage.sentences),
                share(damage.punctuated, of: damage.sentences))
        }
        report.print()
    }

    /// 0 or 1, by the bits of an FNV-1a hash.
    private func half(of text: some StringProtocol) -> Int {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Int(hash >> 33) & 1
    }

    private func bareWords(of sentence: String) -> String {
        String(sentence.lowercased().map { ".,;:?!()\"–".contains($0) ? " " : $0 })
    }

    // MARK: Marks that are meant

    private static let names: [Character: String] = [
        ",": "comma", ".": "period", "?": "question mark", "!": "exclamation mark", ":": "colon",
        ";": "semicolon", "(": "open paren", ")": "close paren", "–": "dash",
    ]

    private enum Break: CaseIterable { case none, before, after }

    /// Every mark of the text is said.
    private func measureMarks(in lines: [Substring], _ lexicon: Lexicon) {
        var said: [Character: Int] = [:]
        var missing: [Character: [Break: Int]] = [:]
        for line in lines {
            let text = line.filter { $0 != "\"" }.lowercased()
            for character in text where Self.names[character] != nil { said[character, default: 0] += 1 }
            for pause in Break.allCases {
                let written = " " + write(spoken(text, pause), lexicon, punctuated: false).lowercased()
                for (character, name) in Self.names {
                    missing[character, default: [:]][pause, default: 0] +=
                        written.components(separatedBy: " \(name)").count - 1
                }
            }
        }
        var report = Table(
            "Marks that stay words", columns: "mark", "said", "without a pause", "a pause before it",
            "a pause after it")
        for (mark, count) in said.sorted(by: { $0.value > $1.value }) {
            report.add([String(mark), "\(count)"] + Break.allCases.map { "\(missing[mark]?[$0] ?? 0)" })
        }
        let all = said.values.reduce(0, +)
        report.add(
            ["all", "\(all)"]
                + Break.allCases.map { pause in
                    share(missing.values.reduce(0) { $0 + ($1[pause] ?? 0) }, of: all)
                })
        report.print()
    }

    /// The text with its marks as words, and pauses of 300 ms.
    private func spoken(_ text: String, _ pause: Break) -> [SpokenText] {
        var parts: [SpokenText] = []
        var words = ""
        for character in text {
            guard let name = Self.names[character] else {
                words.append(character)
                continue
            }
            if pause == .before {
                parts.append(SpokenText(words, pauseAfter: .short))
                words = ""
            }
            words += " \(name) "
            if pause == .after {
                parts.append(SpokenText(words, pauseAfter: .short))
                words = ""
            }
        }
        return parts + [SpokenText(words)]
    }

    private func share(_ count: Int, of all: Int) -> String {
        "\(count) (\((100 * Double(count) / Double(max(1, all))).written(1)) %)"
    }

    private func write(_ words: String, _ lexicon: Lexicon, punctuated: Bool) -> String {
        write([SpokenText(words, isPunctuated: punctuated)], lexicon, punctuated: punctuated)
    }

    private func write(_ spoken: [SpokenText], _ lexicon: Lexicon, punctuated: Bool) -> String {
        var form = WrittenForm(lexicon, punctuated: punctuated)
        var text = ""
        for edit in spoken.flatMap({ form.append($0) }) + form.commit() {
            switch edit {
            case .append(let addition): text += addition
            case .retract(let count): text.unicodeScalars.removeLast(count)
            case .retractEarlier, .session, .phrase: break
            }
        }
        return text
    }
}
