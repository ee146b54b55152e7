import DBus
import DictationBus
import DictationConfiguration
import DictationCore
import DictationInterface
import LanguageFiles
import Recognition

extension StartOptions {
    /// Start's options on top of the configuration. A call cannot change what the administrator has set. The engine is
    /// empty if the call names none.
    init(_ options: [BusText: Value], configuration: Configuration) throws(Refusal) {
        let reader = OptionReader(options: options)
        let autoCommit = try reader.integer(
            StartOption.autoCommit, in: StartOption.autoCommitRange, orZero: true)
        let languages = try Self.languages(reader, configuration)
        let engine = try reader.string(StartOption.engine, atMost: .tag)
        let speechSeconds = try reader.integer(
            StartOption.speechSeconds, in: StartOption.speechSecondsRange)
        let route = try reader.string(StartOption.route, atMost: .microphone)

        func chosen<T>(_ call: T?, _ configured: T, _ key: String) -> T {
            configuration.administered.contains(key) ? configured : call ?? configured
        }
        let wanted = chosen(languages, configuration.spokenLanguages, "language")
        self.init(
            transcription: TranscriptionRequest(
                engine: chosen(engine, "", "engine"), language: wanted[0],
                grammar: try reader.string(StartOption.grammar, atMost: .grammar),
                vocabulary: Self.vocabulary(
                    try reader.vocabulary(StartOption.vocabulary) ?? [], configuration.words),
                segmentLimit: chosen(
                    speechSeconds.map { .seconds($0) }, configuration.segmentLimit, "speech-seconds")))
        transcription.otherLanguages = Array(wanted.dropFirst())
        // A grammar contains all its words.
        if transcription.grammar != nil { transcription.vocabulary.removeAll(where: \.isOptional) }
        let playback: Bool?
        switch try reader.string(StartOption.playback) {
        case nil: playback = nil
        case "pause": playback = true
        case "mix": playback = false
        case let word?:
            throw Refusal(.invalidArguments, "Option 'playback' must be 'pause' or 'mix', not '\(word)'.")
        }
        pausesPlayback = chosen(playback, configuration.pausesPlayback, "pause-playback")
        lingers = try reader.bool(StartOption.linger) ?? false
        broadcasts = try reader.bool(StartOption.broadcast) ?? false
        hasInput = try reader.descriptor(StartOption.input) != nil
        sendsPartials = try reader.bool(StartOption.partials) ?? true
        if let levels = try reader.bool(StartOption.levels, orWord: "waveform") {
            sendsLevels = levels.isOn
            sendsWaveform = levels.isWord
        }
        recording = try Self.recording(reader)
        let silence: Duration = chosen(
            autoCommit.map { .milliseconds($0) }, configuration.autoCommit, "auto-commit")
        self.autoCommit = silence == .zero ? nil : silence
        // The configured microphone comes after the ones chosen with SelectRoute: see Settings.route.
        let name = chosen(
            route, configuration.administered.contains("route") ? configuration.route : "", "route")
        self.route = name.isEmpty ? nil : NodeName(name)
    }

    /// The call's languages, the preferred one first; nil if it names none.
    private static func languages(
        _ reader: OptionReader, _ configuration: Configuration
    ) throws(Refusal) -> [String]? {
        let language = try reader.string(StartOption.language, atMost: .tag)
        if language == LanguageSettings.automatic { return configuration.languages }
        guard let several = try reader.strings(StartOption.languages) else {
            return language.map { [$0] }
        }
        guard (1...Configuration.languageLimit).contains(several.count) else {
            throw Refusal(
                .invalidArguments,
                "Option 'languages' must have 1 to \(Configuration.languageLimit) languages.")
        }
        let tags = try several.map { tag throws(Refusal) in
            try tag.limited(to: .tag, "A language of option 'languages'")
        }
        return (language.map { [$0] } ?? []) + tags.filter { $0 != language }
    }

    private static func recording(_ reader: OptionReader) throws(Refusal) -> RecordingRequest? {
        let seconds = try reader.integer(
            StartOption.segmentSeconds, in: StartOption.recordingSegmentRange)
        let keepsCancelled = try reader.bool(StartOption.keepCancelled) ?? false
        let word = try reader.string(StartOption.quality) ?? RecordingQuality.low.rawValue
        guard let quality = RecordingQuality(rawValue: word) else {
            throw Refusal(
                .invalidArguments, "Option 'quality' must be 'low', 'medium' or 'high', not '\(word)'.")
        }
        guard try reader.descriptor(StartOption.record) != nil else { return nil }
        guard try reader.descriptor(StartOption.input) == nil else {
            throw Refusal(
                .invalidArguments, "Option 'record' is for the microphone: leave out 'input' or 'record'.")
        }
        return RecordingRequest(
            quality: quality, segmentSeconds: Int(seconds ?? 30), keepsCancelled: keepsCancelled)
    }

    /// The call's words, and as many of the user's own as fit.
    private static func vocabulary(
        _ called: [TranscriptionRequest.VocabularyEntry], _ own: [TranscriptionRequest.VocabularyEntry]
    ) -> [TranscriptionRequest.VocabularyEntry] {
        let words = Set(called.map(\.word))
        let room = max(0, StartOption.wordLimit - called.count)
        return called + own.filter { !words.contains($0.word) }.prefix(room)
    }
}
