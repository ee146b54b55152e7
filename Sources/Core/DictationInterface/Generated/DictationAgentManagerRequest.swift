// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation.AgentManager, with checked arguments.
public enum DictationAgentManagerRequest: Hashable, Sendable {
    /// From now on the service may call org.example.Dictation.Agent at the caller's connection, until the
    /// connection goes away. Registering the same path again replaces what it registered.
    /// `path`: where the agent's object is.
    /// `capabilities`: what it can do. At least one.
    ///   "prompt"        ask the user: RequestPermission, Cancel
    ///   "microphone"    lend the microphone: OpenPipeWireRemote; system bus only. An agent that can prompt as well
    ///                   asks by the desktop's own dialog, after those that can only prompt.
    ///   "identify"      identify a client: Identify; system bus only
    ///   "playback"      control media players: FollowDictation; system bus only
    ///   "lock"          say whether a screen saver covers the screen: SetScreenSavers; system bus only
    ///   "engine"        lend connections to the user's own speech engines: SetEngines, OpenEngine; system bus only
    ///   "words"         send the user's own words: SetWords; system bus only
    ///   "settings"      send other settings of the user: SetSettings; system bus only
    ///   "recordings"    make the files of recordings in folders: CheckRecordingFolder, OpenRecording,
    ///                   RemoveRecording; system bus only
    /// `options`:
    ///   fallback b (false)    asked only if the desktop's own dialog fails
    ///   own b (false)         asked only about its own application
    /// Errors: AccessDenied; InvalidArgs; LimitExceeded.
    case register(path: ObjectPath, capabilities: [BusText], options: [BusText: Value])

    /// Ends the registration. A question that the agent has not answered goes to the next agent.
    /// Errors: AccessDenied; NotRunning if nothing is registered there.
    case unregister(path: ObjectPath)

    /// The present state of the screen savers in the agent's session; replaces the last one. The agent
    /// that registered last for "lock" counts.
    /// `path`: of the agent.
    /// `active`: each running screen saver, and whether it covers the screen: "org.gnome.ScreenSaver",
    /// "org.freedesktop.ScreenSaver", "org.kde.screensaver", "org.cinnamon.ScreenSaver", "org.mate.ScreenSaver",
    /// "org.xfce.ScreenSaver". Other names are ignored.
    /// Errors: AccessDenied; NotRunning if no agent is registered there.
    case setScreenSavers(path: ObjectPath, active: [BusText: Bool])

    /// The speech engines in the configuration of the agent's user; replaces the last ones. The agent that
    /// registered last for "engine" counts. Engines of the administrator's configuration come first. If that sets
    /// "engines" or "engine", the argument of the same meaning is ignored.
    /// `path`: of the agent.
    /// `preference`: names of engines in order of preference, for sessions whose Start names none; at most 16. If it is
    /// empty, the service chooses.
    /// `engines`: names and details; at most 16. A name has 1 to 32 lower-case letters, digits and hyphens. Names of the
    /// service's own engines are refused.
    ///   local b (true)          sound stays on this machine; an engine on another machine needs
    ///                           "allow-remote-engines" in the administrator's configuration
    ///   wait b (false)          text waits for the engine; otherwise the preview's text is used while the engine does
    ///                           not answer
    ///   punctuates b (true)     the engine writes capitals and punctuation
    /// Errors: AccessDenied; InvalidArgs; NotRunning if no agent is registered there.
    case setEngines(path: ObjectPath, preference: [BusText], engines: [BusText: [BusText: Value]])

    /// The user's own words, from "words" in the user's dictation.conf(5), which the service cannot read.
    /// Replaces the last ones, for sessions that start later. The agent that registered last for "words" counts.
    /// `path`: of the agent.
    /// `words`: at most 1000, the most important first.
    /// `sounds`: for each word, what it sounds like: words in lower case, or phones. If it is empty, the pronunciation is
    /// made from the spelling. Words and sounds have at most 64 KiB together.
    /// Errors: AccessDenied; NotRunning if no agent is registered there; InvalidArgs, which names the word.
    case setWords(path: ObjectPath, words: [BusText], sounds: [BusText])

    /// Other settings of the user's dictation.conf(5). Replaces the last ones, which are kept while the agent
    /// restarts. The agent that registered last for "settings" counts. The administrator's settings take precedence. What a
    /// session has got with Start does not change; other settings apply at once. An agent sends them right after Register: in
    /// the first seconds of the service, callers wait for them.
    /// `path`: of the agent.
    /// `settings`: keys of dictation.conf(5). A missing one has its default, or the administrator's value. Others are ignored.
    ///   language s              the default language, a BCP 47 tag; as: several, among which it is detected
    ///   route s                 node.name of the microphone
    ///   prefer-bluetooth b      prefer a Bluetooth microphone
    ///   pause-playback b        pause media players
    ///   auto-commit u           milliseconds of silence
    ///   speech-seconds u        the maximum length of a segment
    ///   formatting s            "plain" or "dictation"
    ///   replacements a(sss)     at most 1000: the applications, by a pattern as in "permissions.allow", or an empty
    ///                           string for all; what is said; and what is written. At most 32 patterns of 128 bytes,
    ///                           and 128 KiB
    ///   idle-pause u            seconds
    ///   idle-stop u             seconds
    ///   interrupting as         reasons
    ///   resume-within a{su}     seconds by reason
    ///   calls.roles as          at most 64, of at most 64 bytes; other strings have at most 255
    ///   calls.applications as   likewise
    ///   calls.ignored as        likewise
    /// Errors: AccessDenied; NotRunning if no agent is registered there; InvalidArgs, which names the setting.
    case setSettings(path: ObjectPath, settings: [BusText: Value])

    /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationAgentManagerInterface.name,
            let method = DictationAgentManagerMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body())
    }

    public init(_ method: DictationAgentManagerMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .register:
            let (path, capabilities, options) = try body.decoded(
                as: ObjectPath.self, [BusText].self, [BusText: Value].self)
            self = .register(path: path, capabilities: capabilities, options: options)
        case .unregister:
            let path = try body.decoded(as: ObjectPath.self)
            self = .unregister(path: path)
        case .setScreenSavers:
            let (path, active) = try body.decoded(as: ObjectPath.self, [BusText: Bool].self)
            self = .setScreenSavers(path: path, active: active)
        case .setEngines:
            let (path, preference, engines) = try body.decoded(
                as: ObjectPath.self, [BusText].self, [BusText: [BusText: Value]].self)
            self = .setEngines(path: path, preference: preference, engines: engines)
        case .setWords:
            let (path, words, sounds) = try body.decoded(as: ObjectPath.self, [BusText].self, [BusText].self)
            self = .setWords(path: path, words: words, sounds: sounds)
        case .setSettings:
            let (path, settings) = try body.decoded(as: ObjectPath.self, [BusText: Value].self)
            self = .setSettings(path: path, settings: settings)
        }
    }

    public var method: DictationAgentManagerMethod {
        switch self {
        case .register: .register
        case .unregister: .unregister
        case .setScreenSavers: .setScreenSavers
        case .setEngines: .setEngines
        case .setWords: .setWords
        case .setSettings: .setSettings
        }
    }
}

/// A reply of a method of org.example.Dictation.AgentManager.
public enum DictationAgentManagerReply: Hashable, Sendable {
    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .done: []
        }
    }
}
