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
    /// The service types the text into the windows of the desktop session: ``DictationClient/typingEvents()``. Needs the
    /// permission ``Resource/typing`` too.
    public var typing: Typing?
    /// After a crash of the service the session may continue, paused, with what was not committed:
    /// ``DictationEvent/restored(_:)``. Otherwise, or if it does not, its events end with
    /// ``DictationErrorCode/serviceVanished``.
    public var survivesRestart = false
    /// Phrases that are reported by ``DictationEvent/command(_:)`` instead of being text. Only with
    /// ``Formatting/dictation``.
    public var phrases: [String] = []

    /// How to type.
    public struct Typing: Hashable, Sendable {
        /// Words appear in the field while they are spoken.
        public var showsLiveText = true
        /// Keys where no input method works. Password fields are not noticed then.
        public var usesKeyboard = false
        /// Pasting where nothing else works. Password fields are not noticed then.
        public var usesClipboard = false
        /// Where the windows are, in variables of the environment; empty where the service expects them.
        public var display: [String: String]

        /// - Parameter environment: of a program in the desktop session.
        public init(environment: [String: String] = [:]) {
            display = environment.filter { Self.displayVariables.contains($0.key) && !$0.value.isEmpty }
        }

        private static let displayVariables: Set<String> = [
            "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "HOME", "HYPRLAND_INSTANCE_SIGNATURE", "IBUS_ADDRESS",
            "IBUS_ADDRESS_FILE", "SWAYSOCK", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CONFIG_HOME",
            "XDG_CURRENT_DESKTOP", "XDG_RUNTIME_DIR",
        ]
    }
    /// The desktop id of the application into whose window this program types, whose settings count for the session.
    public var application: String?
    /// Whether the history keeps the texts, if the user has one. Nil: those of a program outside a sandbox.
    public var keepsTexts: Bool?
    /// Whether the program of the user's setting "filter" gets the texts.
    public var isFiltered = true

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
        options[StartOption.application] = application.map { Value($0) }
        options[StartOption.history] = keepsTexts.map { Value($0) }
        if !isFiltered { options[StartOption.filter] = Value(false) }
        if takesCommands { options[StartOption.commands] = Value(true) }
        if let typing {
            options[StartOption.type] = Value(true)
            if !typing.showsLiveText { options[StartOption.typeLive] = Value(false) }
            if typing.usesKeyboard { options[StartOption.typeKeyboard] = Value(true) }
            if typing.usesClipboard { options[StartOption.typeClipboard] = Value(true) }
            if !typing.display.isEmpty {
                options[StartOption.display] = Value(
                    Dictionary(uniqueKeysWithValues: typing.display.map { (BusText($0), $1) }))
            }
        }
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
