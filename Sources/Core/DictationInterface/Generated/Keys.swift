// Written by packaging/generate from dbus/*.xml; change those instead.

public import DBus

/// Keys of `details` of `RequestPermission`.
public enum PromptKey {
    /// `s`: the text to show, in English; safe to show unchanged
    public static let title: BusText = "title"
    /// `s`: the text to show, in English; safe to show unchanged
    public static let subtitle: BusText = "subtitle"
    /// `s`: the text to show, in English; safe to show unchanged
    public static let body: BusText = "body"
    /// `s`: the language of the programs that the application runs, which cannot be told apart;
    /// absent for other applications
    public static let interpreter: BusText = "interpreter"
}

/// Keys of `field` of `FieldChanged`.
public enum ShellFieldKey {
    /// `s`: names the field, as far as the shell can: equal for the same field
    public static let id: BusText = "id"
    /// `t`: changes when a field gets the focus, is clicked, or is reset
    public static let visit: BusText = "visit"
    /// `s`: "text", "password", "pin", "terminal"
    public static let purpose: BusText = "purpose"
    /// `b`: the application marks the text as hidden or private
    public static let sensitive: BusText = "sensitive"
    /// `s`: the text around the cursor; absent if the application does not report it, or the field is private
    public static let text: BusText = "text"
    /// `u`: the position of the cursor in it, in Unicode characters
    public static let cursor: BusText = "cursor"
    /// `b`: text is selected
    public static let selecting: BusText = "selecting"
    /// `i`: the position of the cursor in its window; absent if unknown
    public static let x: BusText = "x"
    /// `i`: likewise
    public static let y: BusText = "y"
    /// `b`: the field shows live text, and text in it can be deleted
    public static let live: BusText = "live"
    /// `b`: Committed follows each commit
    public static let reports: BusText = "reports"
    /// `u`: the maximum length of a commit in bytes of UTF-8
    public static let limit: BusText = "limit"
    /// `s`: the desktop id of the application whose window it is in; absent if unknown
    public static let application: BusText = "application"
}

/// Keys of `worker` of `Hello`.
public enum WorkerKey {
    /// `u`: the version of these interfaces
    public static let `protocol`: BusText = "protocol"
    /// `u`: the user that it works for
    public static let uid: BusText = "uid"
    /// `t`: the highest number of a session that it knows, less than 2^62
    public static let session: BusText = "session"
    /// `a(sss)`: the connections with sessions that wait to be restored: name, and kind and id of their
    /// application. The broker calls Permission for each before it replies.
    public static let owners: BusText = "owners"
    /// `a(ss)`: the applications whose texts the history has: kind and id. The broker calls Permission for each
    /// before it replies
    public static let applications: BusText = "applications"
}

/// Keys of `broker` of `Hello`.
public enum BrokerKey {
    /// `t`: further sessions have higher numbers than this
    public static let session: BusText = "session"
    /// `as`: owners that have left the bus
    public static let vanished: BusText = "vanished"
}

