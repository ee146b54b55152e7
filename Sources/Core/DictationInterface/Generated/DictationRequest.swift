// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation, with checked arguments.
public enum DictationRequest: Hashable, Sendable {
    /// Begins to listen. Replies at once, before any signal of the session; if a reason holds, Interrupted
    /// follows. Capture begins before the model is loaded; speech meanwhile is recognised.
    /// `options`:
    ///   linger b (false)          the session outlives this connection; refused with AccessDenied for an unidentified
    ///                             caller, because no other program could stop the session
    ///   broadcast b (false)       signals without destination, for programs that cannot subscribe; only where
    ///                             the bus belongs to one user; InvalidArgs elsewhere. Every program on that bus can
    ///                             read the text.
    ///   input h                   instead of the microphone: a WAV or raw (S16 mono 16 kHz) file or pipe, opened
    ///                             by the caller. Recognised as fast as possible, committed at its end and
    ///                             stopped with reason "end-of-input". No microphone, no interruption but
    ///                             "permission-lost" and "engine-lost".
    ///   language s (configured)   one of the property Languages; "auto": the user's own languages, of the setting "language",
    ///                             among which the engine detects the spoken one
    ///   languages as              up to 8 of them: an engine that detects the language detects it among these. "language",
    ///                             if given, is the preferred one, else the first is. Engines that detect none use that
    ///   engine s (configured)     one of the property Engines
    ///   grammar s                 a JSGF grammar: only sentences of its first public rule are recognised. At most 64 KiB,
    ///                             20,000 states with its rules put in place, 10,000 transitions; imports are refused.
    ///                             InvalidArgs names line and column, as of a word that is not in the dictionary
    ///   vocabulary as or a(ss)    words to recognise, at most 1000, each with an optional pronunciation: in the model's
    ///                             phones ("K UW B ER N EH T IY Z"), or by words in lower case that sound like it
    ///                             ("cooper netties"). Empty takes it from the dictionary, else makes some from the
    ///                             spelling; GetSession returns them. InvalidArgs names a word without a possible
    ///                             pronunciation. The first word that needs one takes seconds, because the spelling
    ///                             rules are learned then
    ///   partials b (true)         whether Partial is sent
    ///   levels b or s (false)     whether Level is sent; "waveform": with minima and maxima
    ///   auto-commit u (0)         commit automatically after so many milliseconds of silence after speech, 200 to
    ///                             60000; 0 never; anything else is InvalidArgs. Not for "input", which is faster than
    ///                             real time
    ///   route s                   node.name of the microphone for this session; empty follows SelectRoute, then the
    ///                             configuration, then the default
    ///   playback s (configured)   "pause": media players are paused when listening begins, and resumed when no session
    ///                             wants to listen any more; "mix": they are left alone
    ///   speech-seconds u (20)     the maximum length of a segment of speech, 5 to 60: speech without a pause is cut there
    ///   record h                  records the sound of the microphone. Either an empty regular file that the caller opened
    ///                             for writing, without O_APPEND: it gets the whole recording. Or a folder, which gets a
    ///                             file for each segment of the recording: new files, readable by the user only, beneath
    ///                             the folder and never through links. A folder is only for callers outside a
    ///                             sandbox. WAV, 16 bit, mono. The files can be read at every moment, also after a crash; a
    ///                             second at most is missing then. Not with "input"
    ///   quality s (low)           of the recording: "low" is the sound that is recognised, at 16 kHz; "medium" has
    ///                             22.05 kHz, "high" 44.1 kHz. A microphone that has less itself, as a Bluetooth headset,
    ///                             gives no more
    ///   segment-seconds u (30)    the maximum length of a file in the folder given as "record", 5 to 3600. A file ends with
    ///                             its block, too
    ///   keep-cancelled b (false)  whether Cancel keeps what the block recorded
    ///   formatting s (configured)    "plain": the words as the engine gives them; "dictation": text as people write it,
    ///                             with spoken marks, capitals, numbers, dates and money: see dictation-speech(7)
    ///   commands b (false)        with "dictation": the caller can delete text, so "scratch that" and similar commands
    ///                             take text back (Retracted) instead of being text
    ///   type b (false)            type the text into the windows of the desktop session, as dictation-cli-type(1) does: see
    ///                             org.example.Dictation.Typing, whose signals report what became of each text. Needs
    ///                             the permission "typing" too. One session types at a time. With "type-clipboard" the
    ///                             desktop may ask the user first, so allow 90 s for the reply
    ///   type-live b (true)        words appear in the field while they are spoken
    ///   type-keyboard b (false)   keys where no input method works, and all fields of IBus that do not report whether they
    ///                             are for passwords. Password fields are not noticed then
    ///   type-clipboard b (false)  pasting where nothing else works. Password fields are not noticed then
    ///   display a{ss}             where the windows are: variables, see org.example.Dictation.Typing
    ///   phrases as                with "dictation": phrases that are signalled by Command if nothing else is said
    ///                             between two pauses; at most 256, of 255 bytes each
    ///   application s             the desktop id of the application into whose window the caller types, as
    ///                             "org.gnome.TextEditor": the user's settings for "app:" and this id count for the session.
    ///                             Callers in a sandbox have those of their own application. With "type" the default
    ///                             is the application whose field has the focus, if the desktop reports it
    ///   history b                 whether the history keeps the session's texts, if the user has one: see
    ///                             org.example.Dictation.History. By default those of programs outside a sandbox are kept
    ///   filter b (true)           whether the program of the setting "filter", if the user has one, gets the session's texts
    /// None of these changes what the administrator has configured.
    /// With "input" the reply comes when the file has been checked, after at most 10 s.
    /// `session`: number of the session, unique while the service runs.
    /// Errors: PermissionDenied, PermissionRequired, AlreadyRunning, EngineUnavailable, UnsupportedLanguage,
    /// UnsupportedFormat, LimitExceeded, AccessDenied (linger, record), Timeout (the file system of "input" or "record" does
    /// not answer), FileWrite ("record" cannot be written), org.freedesktop.DBus.Error.NotSupported (record; type, if
    /// no display is known);
    /// InvalidArgs for a grammar, vocabulary, phrases or "record" that cannot be used.
    case start(options: [BusText: Value])

