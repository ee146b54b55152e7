import DBus
import DictationInterface
public import EventLoop

/// Options of a session. Nil uses the service's configuration.
public struct StartOptions: Sendable {
    /// A word of the vocabulary.
    public struct VocabularyEntry: Hashable, Sendable {
        public var word: String
        /// In the phones of the model; nil lets the engine find it.
        public var pronunciation: String?

        public init(_ word: String, pronunciation: String? = nil) {
            self.word = word
            self.pronunciation = pronunciation
        }
    }

    public enum Playback: String, Hashable, Sendable, CaseIterable {
        /// Pause media players while a session listens.
        case pause
        /// Leave media players alone.
        case mix
    }

    /// The session outlives this connection, and other programs of the user may control it.
    public var lingers = false
    /// Broadcast the signals. Every program on the bus can then read the text.
    public var broadcasts = false
    /// A WAV or raw (S16 mono 16 kHz) file or pipe instead of the microphone, recognised as fast as possible. At its
    /// end the block is committed and the session stops.
    public var input: Descriptor?
    /// A BCP 47 tag, one of ``ServiceInformation/languages``.
    public var language: String?
    /// Those that may be spoken, the preferred one first, at most 8: an engine that detects the language detects it among
    /// these. Other engines use ``language``, or the first one.
    public var languages: [String] = []
    public var engine: String?
    /// A JSGF grammar: only its sentences are recognised.
    public var grammar: String?
    public var vocabulary: [VocabularyEntry] = []
    /// Whether to send ``DictationEvent/partial(_:)``.
    public var sendsPartials = true
    /// Whether to send ``DictationEvent/level(_:)``.
    public var sendsLevels = false
    /// Whether levels have a waveform, for programs that draw it. Levels are sent then.
    public var sendsWaveform = false
    /// Commit automatically after this much silence after speech, 200 ms to 60 s; zero never.
    public var autoCommit: Duration?
    /// ``Route/name`` of the microphone to use; empty follows the default.
    public var route: String?
    /// What media players do while the session listens.
    public var playback: Playback?
    /// Maximum length of a segment, 5 to 60 s: speech without a pause is cut there.
    public var segmentLimit: Duration?
    /// An empty file that is open for writing, or a folder: the sound of the microphone is recorded there, as WAV.
    public var record: Descriptor?
    /// Of the recording; nil is low.
    public var quality: Quality?
    /// Maximum length of a recorded file in a folder, 5 s to 1 h; nil is 30 s.
    public var recordedSegment: Duration?
    /// Cancel keeps what its block recorded.
    public var keepsCancelled = false
    /// How words become text.
    public var formatting: Formatting?
    /// Whether this program can delete text: ``DictationEvent/retracted(_:)`` is sent for "scratch that" and similar
    /// commands. Only with ``Formatting/dictation``.
    public var takesCommands = false
    /// After a crash of the service the session may continue, paused, with what was not committed:
    /// ``DictationEvent/restored(_:)``. Otherwise, or if it does not, its events end with
    /// ``DictationErrorCode/serviceVanished``.
    public var survivesRestart = false
    /// Phrases that are reported by ``DictationEvent/command(_:)`` instead of being text. Only with
    /// ``Formatting/dictation``.
    public var phrases: [String] = []

    public enum Formatting: String, CaseIterable, Sendable {
        /// The words as the engine recognised them.
        case plain
        /// Text as people write it.
        case dictation
    }

    public enum Quality: String, CaseIterable, Sendable {
        /// 16 kHz: the sound that is recognised.
        case low
        /// 22.05 kHz; refused by services that cannot record it.
        case medium
        /// 44.1 kHz; refused by services that cannot record it.
        case high
    }

    public init() {}

    /// The dictionary for Start.
    var dictionary: [BusText: Value] {
        var options: [BusText: Value] = [:]
        if lingers { options[StartOption.linger] = Value(true) }
        if broadcasts { options[StartOption.broadcast] = Value(true) }
        if !sendsPartials { options[StartOption.partials] = Value(false) }
        if sendsWaveform {
            options[StartOption.levels] = Value("waveform")
        } else if sendsLevels {
            options[StartOption.levels] = Value(true)
        }
        options[StartOption.record] = record.map { Value($0) }
        options[StartOption.quality] = quality.map { Value($0.rawValue) }
        options[StartOption.segmentSeconds] = recordedSegment.map {
            Value(UInt32(clamping: $0.components.seconds))
        }
        if keepsCancelled { options[StartOption.keepCancelled] = Value(true) }
        options[StartOption.input] = input.map { Value($0) }
        options[StartOption.language] = language.map { Value($0) }
        if !languages.isEmpty { options[StartOption.languages] = Value(languages) }
        options[StartOption.engine] = engine.map { Value($0) }
        options[StartOption.grammar] = grammar.map { Value($0) }
        options[StartOption.route] = route.map { Value($0) }
        options[StartOption.playback] = playback.map { Value($0.rawValue) }
        options[StartOption.autoCommit] = autoCommit.map { Value(UInt32(clamping: $0.milliseconds)) }
        options[StartOption.speechSeconds] = segmentLimit.map {
            Value(UInt32(clamping: $0.components.seconds))
        }
        options[StartOption.formatting] = formatting.map { Value($0.rawValue) }
        if takesCommands { options[StartOption.commands] = Value(true) }
        if !phrases.isEmpty { options[StartOption.phrases] = Value(phrases) }
        if vocabulary.contains(where: { $0.pronunciation != nil }) {
            options[StartOption.vocabulary] = .array(
                vocabulary.map { .structure([Value($0.word), Value($0.pronunciation ?? "")]) }, of: "(ss)")
        } else if !vocabulary.isEmpty {
            options[StartOption.vocabulary] = Value(vocabulary.map(\.word))
        }
        return options
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
