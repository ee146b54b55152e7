import DictationCore

/// PocketSphinx 5prealpha, Debian's version, with a model from a folder for each language.
public struct PocketSphinxEngine: Engine {
    /// The path of the model in Debian's package `pocketsphinx-en-us`.
    public static let debianModel = "/usr/share/pocketsphinx/model/en-us"

    /// Maximum number of different words in a vocabulary.
    static let mostWords = 1000

    /// By language, en-US first.
    private let models: [PocketSphinxModel]
    private let memory: CepstralMemory
    private let pronouncer: Pronouncer
    private let ordinary = OrdinaryWords()

    /// - Parameters:
    ///   - model: folder of the model for en-US. From the configuration only, because PocketSphinx does not validate the files.
    ///   - models: the same for other languages, by BCP 47 tag.
    ///   - memory: what was learned about microphones, shared by all sessions.
    ///   - pronouncer: makes pronunciations that the dictionary does not have.
    public init(
        model: String = Self.debianModel, models: [String: String] = [:],
        memory: CepstralMemory = CepstralMemory(),
        pronouncer: Pronouncer = Pronouncer()
    ) {
        let others = models.filter { $0.key.lowercased() != "en-us" }.sorted { $0.key < $1.key }
        let american = models.first { $0.key.lowercased() == "en-us" }?.value ?? model
        self.models =
            [PocketSphinxModel(language: "en-US", folder: american)]
            + others.map { PocketSphinxModel(language: $0.key, folder: $0.value) }
        self.memory = memory
        self.pronouncer = pronouncer
    }

    public var name: String { "pocketsphinx" }
    public var needsVoice: Bool { true }
    public var languages: [String] { models.filter { $0.files != nil }.map(\.language) }

    public func check(_ settings: RecognizerSettings) throws(RecognitionError) {
        _ = try files(for: settings.language)
        if let grammar = settings.grammar { try GrammarRules.checkLength(grammar) }
        guard settings.vocabulary.count <= Self.mostWords * Pronouncer.pronunciationLimit,
            Set(settings.vocabulary.map(\.word)).count <= Self.mostWords
        else {
            throw RecognitionError(
                .invalidOptions, "A vocabulary may have at most \(Self.mostWords) words.")
        }
        for word in settings.vocabulary {
            if let fault = word.fault { throw RecognitionError(.invalidOptions, fault) }
        }
    }

    public func examine(_ settings: RecognizerSettings) throws(RecognitionError) -> RecognizerSettings {
        let grammar = try settings.grammar.map { text throws(RecognitionError) in try GrammarGraph(text) }
        let inGrammar = Set(grammar?.words.map(\.text) ?? [])
        let vocabulary = SphinxVocabularySounds(settings.vocabulary)
        let dictionary = try files(for: settings.language).dictionary
        // For the respelling of another engine's text.
        if !settings.vocabulary.isEmpty { try ordinary.load(dictionary) }
        guard grammar != nil || vocabulary.isIncomplete else { return settings }
        let known = try SphinxDictionary.look(up: inGrammar.union(vocabulary.wanted), in: dictionary)
        let unknown = vocabulary.unknown(known)
        let made =
            unknown.isEmpty ? [:] : try pronouncer.pronunciations(of: unknown, like: dictionary)
        var settings = settings
        settings.vocabulary = try vocabulary.completed(known, made)
        let said = Set(settings.vocabulary.filter { $0.pronunciation != nil }.map(\.word))
        try grammar?.checkWords { known[$0] != nil || said.contains($0) }
        return settings
    }

    public func ordinaryWords(of language: String) -> (@Sendable (String) -> Bool)? {
        (try? files(for: language)).flatMap { ordinary.contains(in: $0.dictionary) }
    }

    /// Without a grammar, the vocabulary is changed between segments.
    public func loadSettings(_ settings: RecognizerSettings) -> RecognizerSettings {
        var loaded = settings
        loaded.language = nearest(to: settings.language ?? "en-US")?.language
        guard settings.grammar == nil else { return loaded }
        loaded.vocabulary = []
        loaded.vocabularyRoom = SphinxVocabulary.room(for: Set(settings.vocabulary.map(\.word)).count)
        return loaded
    }

    public func makeRecognizer(_ settings: RecognizerSettings) throws(RecognitionError) -> any Recognizer {
        try check(settings)
        return try PocketSphinxRecognizer(SphinxDecoder(files(for: settings.language), settings), memory)
    }

    public func model(for language: String) -> String? { nearest(to: language)?.language }

    /// The model of the nearest language; an installed one if there is any.
    private func nearest(to language: String) -> PocketSphinxModel? {
        let installed = models.filter { $0.files != nil }
        func nearest(among models: [PocketSphinxModel]) -> PocketSphinxModel? {
            let tag = LanguageTag.nearest(to: language, among: models.map(\.language))
            return models.first { $0.language == tag }
        }
        return nearest(among: installed) ?? nearest(among: models)
    }

    private func files(for language: String?) throws(RecognitionError) -> PocketSphinxModel.Files {
        guard let model = nearest(to: language ?? "en-US") else {
            throw RecognitionError(
                .unsupportedLanguage,
                "PocketSphinx has no model for \(language ?? "en-US"); it has models for "
                    + models.map(\.language).joined(separator: ", ") + ".")
        }
        if let files = model.files { return files }
        throw RecognitionError(
            .engineUnavailable,
            "PocketSphinx's model for \(model.language) is not installed (\(model.folder) has no acoustic model, "
                + "language model and dictionary)"
                + (model.language == "en-US" ? ": apt install pocketsphinx-en-us" : "."))
    }
}