/// Keys of `options` of `Start`.
public enum StartOption {
    /// `b (false)`: the session outlives this connection; refused with AccessDenied for an unidentified
    /// caller, because no other program could stop the session
    public static let linger: BusText = "linger"
    /// `b (false)`: signals without destination, for programs that cannot subscribe; only where
    /// the bus belongs to one user; InvalidArgs elsewhere. Every program on that bus can
    /// read the text.
    public static let broadcast: BusText = "broadcast"
    /// `h`: instead of the microphone: a WAV or raw (S16 mono 16 kHz) file or pipe, opened
    /// by the caller. Recognised as fast as possible, committed at its end and
    /// stopped with reason "end-of-input". No microphone, no interruption but
    /// "permission-lost" and "engine-lost".
    public static let input: BusText = "input"
    /// `s (configured)`: one of the property Languages; "auto": the user's own languages, of the setting "language",
    /// among which the engine detects the spoken one
    public static let language: BusText = "language"
    /// `as`: up to 8 of them: an engine that detects the language detects it among these. "language",
    /// if given, is the preferred one, else the first is. Engines that detect none use that
    public static let languages: BusText = "languages"
    /// `s (configured)`: one of the property Engines
    public static let engine: BusText = "engine"
    /// `s`: a JSGF grammar: only sentences of its first public rule are recognised. At most 64 KiB,
    /// 20,000 states with its rules put in place, 10,000 transitions; imports are refused.
    /// InvalidArgs names line and column, as of a word that is not in the dictionary
    public static let grammar: BusText = "grammar"
    /// `as or a(ss)`: words to recognise, at most 1000, each with an optional pronunciation: in the model's
    /// phones ("K UW B ER N EH T IY Z"), or by words in lower case that sound like it
    /// ("cooper netties"). Empty takes it from the dictionary, else makes some from the
    /// spelling; GetSession returns them. InvalidArgs names a word without a possible
    /// pronunciation. The first word that needs one takes seconds, because the spelling
    /// rules are learned then
    public static let vocabulary: BusText = "vocabulary"
    /// `b (true)`: whether Partial is sent
    public static let partials: BusText = "partials"
    /// `b or s (false)`: whether Level is sent; "waveform": with minima and maxima
    public static let levels: BusText = "levels"
    /// `u (0)`: commit automatically after so many milliseconds of silence after speech, 200 to
    /// 60000; 0 never; anything else is InvalidArgs. Not for "input", which is faster than
    /// real time
    public static let autoCommit: BusText = "auto-commit"
    /// `s`: node.name of the microphone for this session; empty follows SelectRoute, then the
    /// configuration, then the default
    public static let route: BusText = "route"
    /// `s (configured)`: "pause": media players are paused when listening begins, and resumed when no session
    /// wants to listen any more; "mix": they are left alone
    public static let playback: BusText = "playback"
    /// `u (20)`: the maximum length of a segment of speech, 5 to 60: speech without a pause is cut there
    public static let speechSeconds: BusText = "speech-seconds"
    /// `h`: records the sound of the microphone. Either an empty regular file that the caller opened
    /// for writing, without O_APPEND: it gets the whole recording. Or a folder, which gets a
    /// file for each segment of the recording: new files, readable by the user only, beneath
    /// the folder and never through links. A folder is only for callers outside a
    /// sandbox. WAV, 16 bit, mono. The files can be read at every moment, also after a crash; a
    /// second at most is missing then. Not with "input"
    public static let record: BusText = "record"
    /// `s (low)`: of the recording: "low" is the sound that is recognised, at 16 kHz; "medium" has
    /// 22.05 kHz, "high" 44.1 kHz. A microphone that has less itself, as a Bluetooth headset,
    /// gives no more
    public static let quality: BusText = "quality"
    /// `u (30)`: the maximum length of a file in the folder given as "record", 5 to 3600. A file ends with
    /// its block, too
    public static let segmentSeconds: BusText = "segment-seconds"
    /// `b (false)`: whether Cancel keeps what the block recorded
    public static let keepCancelled: BusText = "keep-cancelled"
    /// `s (configured)`: "plain": the words as the engine gives them; "dictation": text as people write it,
    /// with spoken marks, capitals, numbers, dates and money: see dictation-speech(7)
    public static let formatting: BusText = "formatting"
    /// `b (false)`: with "dictation": the caller can delete text, so "scratch that" and similar commands
    /// take text back (Retracted) instead of being text
    public static let commands: BusText = "commands"
    /// `b (false)`: type the text into the windows of the desktop session, as dictation-cli-type(1) does: see
    /// org.example.Dictation.Typing, whose signals report what became of each text. Needs
    /// the permission "typing" too. One session types at a time. With "type-clipboard" the
    /// desktop may ask the user first, so allow 90 s for the reply
    public static let type: BusText = "type"
    /// `b (true)`: words appear in the field while they are spoken
    public static let typeLive: BusText = "type-live"
    /// `b (false)`: keys where no input method works, and all fields of IBus that do not report whether they
    /// are for passwords. Password fields are not noticed then
    public static let typeKeyboard: BusText = "type-keyboard"
    /// `b (false)`: pasting where nothing else works. Password fields are not noticed then
    public static let typeClipboard: BusText = "type-clipboard"
    /// `a{ss}`: where the windows are: variables, see org.example.Dictation.Typing
    public static let display: BusText = "display"
    /// `as`: with "dictation": phrases that are signalled by Command if nothing else is said
    /// between two pauses; at most 256, of 255 bytes each
    public static let phrases: BusText = "phrases"
    /// `s`: the desktop id of the application into whose window the caller types, as
    /// "org.gnome.TextEditor": the user's settings for "app:" and this id count for the session.
    /// Callers in a sandbox have those of their own application. With "type" the default
    /// is the application whose field has the focus, if the desktop reports it
    public static let application: BusText = "application"
    /// `b`: whether the history keeps the session's texts, if the user has one: see
    /// org.example.Dictation.History. By default those of programs outside a sandbox are kept
    public static let history: BusText = "history"
    /// `b (true)`: whether the program of the setting "filter", if the user has one, gets the session's texts
    public static let filter: BusText = "filter"
}

