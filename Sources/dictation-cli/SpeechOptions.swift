import ArgumentParser
import DictationClient

/// How to recognise.
struct SpeechOptions: ParsableArguments {
    @Option(help: "The language that is spoken, as a BCP 47 tag such as en-US.")
    var language: String?

    @Option(help: "The engine that recognises.")
    var engine: String?

    @Option(help: "A file with a JSGF grammar: only its sentences are recognised.", completion: .file())
    var grammar: String?

    @Option(
        name: .customLong("word"),
        help: ArgumentHelp("A word to be known; may be given several times.", valueName: "word"))
    var words: [String] = []

    func apply(to options: inout StartOptions) throws {
        options.language = language
        options.engine = engine
        options.vocabulary = words.map { StartOptions.VocabularyEntry($0) }
        if let grammar {
            options.grammar = try InputFile(path: grammar).text()
        }
    }
}

/// How to take sound from the microphone.
struct MicrophoneOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The microphone, by its name as “routes” lists it.", valueName: "name"))
    var microphone: String?

    @Option(help: ArgumentHelp("Commit by itself after so much silence, 0.2 to 60.", valueName: "seconds"))
    var autoCommit: Double?

    func validate() throws {
        if let autoCommit, autoCommit != 0, !(0.2...60).contains(autoCommit) {
            throw ValidationError("--auto-commit takes 0.2 to 60 seconds, or 0 for never.")
        }
    }

    func apply(to options: inout StartOptions) {
        options.route = microphone
        options.autoCommit = autoCommit.map { .seconds($0) }
    }
}
