public import DictationCore
import Glibc

/// PocketSphinx 5prealpha, Debian's version, with a model from a folder.
public struct PocketSphinxEngine: Engine {
    /// The path of the model in Debian's package `pocketsphinx-en-us`.
    public static let debianModel = "/usr/share/pocketsphinx/model/en-us"

    /// Maximum number of different words in a vocabulary.
    static let mostWords = 1000

    private let model: PocketSphinxModel
    private let memory: CepstralMemory
    private let pronouncer: Pronouncer

    /// - Parameters:
    ///   - model: folder with the acoustic model `en-us`, `en-us.lm.bin` and `cmudict-en-us.dict`.
    /// From the configuration only, because PocketSphinx does not validate the files.
    ///   - memory: what was learned about microphones, shared by all sessions.
    ///   - pronouncer: makes pronunciations that the dictionary does not have.
    public init(
        model: String = Self.debianModel, memory: CepstralMemory = CepstralMemory(),
        pronouncer: Pronouncer = Pronouncer()
    ) {
        self.model = PocketSphinxModel(folder: model)
        self.memory = memory
        self.pronouncer = pronouncer
    }

    public var name: String { "pocketsphinx" }
    public var languages: [String] { model.missingFile == nil ? ["en-US"] : [] }

    public func check(_ settings: RecognizerSettings) throws(RecognitionError) {
        if let missing = model.missingFile {
            throw RecognitionError(
                .engineUnavailable,
                "PocketSphinx's model is not installed (\(missing) cannot be read): "
                    + "apt install pocketsphinx-en-us")
        }
        if let language = settings.language, language.lowercased() != "en-us", language.lowercased() != "en" {
            throw RecognitionError(
                .unsupportedLanguage, "PocketSphinx has no model for \(language) here; it knows en-US.")
        }
        if let grammar = settings.grammar { try GrammarRules.checkLength(grammar) }
        guard settings.vocabulary.count <= Self.mostWords * Pronouncer.ways,
            Set(settings.vocabulary.map(\.word)).count <= Self.mostWords
        else {
            throw RecognitionError(
                .invalidOptions, "A vocabulary may have at most \(Self.mostWords) words.")
        }
        for word in settings.vocabulary { try word.check() }
    }

    public func examine(_ settings: RecognizerSettings) throws(RecognitionError) -> RecognizerSettings {
        let grammar = try settings.grammar.map { text throws(RecognitionError) in try GrammarGraph(text) }
        let inGrammar = Set(grammar?.words.map(\.text) ?? [])
        let vocabulary = SphinxVocabularySounds(settings.vocabulary)
        guard grammar != nil || vocabulary.isIncomplete else { return settings }
        let known = try SphinxDictionary.look(up: inGrammar.union(vocabulary.wanted), in: model.dictionary)
        let unknown = vocabulary.unknown(known)
        let made =
            unknown.isEmpty ? [:] : try pronouncer.pronunciations(of: unknown, like: model.dictionary)
        var settings = settings
        settings.vocabulary = try vocabulary.completed(known, made)
        let said = Set(settings.vocabulary.filter { $0.pronunciation != nil }.map(\.word))
        try grammar?.checkWords { known[$0] != nil || said.contains($0) }
        return settings
    }

    public func makeRecognizer(_ settings: RecognizerSettings) throws(RecognitionError) -> any Recognizer {
        try check(settings)
        return try PocketSphinxRecognizer(SphinxDecoder(model, settings), memory)
    }
}

/// The files of a model.
struct PocketSphinxModel: Sendable {
    var folder: String

    var acoustic: String { folder + "/en-us" }
    var language: String { folder + "/en-us.lm.bin" }
    var dictionary: String { folder + "/cmudict-en-us.dict" }

    /// The first file that is not readable.
    var missingFile: String? {
        [acoustic + "/mdef", language, dictionary].first { access($0, R_OK) != 0 }
    }
}

extension TranscriptionRequest.VocabularyEntry {
    /// A word becomes a line of a dictionary, so it and its phones must not contain separators.
    public func check() throws(RecognitionError) {
        let isWord =
            !word.isEmpty && word.utf8.count <= 64
            && word.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0.value > 31 }
            && !word.hasPrefix("<") && !word.contains("(")
        guard isWord else {
            throw RecognitionError(
                .invalidOptions, "A vocabulary word must be one word without spaces or brackets.")
        }
        guard let pronunciation, !soundsLikeWords else { return }
        let isPhones =
            !pronunciation.isEmpty && pronunciation.utf8.count <= 256
            && pronunciation.utf8.allSatisfy { (65...90).contains($0) || $0 == 32 }
        guard isPhones else {
            throw RecognitionError(
                .invalidOptions,
                "The pronunciation of '\(word)' must be ARPAbet phones such as 'HH AH L OW', or words in lower case "
                    + "that sound like it.")
        }
    }

    /// Whether the pronunciation consists of words, which are lower case; phones are upper case.
    var soundsLikeWords: Bool {
        guard let pronunciation, pronunciation.utf8.count <= 256 else { return false }
        return pronunciation.contains { $0.isLetter }
            && pronunciation.unicodeScalars.allSatisfy {
                $0.properties.isLowercase || $0 == " " || $0 == "'" || $0 == "."
            }
    }
}
