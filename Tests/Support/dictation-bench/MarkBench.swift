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

    /// A sentence is damaged if it would be written differently without marks, controls and commands.
    private func measureWords(in lines: [Substring], _ table: LanguageTable) {
        var plainTable = table
        plainTable.marks = []
        plainTable.controls = []
        plainTable.commands = []
        let (full, plain) = (Lexicon(table, region: "US"), Lexicon(plainTable, region: "US"))
        var counts: [Substring: (sentences: Int, bare: Int, punctuated: Int)] = [:]
        for line in lines {
            let columns = line.split(separator: "\t")
            guard columns.count == 3 else { continue }
            let sentence = String(columns[2])
            var count = counts[columns[0], default: (0, 0, 0)]
            count.sentences += 1
            let bare = bareWords(of: sentence)
            if write(bare, full, punctuated: false) != write(bare, plain, punctuated: false) {
                count.bare += 1
            }
            if write(sentence, full, punctuated: true) != write(sentence, plain, punctuated: true) {
                count.punctuated += 1
            }
            counts[columns[0]] = count
        }
        var report = Table(
            "Sentences in which a word became a mark", columns: "word", "sentences", "bare", "punctuated")
        for (word, count) in counts.sorted(by: { $0.value.sentences > $1.value.sentences }) {
            report.add(String(word), "\(count.sentences)", "\(count.bare)", "\(count.punctuated)")
        }
        let all = counts.values.reduce((0, 0, 0)) {
            ($0.0 + $1.sentences, $0.1 + $1.bare, $0.2 + $1.punctuated)
        }
        report.add("all", "\(all.0)", share(all.1, of: all.0), share(all.2, of: all.0))
        report.print()
    }

    private func bareWords(of sentence: String) -> String {
        String(sentence.lowercased().map { ".,;:?!()\"–".contains($0) ? " " : $0 })
    }

    // MARK: Marks that are meant

    private static let names: [Character: String] = [
        ",": "comma", ".": "period", "?": "question mark", "!": "exclamation mark", ":": "colon",
        ";": "semicolon", "(": "open paren", ")": "close paren", "–": "dash",
    ]

    /// Every mark of the text is said, without a pause.
    private func measureMarks(in lines: [Substring], _ lexicon: Lexicon) {
        var counts: [Character: (said: Int, missing: Int)] = [:]
        for line in lines {
            let text = line.filter { $0 != "\"" }.lowercased()
            var spoken = ""
            for character in text {
                guard let name = Self.names[character] else {
                    spoken.append(character)
                    continue
                }
                spoken += " \(name) "
                counts[character, default: (0, 0)].said += 1
            }
            let written = " " + write(spoken, lexicon, punctuated: false).lowercased()
            for (character, name) in Self.names {
                let missing = written.components(separatedBy: " \(name)").count - 1
                if missing > 0 { counts[character, default: (0, 0)].missing += missing }
            }
        }
        var report = Table("Marks said without a pause", columns: "mark", "said", "still words")
        for (mark, count) in counts.sorted(by: { $0.value.said > $1.value.said }) {
            report.add(String(mark), "\(count.said)", "\(count.missing)")
        }
        let all = counts.values.reduce((0, 0)) { ($0.0 + $1.said, $0.1 + $1.missing) }
        report.add("all", "\(all.0)", share(all.1, of: all.0))
        report.print()
    }

    private func share(_ count: Int, of all: Int) -> String {
        "\(count) (\((100 * Double(count) / Double(max(1, all))).written(1)) %)"
    }

    private func write(_ words: String, _ lexicon: Lexicon, punctuated: Bool) -> String {
        var form = WrittenForm(lexicon, punctuated: punctuated)
        var text = ""
        for edit in form.take(words) + form.commit() {
            switch edit {
            case .append(let addition): text += addition
            case .retract(let count): text.unicodeScalars.removeLast(count)
            case .retractEarlier, .endBlock, .endDictation, .phrase: break
            }
        }
        return text
    }
}
