// Keys of the interface's dictionaries, and the limits of their values, as dbus/org.example.Dictation.xml
// describes them.

/// Options of Start.
public enum StartOption {
    public static let linger = "linger"
    public static let broadcast = "broadcast"
    public static let input = "input"
    public static let language = "language"
    public static let engine = "engine"
    public static let grammar = "grammar"
    public static let vocabulary = "vocabulary"
    public static let partials = "partials"
    public static let levels = "levels"
    public static let autoCommit = "auto-commit"
    public static let route = "route"
    public static let playback = "playback"
    public static let segmentSeconds = "segment-seconds"

    /// Milliseconds of silence; 0 beside it means never.
    public static let autoCommitRange: ClosedRange<UInt32> = 200...60_000
    public static let segmentSecondsRange: ClosedRange<UInt32> = 5...60
}

/// Options of Subscribe.
public enum SubscribeOption {
    public static let text = "text"
}

/// Options of RequestPermission.
public enum RequestPermissionOption {
    public static let wait = "wait"
}

/// How org.example.Dictation.Permissions names an application, and what List tells of it besides its resources.
public enum ClientKey {
    public static let kind = "kind"
    public static let id = "id"
    public static let lastUsed = "last-used"
}

/// What Log tells of a decision besides the application.
public enum DecisionKey {
    public static let time = "time"
    public static let resource = "resource"
    public static let status = "status"
    public static let prompter = "prompter"
}

/// What an agent can do.
public enum AgentCapability {
    public static let prompt = "prompt"
    public static let microphone = "microphone"
    public static let identify = "identify"
    public static let playback = "playback"
}

/// Options of Register.
public enum AgentOption {
    public static let fallback = "fallback"
    public static let own = "own"
}

/// What an agent's FollowDictation tells.
public enum ActivityKey {
    public static let listening = "listening"
    public static let wanted = "wanted"
    public static let quiet = "quiet"
}

/// Details of an agent's RequestPermission.
public enum PromptKey {
    public static let title = "title"
    public static let subtitle = "subtitle"
    public static let body = "body"
}

/// What GetSession tells.
public enum SessionKey {
    public static let session = "session"
    public static let state = "state"
    public static let reasons = "reasons"
    public static let pending = "pending"
    public static let block = "block"
    public static let text = "text"
    public static let finals = "finals"
    public static let route = "route"
    public static let dropouts = "dropouts"
    public static let duration = "duration"
    public static let lag = "lag"
    public static let linger = "linger"
    public static let owner = "owner"
}

/// What ListRoutes and RouteChanged tell of a microphone.
public enum RouteKey {
    public static let name = "name"
    public static let description = "description"
    public static let bus = "bus"
    public static let bluetoothProfile = "bluetooth-profile"
    public static let available = "available"
    public static let isDefault = "default"
    public static let muted = "muted"
    public static let selected = "selected"
    public static let inUse = "in-use"
}

/// Details of Final and of Commit's reply.
public enum FinalKey {
    public static let words = "words"
    public static let segments = "segments"
    public static let alternatives = "alternatives"
    public static let confidence = "confidence"
    public static let duration = "duration"
    public static let engine = "engine"
    public static let language = "language"
    public static let fallback = "fallback"
    public static let interruptions = "interruptions"
    public static let dropouts = "dropouts"
    public static let auto = "auto"
    public static let problems = "problems"
}

/// Details of Interrupted, Resumed and StateChanged.
public enum DetailKey {
    public static let reasons = "reasons"
    public static let pending = "pending"
    public static let duration = "duration"
}

/// Details of each of the property Engines.
public enum EngineKey {
    public static let languages = "languages"
    public static let available = "available"
    public static let local = "local"
    public static let program = "program"
    public static let answer = "answer"
    public static let message = "message"
}