    /// Stops listening; the block is kept. Audio so far is still recognised. Legal in every state of
    /// a session, and idempotent. After a pause during an interruption the session stays paused when the reasons end.
    /// Errors: NotRunning.
    case pause

    /// Listens again, in the same block. Legal in every state of a session, and idempotent. While a reason
    /// holds, the session is interrupted instead and resumes when the reasons end. The caller needs permission
    /// of its own, also for the lingering session of another program.
    /// Errors: NotRunning, PermissionDenied, PermissionRequired.
    case resume

    /// Finishes the current block; the next begins at once, and listening continues. Legal in every state of
    /// a session; several may be in progress and are answered in order. Final is sent before the reply. A block
    /// without speech has an empty text; that is no error. The caller needs permission of its own, as for Resume. A
    /// client should allow 60 s for the reply, more than the 25 s that GDBus and others wait by default. If the session
    /// loses its permission meanwhile, the call is refused, and Final comes when the permission returns.
    /// `block`: number of the block that was finished.
    /// `text`: its text.
    /// `details`: as in Final.
    /// Errors: NotRunning, Cancelled, PermissionDenied, PermissionRequired, EngineFailed, Timeout.
    case commit

    /// Discards the current block; there is no Final for it. The next begins at once. Commits in progress
    /// continue. What the block recorded is removed, including files that SegmentRecorded has reported, unless Start was
    /// called with "keep-cancelled".
    /// `block`: number of the block that was discarded.
    /// Errors: NotRunning.
    case cancel

    /// Ends the session. The microphone closes at once; commits in progress are finished first, then Stopped
    /// is sent and the call answered. Text that is not committed is discarded. A client should allow 60 s for the reply:
    /// the 25 s that GDBus and others wait by default may be too short. A call is carried out even if its caller no
    /// longer waits for the reply.
    /// Errors: NotRunning.
    case stop

