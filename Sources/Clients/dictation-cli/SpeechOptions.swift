import ArgumentParser
import DictationClient

/// Options for recognition.
struct SpeechOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The language that is spoken, as a BCP 47 tag such as en-US. Of several, as in “de,en”, the engine detects the spoken one.",
            valueName: "tag,…"))
    var language: LanguageList?

    @Option(help: "The speech engine.")
    var engine: String?

    @Option(help: "A file with a JSGF grammar: only its sentences are recognised.", completion: .file())
    var grammar: String?

    @Option(
        name: .customLong("word"),
        help: ArgumentHelp("A word of the vocabulary; may be given several times.", valueName: "word"))
    var words: [String] = []

    @Option(
        name: .customLong("pronunciation"),
        help: ArgumentHelp(
            "A word of the vocabulary and its phones, as in “Debian=D EH B IY AH N”; may be given several times.",
            valueName: "word=phones"))
    var pronunciations: [Pronunciation] = []

    @Option(
        help: ArgumentHelp(
            "The maximum length of a segment of speech, 5 to 60: speech without a pause is cut there.",
            valueName: "seconds"))
    var speechSeconds: UInt32?

    @OptionGroup var formatting: FormattingOptions

    func validate() throws {
        if let speechSeconds, !(5...60).contains(speechSeconds) {
            throw ValidationError("--speech-seconds takes 5 to 60.")
        }
    }

    func apply(to options: inout StartOptions) throws {
        formatting.apply(to: &options)
        options.language = language?.tags.first
        if let tags = language?.tags, tags.count > 1 { options.languages = tags }
        options.engine = engine
        options.vocabulary =
            words.map { StartOptions.VocabularyEntry($0) }
            + pronunciations.map { StartOptions.VocabularyEntry($0.word, pronunciation: $0.phones) }
        options.segmentLimit = speechSeconds.map { .seconds($0) }
        if let grammar {
            options.grammar = try InputFile(path: grammar).text()
        }
    }
}

/// Languages with commas between them, the preferred one first.
struct LanguageList: ExpressibleByArgument {
    let tags: [String]

    init?(argument: String) {
        tags = argument.split(separator: ",", omittingEmptySubsequences: false).map { tag in
            String(tag.drop { $0 == " " })
        }
        guard tags.allSatisfy({ !$0.isEmpty }) else { return nil }
    }
}

/// A word and its pronunciation, written `WORD=PHONES`.
struct Pronunciation: ExpressibleByArgument {
    let word: String
    let phones: String

    init?(argument: String) {
        guard let separator = argument.lastIndex(of: "=") else { return nil }
        word = String(argument[..<separator])
        phones = String(argument[argument.index(after: separator)...])
        guard !word.isEmpty, !phones.isEmpty else { return nil }
    }
}

/// What media players do; the cases are those of `StartOptions.Playback`.
enum PlaybackChoice: String, ExpressibleByArgument, CaseIterable {
    case pause
    case mix
}

/// Options for the microphone.
struct MicrophoneOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The microphone, by its name as “routes” lists it.", valueName: "name"))
    var microphone: String?

    @Option(
        help: ArgumentHelp(
            "Commit automatically after so much silence, 0.2 to 60; 0 never.", valueName: "seconds"))
    var autoCommit: Double?

    @Option(help: "What media players do while the microphone is open: pause or mix.")
    var playback: PlaybackChoice?

    func validate() throws {
        if let autoCommit, autoCommit != 0, !(0.2...60).contains(autoCommit) {
            throw ValidationError("--auto-commit takes 0.2 to 60 seconds, or 0 for never.")
        }
    }

    /// Refuses a microphone that does not exist, which the service would ignore.
    func check(_ client: DictationClient) async throws {
        guard let microphone else { return }
        var names: [String] = []
        // A service that was started just now may not have found it yet.
        for attempt in 0..<Self.attempts {
            if attempt > 0 { try await Task.sleep(for: .milliseconds(250)) }
            names = try await client.routes().map(\.name)
            if names.contains(microphone) { return }
        }
        let known =
            names.isEmpty ? "There is none at all." : "The microphones are: \(names.joined(separator: ", "))."
        throw DictationError(.noSource, message: "There is no microphone “\(microphone)”. \(known)")
    }

    private static let attempts = 8

    func apply(to options: inout StartOptions) {
        options.route = microphone
        options.autoCommit = autoCommit.map { .seconds($0) }
        options.playback = playback.flatMap { StartOptions.Playback(rawValue: $0.rawValue) }
    }
}