/// Keys of `options` of `Subscribe`.
public enum SubscribeOption {
    /// `b (false)`: also Partial, Final and Level of the session that this connection may control, while the
    /// caller has permission
    public static let text: BusText = "text"
}

/// Keys of `session` of `GetSession`.
public enum SessionKey {
    /// `t`: number of the session
    public static let session: BusText = "session"
    /// `s`: "idle", "starting", "listening", "paused", "interrupted"
    public static let state: BusText = "state"
    /// `as`: why it is interrupted, the latest last
    public static let reasons: BusText = "reasons"
    /// `s`: the evidence that the screen is locked: "locked-hint" (the session in logind), a screen saver's
    /// name on the session bus, as in SetScreenSavers, or "lock-signal" (logind was told to lock the
    /// session, and no lock screen has confirmed it since); absent while it is not locked
    public static let lockedBy: BusText = "locked-by"
    /// `u`: commits in progress
    public static let pending: BusText = "pending"
    /// `t`: number of the current block
    public static let block: BusText = "block"
    /// `s`: its text so far, finished segments first; empty if the caller or the session lacks permission
    public static let text: BusText = "text"
    /// `a(ts)`: the last finished blocks and their texts, at most 16, oldest first; empty if the caller or
    /// the session lacks permission
    public static let finals: BusText = "finals"
    /// `a{sv}`: the microphone in use, as in ListRoutes; absent while none is
    public static let route: BusText = "route"
    /// `t`: frames (at 16 kHz) lost while listening since Start. Never too few; on an overloaded machine
    /// it may be too many. Losses during a change of microphone are measured by the machine's
    /// clock, to about 40 ms
    public static let dropouts: BusText = "dropouts"
    /// `d`: seconds of audio since Start
    public static let duration: BusText = "duration"
    /// `d`: seconds by which recognition lags behind the audio
    public static let lag: BusText = "lag"
    /// `as`: what is wrong with the sound now, as in ProblemsChanged
    public static let problems: BusText = "problems"
    /// `s`: the language that is spoken, as a BCP 47 tag
    public static let language: BusText = "language"
    /// `s`: "plain" or "dictation", as in Start
    public static let formatting: BusText = "formatting"
    /// `b`: whether it outlives its connection
    public static let linger: BusText = "linger"
    /// `b`: whether the caller started it
    public static let owner: BusText = "owner"
    /// `a(ss)`: words of the session and their pronunciations, several for a word if they were made from
    /// its spelling; empty if the dictionary has the word; absent if there are none, or if the
    /// caller or the session lacks permission
    public static let vocabulary: BusText = "vocabulary"
}

/// Keys of `options` of `RequestPermission`.
public enum RequestPermissionOption {
    /// `b (true)`: false: reply at once with the present status; the decision comes as PermissionChanged
    public static let wait: BusText = "wait"
}

/// Keys of `routes` of `ListRoutes`.
public enum RouteKey {
    /// `s`: node.name of the PipeWire source: the key, stable over restarts
    public static let name: BusText = "name"
    /// `s`: for people
    public static let description: BusText = "description"
    /// `s`: "usb", "pci", "bluetooth", empty where unknown
    public static let bus: BusText = "bus"
    /// `s`: only of Bluetooth sources
    public static let bluetoothProfile: BusText = "bluetooth-profile"
    /// `b`: it is there now
    public static let available: BusText = "available"
    /// `b`: the system's default source
    public static let `default`: BusText = "default"
    /// `b`
    public static let muted: BusText = "muted"
    /// `b`: its volume is 0
    public static let noVolume: BusText = "no-volume"
    /// `b`: chosen with SelectRoute
    public static let selected: BusText = "selected"
    /// `b`: a session captures from it now
    public static let inUse: BusText = "in-use"
}

