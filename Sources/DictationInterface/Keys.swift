// Keys of the interface's dictionaries, and the limits of their values, as dbus/org.example.Dictation.xml
// describes them.

public import DBus

/// Options of Start.
public enum StartOption {
    public static let linger: BusText = "linger"
    public static let broadcast: BusText = "broadcast"
    public static let input: BusText = "input"
    public static let language: BusText = "language"
    public static let engine: BusText = "engine"
    public static let grammar: BusText = "grammar"
    public static let vocabulary: BusText = "vocabulary"
    public static let partials: BusText = "partials"
    public static let levels: BusText = "levels"
    public static let autoCommit: BusText = "auto-commit"
    public static let route: BusText = "route"
    public static let playback: BusText = "playback"
    public static let segmentSeconds: BusText = "segment-seconds"
    public static let formatting: BusText = "formatting"
    public static let commands: BusText = "commands"
    public static let phrases: BusText = "phrases"

    /// The most phrases.
    public static let phraseLimit = 256
    /// Milliseconds of silence; 0 beside it means never.
    public static let autoCommitRange: ClosedRange<UInt32> = 200...60_000
    public static let segmentSecondsRange: ClosedRange<UInt32> = 5...60
}

/// Options of Subscribe.
public enum SubscribeOption {
    public static let text: BusText = "text"
}

/// Options of RequestPermission.
public enum RequestPermissionOption {
    public static let wait: BusText = "wait"
}

/// How org.example.Dictation.Permissions names an application, and what List tells of it besides its resources.
public enum ClientKey {
    public static let kind: BusText = "kind"
    public static let id: BusText = "id"
    public static let lastUsed: BusText = "last-used"
}

/// What Log tells of a decision besides the application.
public enum DecisionKey {
    public static let time: BusText = "time"
    public static let resource: BusText = "resource"
    public static let status: BusText = "status"
    public static let prompter: BusText = "prompter"
}

/// What an agent can do.
public enum AgentCapability {
    public static let prompt: BusText = "prompt"
    public static let microphone: BusText = "microphone"
    public static let identify: BusText = "identify"
    public static let playback: BusText = "playback"
    public static let lock: BusText = "lock"
}

/// Options of Register.
public enum AgentOption {
    public static let fallback: BusText = "fallback"
    public static let own: BusText = "own"
}

/// What an agent's FollowDictation tells.
public enum ActivityKey {
    public static let listening: BusText = "listening"
    public static let wanted: BusText = "wanted"
    public static let quiet: BusText = "quiet"
}

/// Details of an agent's RequestPermission.
public enum PromptKey {
    public static let title: BusText = "title"
    public static let subtitle: BusText = "subtitle"
    public static let body: BusText = "body"
}

/// What GetSession tells.
public enum SessionKey {
    public static let session: BusText = "session"
    public static let state: BusText = "state"
    public static let reasons: BusText = "reasons"
    public static let lockedBy: BusText = "locked-by"
    public static let pending: BusText = "pending"
    public static let block: BusText = "block"
    public static let text: BusText = "text"
    public static let finals: BusText = "finals"
    public static let route: BusText = "route"
    public static let dropouts: BusText = "dropouts"
    public static let duration: BusText = "duration"
    public static let lag: BusText = "lag"
    public static let linger: BusText = "linger"
    public static let owner: BusText = "owner"
    public static let vocabulary: BusText = "vocabulary"
}

/// What ListRoutes and RouteChanged tell of a microphone.
public enum RouteKey {
    public static let name: BusText = "name"
    public static let description: BusText = "description"
    public static let bus: BusText = "bus"
    public static let bluetoothProfile: BusText = "bluetooth-profile"
    public static let available: BusText = "available"
    public static let isDefault: BusText = "default"
    public static let muted: BusText = "muted"
    public static let selected: BusText = "selected"
    public static let inUse: BusText = "in-use"
}

/// Details of Final and of Commit's reply.
public enum FinalKey {
    public static let words: BusText = "words"
    public static let segments: BusText = "segments"
    public static let alternatives: BusText = "alternatives"
    public static let confidence: BusText = "confidence"
    public static let duration: BusText = "duration"
    public static let engine: BusText = "engine"
    public static let language: BusText = "language"
    public static let fallback: BusText = "fallback"
    public static let interruptions: BusText = "interruptions"
    public static let dropouts: BusText = "dropouts"
    public static let auto: BusText = "auto"
    public static let spoken: BusText = "spoken"
    public static let initialCapital: BusText = "initial-capital"
    public static let problems: BusText = "problems"
}

/// Details of Interrupted, Resumed and StateChanged.
public enum DetailKey {
    public static let reasons: BusText = "reasons"
    public static let pending: BusText = "pending"
    public static let duration: BusText = "duration"
    public static let rebuilt: BusText = "rebuilt"
    public static let dropouts: BusText = "dropouts"
}

/// Details of each of the property Engines.
public enum EngineKey {
    public static let languages: BusText = "languages"
    public static let available: BusText = "available"
    public static let local: BusText = "local"
    public static let program: BusText = "program"
    public static let answer: BusText = "answer"
    public static let message: BusText = "message"
}
