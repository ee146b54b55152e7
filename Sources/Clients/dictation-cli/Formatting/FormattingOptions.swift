import ArgumentParser
import DictationClient

/// How words become text.
struct FormattingOptions: ParsableArguments {
    enum Style: String, CaseIterable, ExpressibleByArgument {
        case plain, dictation
    }

    @Option(help: "“plain” words, or text as people write it: “dictation”.")
    var formatting: Style?

    @Flag(help: "Let “scratch that”, “new block” and “stop dictation” act; with “dictation”.")
    var commands = false

    @Option(
        name: .customLong("phrase"),
        help: ArgumentHelp(
            "A phrase that is reported instead of written; with “dictation”; may be given several times.",
            valueName: "words"))
    var phrases: [String] = []

    func apply(to options: inout StartOptions) {
        options.formatting = formatting.flatMap { StartOptions.Formatting(rawValue: $0.rawValue) }
        options.takesCommands = commands
        options.phrases = phrases
    }
}
