public import DictationCore
import LanguageFiles
public import Wyoming

/// All settings, with their defaults.
public struct Configuration: Sendable {
    public var settings = Settings()
    /// Names of engines in order of preference, for calls that name none.
    public var engine = ["pocketsphinx"]
    /// Engines outside the process.
    public var engines: [EngineConfiguration] = []
    /// Audio may leave the machine.
    public var allowsRemoteEngines = false
    /// BCP 47.
    public var languages = ["en-US"]
    /// The one of them that is spoken now, or ``LanguageSettings/automatic``.
    package var spokenLanguage = LanguageSettings.automatic
    /// A dictation into windows begins in the language of the keyboard layout.
    package var speaksByLayout = false
    /// Text that could not be typed is put on the clipboard.
    package var copiesUntypedText = true
    /// Maximum number of languages among which one is detected.
    public static let languageLimit = 8

    /// The languages of calls that name none.
    package var spokenLanguages: [String] {
        LanguageSettings.spoken(spokenLanguage, among: languages).map { [$0] } ?? languages
    }

    /// The preferred language.
    public var language: String {
        get { languages.first ?? "en-US" }
        set { languages = [newValue] }
    }
    /// Folder of PocketSphinx's model; by default the one that is installed with the program, else that of Debian's
    /// pocketsphinx-en-us.
    public var modelFolder = InstalledFolder.model ?? "/usr/share/pocketsphinx/model/en-us"
    /// Folders of PocketSphinx's models by language, beside that of en-US.
    public var models: [String: String] = [:]
    static let modelLimit = 32
    /// How long a Commit waits for an engine outside the process.
    public var engineWait: Duration = .seconds(5)
    /// `node.name` of the microphone; empty follows the default.
    public var route = ""
    /// The applications that may or may not dictate, whatever the user decides.
    public var permissionRules = PermissionRules()
    public var pausesPlayback = true
    /// Zero never.
    public var autoCommit: Duration = .zero
    public var segmentLimit: Duration = .seconds(20)
    /// How words become text, for calls that do not say.
    package var formatting = FormattingStyle.plain
    package var cleanUp = CleanUpStyle.none
    /// A command of the shell that gets each final text; empty: none.
    package var filter = ""
    package var replacements = Replacements()
    /// What the user keeps of the texts.
    package var history = History.Settings()
    package var applications: [ApplicationSettings] = []
    /// The user's own words. All are optional.
    package var words: [TranscriptionRequest.VocabularyEntry] = []
    package static let wordLimit = 1000
    /// The key that dictates; nil for none.
    package var shortcut: ShortcutKey?
    /// Keys that begin dictation in a language, by BCP 47 tag.
    package var languageShortcuts: [String: ShortcutKey] = [:]
    /// How long an unused decoder is kept loaded.
    public var decoderLinger: Duration = .seconds(60)
    public var decoderLimit = 4
    /// How much audio a recogniser keeps while decoding lags behind.
    public var backlogLimit: Duration = .seconds(600)

    /// The keys that the administrator set. A call's options cannot change them.
    package(set) public var administered: Set<String> = []

    public init() {}

    /// Takes what a running worker applies.
    package mutating func adoptChanges(from other: Configuration) {
        let keys = ConfigurationKey.changing
        for key in keys { key.copy(from: other, to: &self) }
        let names = Set(keys.map(\.name))
        administered = administered.subtracting(names).union(other.administered.intersection(names))
    }

    /// The settings of the machine that decides.
    package var ofDictation: Settings {
        var settings = settings
        settings.route = route.isEmpty ? nil : NodeName(route)
        return settings
    }
}
