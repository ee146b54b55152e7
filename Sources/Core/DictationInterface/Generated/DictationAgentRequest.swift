// Written by packaging/generate from dbus/org.example.Dictation.Agent.xml; change that instead.

public import DBus
public import EventLoop

/// A call of a method of org.example.Dictation.Agent, with checked arguments.
public enum DictationAgentRequest: Hashable, Sendable {
    /// Asks the user whether an application may have what it asks for, and replies when the user
    /// has decided. After an error another prompter is asked.
    /// `cookie`: names the question, for Cancel. Cannot be guessed.
    /// `client`: the application, as identified by the service
    ///   kind s, id s    as in org.example.Dictation.Permissions; kind may be "unknown"
    /// `resources`: "microphone", "speech", "typing".
    /// `details`:
    ///   title s, subtitle s, body s    the text to show; safe to show unchanged
    /// `decision`: "allow", "deny", "allow-once" (for the connection that asks, or its lingering session), or empty if
    /// the user did not decide.
    case requestPermission(
        cookie: UInt64, client: [BusText: Value], resources: [BusText], details: [BusText: Value])

    /// The question is withdrawn; its reply is ignored. Reply to it anyway, with an empty decision: the bus
    /// allows few calls without a reply, and the service makes no more calls to a user's agents than that.
    case cancel(cookie: UInt64)

    /// A new connection to the user's PipeWire, made by the agent and restricted to capturing and
    /// reading the graph, with nothing sent since. Called again after each loss of the connection. An error means that
    /// there is none now; register again when there is.
    /// `remote`: a connected socket.
    case openPipeWireRemote

    /// Identifies the application of a process of the user. The service holds the process meanwhile, so that
    /// its number is not reused.
    /// `pid`: as the bus reports it.
    /// `options`: none yet.
    /// `client`: kind and id, as in org.example.Dictation.Permissions; kind may be "unknown".
    case identify(pid: UInt32, options: [BusText: Value])

    /// The present state of dictation, for controlling media players and for an indicator. Players are
    /// paused when it begins to listen, and resumed when no session wants to listen and nothing else requires silence.
    /// When the agent is released or the service ends, all are false and the state is "idle".
    /// `activity`:
    ///   listening b    sound flows to a session that pauses players
    ///   wanted b       such a session wants to listen: it listens or is interrupted
    ///   quiet b        a call, sleep or the lock screen
    ///   state s        of the user's sessions, as the property State
    ///   in-use b       the microphone is in use, as the property InUse
    case followDictation(activity: [BusText: Value])

    /// A new connection to one of the user's speech engines, with nothing sent yet. Called once for each
    /// passage that the engine recognises. The agent connects to the address in the user's configuration, and checks
    /// that the server is the user's own or root's. An error means that the engine cannot be used now.
    /// `name`: as in SetEngines.
    /// `connection`: a connected stream socket.
    case openEngine(name: BusText)

    /// Whether the user may make files in a folder. Makes nothing. Called before a recording begins; an
    /// error refuses it.
    /// `folder`: that the user's application gave to Start.
    case checkRecordingFolder(folder: Descriptor)

    /// Makes a file of a recording, because the service may not make files in a user's folder: a new one,
    /// empty or with the 44 bytes of a WAV header, readable by the user only, never through a link. Called once for each
    /// file. An error ends the recording.
    /// `folder`: that the user's application gave to Start.
    /// `prefix`: of the name: "dictation-", then up to 32 digits and hyphens. Refuse others.
    /// `number`: of the file in the recording, from 1.
    /// `name`: of the file: the prefix, "-", the number with at least four digits, if the name was taken "-2" to "-9", and
    /// ".wav".
    /// `file`: open for writing.
    case openRecording(folder: Descriptor, prefix: BusText, number: UInt64)

    /// Removes a file of a cancelled block. A file that has changed, or another one that has the name now,
    /// stays: that is no error.
    /// `folder`: as in OpenRecording.
    /// `name`: as OpenRecording gave it. Refuse names that it does not give.
    /// `inode`, `size`, `modified`: of the file; the time of its last change in nanoseconds since 1970.
    case removeRecording(folder: Descriptor, name: BusText, inode: UInt64, size: UInt64, modified: Int64)

    /// The agent is no longer registered. Either the service ends, or the agent did not reply to a call within
    /// 5 s: then no reply is expected, and it may register again, after a second at first and then with increasing
    /// delays.
    case release

    /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationAgentInterface.name,
            let method = DictationAgentMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body())
    }

    public init(_ method: DictationAgentMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .requestPermission:
            let (cookie, client, resources, details) = try body.decoded(
                as: UInt64.self, [BusText: Value].self, [BusText].self, [BusText: Value].self)
            self = .requestPermission(cookie: cookie, client: client, resources: resources, details: details)
        case .cancel:
            let cookie = try body.decoded(as: UInt64.self)
            self = .cancel(cookie: cookie)
        case .openPipeWireRemote:
            self = .openPipeWireRemote
        case .identify:
            let (pid, options) = try body.decoded(as: UInt32.self, [BusText: Value].self)
            self = .identify(pid: pid, options: options)
        case .followDictation:
            let activity = try body.decoded(as: [BusText: Value].self)
            self = .followDictation(activity: activity)
        case .openEngine:
            let name = try body.decoded(as: BusText.self)
            self = .openEngine(name: name)
        case .checkRecordingFolder:
            let folder = try body.decoded(as: Descriptor.self)
            self = .checkRecordingFolder(folder: folder)
        case .openRecording:
            let (folder, prefix, number) = try body.decoded(as: Descriptor.self, BusText.self, UInt64.self)
            self = .openRecording(folder: folder, prefix: prefix, number: number)
        case .removeRecording:
            let (folder, name, inode, size, modified) = try body.decoded(
                as: Descriptor.self, BusText.self, UInt64.self, UInt64.self, Int64.self)
            self = .removeRecording(folder: folder, name: name, inode: inode, size: size, modified: modified)
        case .release:
            self = .release
        }
    }

    public var method: DictationAgentMethod {
        switch self {
        case .requestPermission: .requestPermission
        case .cancel: .cancel
        case .openPipeWireRemote: .openPipeWireRemote
        case .identify: .identify
        case .followDictation: .followDictation
        case .openEngine: .openEngine
        case .checkRecordingFolder: .checkRecordingFolder
        case .openRecording: .openRecording
        case .removeRecording: .removeRecording
        case .release: .release
        }
    }
}

/// A reply of a method of org.example.Dictation.Agent.
public enum DictationAgentReply: Hashable, Sendable {
    case requestPermission(decision: String)

    case openPipeWireRemote(remote: Descriptor)

    case identify(client: [BusText: Value])

    case openEngine(connection: Descriptor)

    case openRecording(name: String, file: Descriptor)

    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .requestPermission(let decision): [Value(decision)]
        case .openPipeWireRemote(let remote): [Value(remote)]
        case .identify(let client): [Value(client)]
        case .openEngine(let connection): [Value(connection)]
        case .openRecording(let name, let file): [Value(name), Value(file)]
        case .done: []
        }
    }
}