    /// Ends every session of the caller's user, of all applications and connections. For an indicator's switch
    /// and for command lines. The microphones are closed when the reply comes. Commits in progress are finished after
    /// it, then Stopped is sent for each session. Callers in a sandbox and unidentified
    /// callers are refused with AccessDenied.
    /// `options`: none yet.
    /// `count`: how many sessions this call ends; those that were ending already are not counted.
    /// Errors: AccessDenied.
    case stopAll(options: [BusText: Value])

    /// This connection also receives StateChanged, Interrupted, Resumed, RouteChanged, ProblemsChanged, Error and
    /// Stopped of its user's sessions, and changes of the properties. For indicators and for programs that control a lingering
    /// session. Calling again replaces the subscription.
    /// `options`:
    ///   text b (false)    also Partial, Final and Level of the session that this connection may control, while the
    ///                     caller has permission
    /// Errors: PermissionDenied and PermissionRequired, only with text; LimitExceeded if 16 connections of the
    /// application or 64 of the user have subscribed.
    case subscribe(options: [BusText: Value])

    /// The state of the session. Without a session, it contains only state "idle"; that is not an error.
    /// `session`:
    ///   session t        number of the session
    ///   state s          "idle", "starting", "listening", "paused", "interrupted"
    ///   reasons as       why it is interrupted, the latest last
    ///   locked-by s      the evidence that the screen is locked: "locked-hint" (the session in logind), a screen saver's
    ///                    name on the session bus, as in SetScreenSavers, or "lock-signal" (logind was told to lock the
    ///                    session, and no lock screen has confirmed it since); absent while it is not locked
    ///   pending u        commits in progress
    ///   block t          number of the current block
    ///   text s           its text so far, finished segments first; empty if the caller or the session lacks permission
    ///   finals a(ts)     the last finished blocks and their texts, at most 16, oldest first; empty if the caller or
    ///                    the session lacks permission
    ///   route a{sv}      the microphone in use, as in ListRoutes; absent while none is
    ///   dropouts t       frames (at 16 kHz) lost while listening since Start. Never too few; on an overloaded machine
    ///                    it may be too many. Losses during a change of microphone are measured by the machine's
    ///                    clock, to about 40 ms
    ///   duration d       seconds of audio since Start
    ///   lag d            seconds by which recognition lags behind the audio
    ///   problems as      what is wrong with the sound now, as in ProblemsChanged
    ///   language s       the language that is spoken, as a BCP 47 tag
    ///   formatting s     "plain" or "dictation", as in Start
    ///   linger b         whether it outlives its connection
    ///   owner b          whether the caller started it
    ///   vocabulary a(ss)  words of the session and their pronunciations, several for a word if they were made from
    ///                     its spelling; empty if the dictionary has the word; absent if there are none, or if the
    ///                     caller or the session lacks permission
    case getSession

    /// Asks the user, once, and replies when the user has decided. Allow 90 s for the reply, more
    /// than the 25 s that GDBus and others wait by default.
    /// A second request of the same application joins the first. If it asks for more, the user is asked about the rest
    /// after allowing the first.
    /// `resources`: any of "microphone", "speech" and "typing".
    /// `options`:
    ///   wait b (true)    false: reply at once with the present status; the decision comes as PermissionChanged
    /// `status`: each resource that was asked for and its status, as in CheckPermission. Still "not-determined" if the
    /// user has dismissed the question or did not answer within 60 s. Then nothing is stored, and the application is not
    /// asked about again for 2 s; after the next dismissed question for 10 s, then a minute, then ten.
    /// Errors: InvalidArgs; LimitExceeded (16 questions are pending, or 4 about unidentified callers); FileWrite;
    /// Cancelled if the service ends; PermissionDenied if the user denies permission to an unidentified caller, which
    /// is not stored.
    case requestPermission(resources: [BusText], options: [BusText: Value])