/// Keys of `details` of `Final`.
public enum FinalKey {
    /// `a(sddd)`: word, start and end in seconds since the block began, confidence 0 to 1, NaN if the
    /// engine gives none (NaN compares unequal to itself)
    public static let words: BusText = "words"
    /// `a(sdd)`: text, start and end of each segment, as the engine gave them
    public static let segments: BusText = "segments"
    /// `s`: all words as the engine recognised them, if the text is in written form, or if the setting
    /// "clean-up" leaves words out
    public static let spoken: BusText = "spoken"
    /// `s`: the text before the program of the setting "filter" changed it; absent if none did
    public static let unfiltered: BusText = "unfiltered"
    /// `s`: why that program did not change it, for people, in English
    public static let filterFailure: BusText = "filter-failure"
    /// `b`: true if the text is in written form and begins with a capital only because it begins the
    /// block: in the middle of a sentence a program makes the first letter small
    public static let initialCapital: BusText = "initial-capital"
    /// `a(sd)`: alternative texts and their score 0 to 1
    public static let alternatives: BusText = "alternatives"
    /// `d`: mean of the words' confidence
    public static let confidence: BusText = "confidence"
    /// `d`: seconds of audio in the block
    public static let duration: BusText = "duration"
    /// `s`: the engine of the text
    public static let engine: BusText = "engine"
    /// `u`: passages with the text of the preview, because that engine did not answer; absent if none
    public static let fallback: BusText = "fallback"
    /// `u`: stretches of sound without a voice, which have no text; absent if none
    public static let noise: BusText = "noise"
    /// `s`: the language that was heard last, as in Start, or as the engine names it
    public static let language: BusText = "language"
    /// `s`: the language of the model that the engine used, such as "en-US" where the language is "en-GB"
    public static let model: BusText = "model"
    /// `u`: how often it was interrupted
    public static let interruptions: BusText = "interruptions"
    /// `t`: frames (at 16 kHz) lost within it
    public static let dropouts: BusText = "dropouts"
    /// `b`: true if there was text that nobody gets, because the session is typed and a field for a
    /// password had the focus: text is empty
    public static let withheld: BusText = "withheld"
    /// `b`: true if no call committed it: auto-commit, a spoken command, the end of input or of the
    /// service, a session that was not used
    public static let auto: BusText = "auto"
    /// `as`: what was wrong with its sound, as in ProblemsChanged, and "segment-lost" if some of it could
    /// not be recognised; absent if nothing was
    public static let problems: BusText = "problems"
    /// `(dd)`: where the recording has the block: start and duration in seconds, as in SegmentRecorded.
    /// Absent if nothing is recorded, the recording has failed, or the engine was lost
    public static let recorded: BusText = "recorded"
}

/// Keys of `details` of `Interrupted`, and of `details` of `Resumed`, and of `details` of `StateChanged`.
public enum DetailKey {
    /// `as`: all that hold
    public static let reasons: BusText = "reasons"
    /// `d`: its seconds
    public static let duration: BusText = "duration"
    /// `as`: what was rebuilt: any of "audio-server" (the connection to it), "capture" (the stream) and
    /// "recogniser"
    public static let rebuilt: BusText = "rebuilt"
    /// `t`: frames (at 16 kHz) lost since it began
    public static let dropouts: BusText = "dropouts"
    /// `u`: commits in progress
    public static let pending: BusText = "pending"
}

/// Keys of `details` of `Stopped`.
public enum StoppedKey {
    /// `d`: seconds that the recording has; absent if Start asked for none. The last SegmentRecorded comes
    /// before Stopped, unless the session ended with its connection
    public static let recorded: BusText = "recorded"
}

/// Keys of `details` of `SegmentRecorded`.
public enum RecordingKey {
    /// `t`: number of the block that it belongs to; absent if "record" is a file
    public static let block: BusText = "block"
    /// `a(dds)`: where sound is missing although the recording goes on: the position in the file, and the length of
    /// the gap, both in seconds, and the reason: "paused", "route" (another microphone was opened), or
    /// a reason of interruption; at most 256
    public static let gaps: BusText = "gaps"
    /// `t`: its length in samples
    public static let frames: BusText = "frames"
    /// `u`: samples a second
    public static let rate: BusText = "rate"
}

/// Keys of the property `Engines`.
public enum EngineKey {
    /// `as`: as BCP 47 tags
    public static let languages: BusText = "languages"
    /// `b`
    public static let available: BusText = "available"
    /// `s`: why it is not available, and what to do
    public static let message: BusText = "message"
    /// `b`: false if audio is sent to another machine
    public static let local: BusText = "local"
    /// `s`: its program, if it is not the service itself
    public static let program: BusText = "program"
    /// `b`: whether it gives text during speech; if not, another engine does
    public static let live: BusText = "live"
    /// `d`: seconds of its last answer, if it is another process
    public static let answer: BusText = "answer"
    /// `b`: true for the engine of sessions whose Start names none. While it is not available, another engine
    /// of the list gives the text
    public static let preferred: BusText = "preferred"
}

