import ArgumentParser
import DictationCore
import LanguageFiles
import Localization

struct Format: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write spoken words as people write them.",
        discussion: """
            Reads words from standard input, one utterance on each line, and prints the written text. Among the \
            words, <p> is a long pause, <p:300> one of 300 milliseconds, <cut> the end of a segment without one, and \
            <commit> the end of a block. A line \
            break is printed as \\n, a tab as \\t, a backslash as \\\\, and a block without text as \\e. No service is \
            needed.
            """)

    @Option(help: "The language that is spoken, as a BCP 47 tag such as en-GB.")
    var language = "en-US"

    @Option(
        name: .customLong("replace"),
        help: ArgumentHelp(
            "Write this text for these spoken words; may be given several times.", valueName: "spoken=written"
        ))
    var replacements: [String] = []

    @Flag(help: "The words have capitals and marks already, as some engines write them.")
    var punctuated = false

    @Flag(help: "Say below each line why words were read as marks, numbers or commands.")
    var explain = false

    func run() throws {
        let lexicon = try lexicon()
        while let line = readLine() {
            let spoken = SpokenLine(line, lexicon: lexicon, punctuated: punctuated, explains: explain)
            try Output.standardOutput.line(spoken.written)
            for explanation in spoken.explanations {
                try Output.standardOutput.line("    \(explanation)")
            }
        }
    }

    private func lexicon() throws -> Lexicon {
        let folder = LanguageFolder.ofProgram()
        do {
            guard let table = try folder.table(for: language) else {
                Output.standardError.writeNotice(
                    translated("There is no table of the language \(language) in \(folder.path)."))
                throw ExitStatus.dataError.code
            }
            return Lexicon(
                table, region: LanguageFolder.region(of: language), phrases: try replacements.map(phrase))
        } catch let error as LanguageFileError {
            Output.standardError.writeNotice("\(error)")
            throw ExitStatus.dataError.code
        }
    }

    private func phrase(_ text: String) throws -> UserPhrase {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw ValidationError("--replace takes what is said, “=” and what is written, not “\(text)”.")
        }
        return UserPhrase(
            spoken: String(text[..<equals]), written: String(text[text.index(after: equals)...]))
    }
}