    /// The caller's permissions, without asking the user.
    /// `status`: "microphone", "speech" and "typing", each "not-determined", "granted", "denied" or "restricted" (by the
    /// administrator).
    /// `ready`: "microphone" and "speech" are granted.
    case checkPermission

    /// The available microphones, and chosen ones that are disconnected now.
    /// `routes`: for each
    ///   name s                 node.name of the PipeWire source: the key, stable over restarts
    ///   description s          for people
    ///   bus s                  "usb", "pci", "bluetooth", empty where unknown
    ///   bluetooth-profile s    only of Bluetooth sources
    ///   available b            it is there now
    ///   default b              the system's default source
    ///   muted b
    ///   no-volume b            its volume is 0
    ///   selected b             chosen with SelectRoute
    ///   in-use b               a session captures from it now
    case listRoutes

    /// Chooses the microphone for all sessions of the caller's user, until it is called again: the choice
    /// is on the disk when the reply comes. While the chosen one is disconnected, the default is used. Only for
    /// programs that may dictate. Callers in a sandbox and unidentified callers are refused with AccessDenied; they
    /// choose for their own session, with the option "route" of Start.
    /// `name`: node.name of a source seen before; empty follows the default.
    /// Errors: NoSource if no microphone of this name has been seen; AccessDenied; PermissionDenied;
    /// PermissionRequired; FileWrite if the choice cannot be stored: then it holds until the service ends.
    case selectRoute(name: BusText, options: [BusText: Value])

    /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationInterface.name,
            let method = DictationMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body())
    }

    public init(_ method: DictationMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .start:
            let options = try body.decoded(as: [BusText: Value].self)
            self = .start(options: options)
        case .pause:
            self = .pause
        case .resume:
            self = .resume
        case .commit:
            self = .commit
        case .cancel:
            self = .cancel
        case .stop:
            self = .stop
        case .stopAll:
            let options = try body.decoded(as: [BusText: Value].self)
            self = .stopAll(options: options)
        case .subscribe:
            let options = try body.decoded(as: [BusText: Value].self)
            self = .subscribe(options: options)
        case .getSession:
            self = .getSession
        case .requestPermission:
            let (resources, options) = try body.decoded(as: [BusText].self, [BusText: Value].self)
            self = .requestPermission(resources: resources, options: options)
        case .checkPermission:
            self = .checkPermission
        case .listRoutes:
            self = .listRoutes
        case .selectRoute:
            let (name, options) = try body.decoded(as: BusText.self, [BusText: Value].self)
            self = .selectRoute(name: name, options: options)
        }
    }

    public var method: DictationMethod {
        switch self {
        case .start: .start
        case .pause: .pause
        case .resume: .resume
        case .commit: .commit
        case .cancel: .cancel
        case .stop: .stop
        case .stopAll: .stopAll
        case .subscribe: .subscribe
        case .getSession: .getSession
        case .requestPermission: .requestPermission
        case .checkPermission: .checkPermission
        case .listRoutes: .listRoutes
        case .selectRoute: .selectRoute
        }
    }
}

/// A reply of a method of org.example.Dictation.
public enum DictationReply: Hashable, Sendable {
    case start(session: UInt64)

    case commit(block: UInt64, text: String, details: [BusText: Value])

    case cancel(block: UInt64)

    case stopAll(count: UInt32)

    case getSession(session: [BusText: Value])

    case requestPermission(status: [BusText: String])

    case checkPermission(status: [BusText: String], ready: Bool)

    case listRoutes(routes: [[BusText: Value]])

    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .start(let session): [Value(session)]
        case .commit(let block, let text, let details): [Value(block), Value(text), Value(details)]
        case .cancel(let block): [Value(block)]
        case .stopAll(let count): [Value(count)]
        case .getSession(let session): [Value(session)]
        case .requestPermission(let status): [Value(status)]
        case .checkPermission(let status, let ready): [Value(status), Value(ready)]
        case .listRoutes(let routes): [Value(routes)]
        case .done: []
        }
    }
}
