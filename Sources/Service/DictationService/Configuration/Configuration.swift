public import DictationCore
import Recognition
public import Wyoming

/// Everything that can be set, with its defaults.
public struct Configuration: Sendable {
    public var settings = Settings()
    /// Names of engines in order of preference, where a call names none.
    public var engine = ["pocketsphinx"]
    /// Engines outside the process.
    public var engines: [EngineConfiguration] = []
    /// Audio may leave the machine.
    public var allowsRemoteEngines = false
    /// BCP 47.
    public var language = "en-US"
    /// Folder of PocketSphinx's model.
    public var modelFolder = PocketSphinxEngine.debianModel
    /// Folders of PocketSphinx's models by language, beside that of en-US.
    public var models: [String: String] = [:]
    static let modelLimit = 32
    /// How long a Commit waits for an engine outside the process.
    public var engineWait: Duration = .seconds(5)
    public var route = ""
    /// Who may dictate, or may not, whatever the user says.
    public var permissionRules = PermissionRules()
    public var pausesPlayback = true
    /// Zero never.
    public var autoCommit: Duration = .zero
    public var segmentLimit: Duration = .seconds(20)
    /// How words become text where a call does not say.
    package var formatting = FormattingStyle.plain
    package var replacements = Replacements()
    /// Words of the user's own; each is optional.
    package var words: [TranscriptionRequest.VocabularyEntry] = []
    static let wordLimit = 1000
    /// How long a decoder is kept loaded after its session.
    public var decoderLinger: Duration = .seconds(60)
    public var decoderLimit = 4
    /// What a recogniser keeps of the sound it has not decoded yet.
    public var backlogLimit: Duration = .seconds(600)

    /// The keys that the administrator set: a call's option cannot change them.
    public internal(set) var administered: Set<String> = []

    public init() {}
}