/// Keys of `options` of `BeginField`.
public enum FieldOption {
    /// `b (true)`: spaces are added where the text needs them, before and after it
    public static let fit: BusText = "fit"
    /// `b (false)`: the first letter is fitted to the text before it: large at the start of a sentence, small for
    /// frequent English words in the middle of one
    public static let capitals: BusText = "capitals"
    /// `s`: the language of the text, a BCP 47 tag, for "capitals"
    public static let language: BusText = "language"
    /// `b (true)`: Show shows the text in the field
    public static let live: BusText = "live"
}

/// Keys of `details` of `BeginField`.
public enum FieldKey {
    /// `b`: whether the field can show text that is not inserted yet
    public static let live: BusText = "live"
    /// `b`: whether ReplaceLast works here at present
    public static let replace: BusText = "replace"
    /// `b`: whether it is a terminal
    public static let terminal: BusText = "terminal"
}

/// Keys of `details` of `Insert`, and of `details` of `Typed`, and of `details` of `Failed`.
public enum TypedKey {
    /// `b`: with "typed": whether the field has reported the text. Some applications report none
    public static let seen: BusText = "seen"
    /// `s`: for people, in English, if it was not typed; contains no text of the user
    public static let message: BusText = "message"
    /// `t`: names the text, among those of the session
    public static let number: BusText = "number"
    /// `s`: if it was not typed: "password" (text is empty, because it may be a password), "no-field", "left"
    /// (another field has the focus), "window" (it did not take it), "unfinished" (the dictation ended
    /// before), "restarted" (the service has failed since it began, and another window may have the focus)
    public static let why: BusText = "why"
    /// `b`: true if the text will not be typed any more, unless it was
    public static let last: BusText = "last"
}

/// Keys of `details` of `Began`.
public enum TypingKey {
    /// `s`: the field with the focus: "text", "secret" (nothing is typed there), or "none"
    public static let field: BusText = "field"
    /// `s`: what to do if it is not "text", for people, in English
    public static let message: BusText = "message"
}

/// Keys of `clients` of `List`.
public enum ClientKey {
    /// `s`
    public static let kind: BusText = "kind"
    /// `s`
    public static let id: BusText = "id"
    /// `s`: "not-determined", "granted", "denied" or "restricted" (by the administrator)
    public static let microphone: BusText = "microphone"
    /// `s`: the same
    public static let speech: BusText = "speech"
    /// `s`: the same
    public static let typing: BusText = "typing"
    /// `x`: the start of its last dictation, in seconds since 1970; absent if there was none
    public static let lastUsed: BusText = "last-used"
}

/// Keys of `decisions` of `Log`.
public enum DecisionKey {
    /// `x`: in seconds since 1970
    public static let time: BusText = "time"
    /// `s`
    public static let kind: BusText = "kind"
    /// `s`
    public static let id: BusText = "id"
    /// `s`
    public static let resource: BusText = "resource"
    /// `s`: the decision
    public static let status: BusText = "status"
    /// `s`: where: "agent" with its program, "portal", or "settings" with the program that
    /// called Set or Forget
    public static let prompter: BusText = "prompter"
}

/// Keys of `options` of `List`.
public enum HistoryOption {
    /// `u (50)`: at most so many, 1 to 200
    public static let limit: BusText = "limit"
    /// `t`: only those with a lower id: for the next page
    public static let before: BusText = "before"
    /// `b (false)`: from this call on the caller gets Changed
    public static let changes: BusText = "changes"
}

/// Keys of `options` of `Again`.
public enum AgainOption {
    /// `s`: as in Start
    public static let engine: BusText = "engine"
    /// `s`: as in Start
    public static let language: BusText = "language"
    /// `s`: as in Start
    public static let formatting: BusText = "formatting"
}

/// Keys of `capabilities` of `Register`.
public enum AgentCapability {
    /// Ask the user: RequestPermission, Cancel.
    public static let prompt: BusText = "prompt"
}

/// Keys of `options` of `Register`.
public enum AgentOption {
    /// `b (false)`: asked only if the desktop's own dialog fails
    public static let fallback: BusText = "fallback"
    /// `b (false)`: asked only about its own application
    public static let own: BusText = "own"
}
