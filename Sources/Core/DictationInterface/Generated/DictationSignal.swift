// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// A signal of org.example.Dictation.
public enum DictationSignal: Hashable, Sendable {
    /// The text of the current block grew.
    /// `session`: number of the session.
    /// `block`: number of the block.
    /// `offset`: the position of `stable`, in Unicode scalars from the beginning of the block. Python's strings count
    /// these. JavaScript, Qt and Java count UTF-16 units, of which a scalar above U+FFFF takes two; in JavaScript the
    /// text is then [...text].slice(0, offset).join('') + stable, in Qt the index is
    /// QString::fromUcs4(text.toUcs4().constData(), offset).size().
    /// `stable`: what became final since the last Partial; it never changes later, but the user may take it back: see
    /// Retracted.
    /// `volatile`: what follows it and may still change; it replaces the volatile text before.
    /// `details`:
    ///   settled u      Unicode scalars at the beginning of `volatile` that will hardly change: a program can show the rest
    ///                  in another way. Absent if 0
    ///   language s     the language that the engine heard last, as in Start, or as the engine names it; absent if it
    ///                  does not say
    case partial(
        session: UInt64, block: UInt64, offset: UInt64, stable: String, volatile: String,
        details: [BusText: Value])

    /// The user took text back, with "scratch that" or a similar command. Only if Start asked for commands.
    /// Later offsets count from the new end; the volatile text stays. The block's text is now, in Python,
    /// text[:offset]; in JavaScript [...text].slice(0, offset).join(''). A program that typed the text deletes the
    /// last `scalars` of it, if they are still before the cursor:
    ///
    ///   I like tea. I like coffee               Partial 1 0 "I like tea. I like coffee"
    ///   (the user says "scratch that")          Retracted 1 11 14
    ///   I like tea. I like milk                 Partial 1 11 " I like milk"
    ///
    /// While the session has no permission this signal waits. It is sent when the permission returns, before any other
    /// text.
    ///
    /// `session`: number of the session.
    /// `block`: number of the block; that of an earlier finished block, if the current one has no text. GetSession has its
    /// text in "finals".
    /// `offset`: the new end of the block's text, in Unicode scalars from its beginning.
    /// `scalars`: how many scalars were taken back.
    case retracted(session: UInt64, block: UInt64, offset: UInt64, scalars: UInt64, details: [BusText: Value])

    /// The user said one of the phrases that Start named; it is not text. Comes after the text before it.
    /// `session`: number of the session.
    /// `phrase`: as Start named it.
    case command(session: UInt64, phrase: String, details: [BusText: Value])

    /// A block was committed.
    /// `text`: all of its text.
    /// `details`: the engine's details; missing ones are absent.
    ///   words a(sddd)        word, start and end in seconds since the block began, confidence 0 to 1, NaN if the
    ///                        engine gives none (NaN compares unequal to itself)
    ///   segments a(sdd)      text, start and end of each segment, as the engine gave them
    ///   spoken s             all words as the engine recognised them, if the text is in written form, or if the setting
    ///                        "clean-up" leaves words out
    ///   unfiltered s         the text before the program of the setting "filter" changed it; absent if none did
    ///   filter-failure s     why that program did not change it, for people, in English
    ///   initial-capital b    true if the text is in written form and begins with a capital only because it begins the
    ///                        block: in the middle of a sentence a program makes the first letter small
    ///   alternatives a(sd)   alternative texts and their score 0 to 1
    ///   confidence d         mean of the words' confidence
    ///   duration d           seconds of audio in the block
    ///   engine s             the engine of the text
    ///   fallback u           passages with the text of the preview, because that engine did not answer; absent if none
    ///   noise u              stretches of sound without a voice, which have no text; absent if none
    ///   language s           the language that was heard last, as in Start, or as the engine names it
    ///   model s              the language of the model that the engine used, such as "en-US" where the language is "en-GB"
    ///   interruptions u      how often it was interrupted
    ///   dropouts t           frames (at 16 kHz) lost within it
    ///   withheld b           true if there was text that nobody gets, because the session is typed and a field for a
    ///                        password had the focus: `text` is empty
    ///   auto b               true if no call committed it: auto-commit, a spoken command, the end of input or of the
    ///                        service, a session that was not used
    ///   problems as          what was wrong with its sound, as in ProblemsChanged, and "segment-lost" if some of it could
    ///                        not be recognised; absent if nothing was
    ///   recorded (dd)        where the recording has the block: start and duration in seconds, as in SegmentRecorded.
    ///                        Absent if nothing is recorded, the recording has failed, or the engine was lost
    case final(session: UInt64, block: UInt64, text: String, details: [BusText: Value])

    /// The microphone was closed although the session wants to listen.
    /// `reason`: why.
    ///   "call"                 another program has a call
    ///   "no-source"            there is no microphone
    ///   "audio-server-lost"    PipeWire cannot be reached
    ///   "suspend"              the computer is about to sleep
    ///   "session-locked"       the screen is locked
    ///   "session-inactive"     another user's session is at the screen
    ///   "preempted"            another session has the microphone
    ///   "permission-lost"      the permission was revoked
    ///   "engine-lost"          the engine failed, or does not answer
    ///   "source-muted"         the microphone is muted; only if configured
    /// `details`:
    ///   reasons as     all that hold
    case interrupted(session: UInt64, reason: String, details: [BusText: Value])

    /// The interruption is over and sound flows again.
    /// `reason`: the reason that ended last.
    /// `details`:
    ///   reasons as     all that held during it
    ///   duration d     its seconds
    ///   rebuilt as     what was rebuilt: any of "audio-server" (the connection to it), "capture" (the stream) and
    ///                  "recogniser"
    ///   dropouts t     frames (at 16 kHz) lost since it began
    case resumed(session: UInt64, reason: String, details: [BusText: Value])

    /// Another microphone is in use.
    /// `reason`: why.
    ///   "new-device"          a microphone with a higher priority was plugged in
    ///   "device-removed"      the microphone in use is gone
    ///   "device-failed"       the microphone in use fails or delivers nothing
    ///   "default-changed"     the system has another default
    ///   "selected"            another was chosen
    ///   "profile-changed"     a Bluetooth headset changed its profile
    ///   "server-restarted"    the audio server was restarted
    /// `previous`, `current`: as in ListRoutes; empty if there was or is none.
    case routeChanged(
        session: UInt64, reason: String, previous: [BusText: Value], current: [BusText: Value],
        details: [BusText: Value])

    /// Something is wrong with the sound of a session, or no longer. Comes within 2 s while the session
    /// listens. The session goes on. When it stops listening, nothing is wrong any more; Stopped ends all of them too.
    /// `problems`: all that is wrong now; empty if nothing is.
    ///   "muted"              the microphone is muted; unless that interrupts
    ///   "no-volume"          the volume of the microphone is 0
    ///   "input-silent"       all samples are zero, or noise of one bit: the microphone has a switch that is off, or none is
    ///                        plugged in. After there was sound this comes after 5 s, because noise suppression makes the
    ///                        pauses of speech silent, and not while text of what was said is still to come
    ///   "input-too-quiet"    the speech is quieter than -54 dBFS
    ///   "clipping"           the sound is at full scale, and distorted
    ///   "antiphase"          the channels cancel each other, as those of a balanced cable in a stereo socket do; one of
    ///                        them is used
    ///   "segment-lost"       only in Final
    case problemsChanged(session: UInt64, problems: [String], details: [BusText: Value])

    /// The state of a session, or its set of reasons, or its commits in progress changed.
    /// `state`: "starting", "listening", "paused", "interrupted"; "idle" without a session, only in GetSession and the
    /// property State.
    /// `reason`: why: "started", "paused", "resumed", "flowing", "route" (another microphone is
    /// being opened), "committed", "idle" (unused), "resume-limit" (interrupted for too long to resume automatically),
    /// "stopped" (commits are being finished), "service-restarted" (after a crash), a reason of interruption.
    /// `details`:
    ///   reasons as     all that hold
    ///   pending u      commits in progress
    case stateChanged(session: UInt64, state: String, reason: String, details: [BusText: Value])

    /// The session has ended. Its last signal.
    /// `reason`: why.
    ///   "stopped"           Stop or StopAll was called
    ///   "end-of-input"      the file or pipe has come to its end
    ///   "abandoned"         a lingering session, or one that was restored, was not used
    ///   "owner-vanished"    its connection has ended, or did not read its signals; sent to subscribers, and to an
    ///                       owner that reads again
    ///   "shutdown"          the service ends. What was shown is committed before that
    ///   "error"             the session's request cannot be carried out: the Error before it says what to change, and
    ///                       a new Start is refused or fails in the same way until it is changed
    /// `details`:
    ///   recorded d     seconds that the recording has; absent if Start asked for none. The last SegmentRecorded comes
    ///                  before Stopped, unless the session ended with its connection
    case stopped(session: UInt64, reason: String, details: [BusText: Value])

    /// Something failed, and the session continues.
    /// `session`: number of the session; 0 for an error of the connection without a session.
    /// `name`: an error name, as in the list above.
    /// `message`: for people, in English; contains no dictated text.
    case error(session: UInt64, name: String, message: String, details: [BusText: Value])

    /// A file of the recording is finished and will not grow. Cancel may remove it.
    /// `name`: of the file in the folder given as "record"; empty if that is a file.
    /// `start`: its position in the recording, in seconds: the length of the files before it. Pauses, interruptions and what
    /// Cancel removed take no time in the recording.
    /// `duration`: its length in seconds.
    /// `details`:
    ///   block t          number of the block that it belongs to; absent if "record" is a file
    ///   gaps a(dds)      where sound is missing although the recording goes on: the position in the file, and the length of
    ///                    the gap, both in seconds, and the reason: "paused", "route" (another microphone was opened), or
    ///                    a reason of interruption; at most 256
    ///   frames t         its length in samples
    ///   rate u           samples a second
    case segmentRecorded(
        session: UInt64, name: String, start: Double, duration: Double, details: [BusText: Value])

    /// The microphone's level, at most 20 times a second, only if Start asked for it.
    /// `rms_dbfs`, `peak_dbfs`: decibels below full scale, -120 to 0. The root mean square of a full-scale sine is -3.01.
    /// `details`:
    ///   waveform a(dd)    the minimum and the maximum, -1 to 1, of each tenth of the 50 ms; only with levels "waveform"
    case level(session: UInt64, rmsDbfs: Double, peakDbfs: Double, details: [BusText: Value])

    /// The permission of the receiver's application has changed. `resource` and `status` as in CheckPermission.
    case permissionChanged(resource: String, status: String, details: [BusText: Value])

    /// Nil if `message` is not a signal of this interface, or has other arguments.
    public init?(_ message: Message) {
        guard message.kind == .signal, message.interface == DictationInterface.name,
            let member = message.member, let signal = try? Self(member, message.body)
        else { return nil }
        self = signal
    }

    public init(_ member: MemberName, _ body: [Value]) throws(DBusError) {
        switch member.rawValue {
        case "Partial":
            let (session, block, offset, stable, volatile, details) = try body.decoded(
                as: UInt64.self, UInt64.self, UInt64.self, String.self, String.self, [BusText: Value].self)
            self = .partial(
                session: session, block: block, offset: offset, stable: stable, volatile: volatile,
                details: details)
        case "Retracted":
            let (session, block, offset, scalars, details) = try body.decoded(
                as: UInt64.self, UInt64.self, UInt64.self, UInt64.self, [BusText: Value].self)
            self = .retracted(
                session: session, block: block, offset: offset, scalars: scalars, details: details)
        case "Command":
            let (session, phrase, details) = try body.decoded(
                as: UInt64.self, String.self, [BusText: Value].self)
            self = .command(session: session, phrase: phrase, details: details)
        case "Final":
            let (session, block, text, details) = try body.decoded(
                as: UInt64.self, UInt64.self, String.self, [BusText: Value].self)
            self = .final(session: session, block: block, text: text, details: details)
        case "Interrupted":
            let (session, reason, details) = try body.decoded(
                as: UInt64.self, String.self, [BusText: Value].self)
            self = .interrupted(session: session, reason: reason, details: details)
        case "Resumed":
            let (session, reason, details) = try body.decoded(
                as: UInt64.self, String.self, [BusText: Value].self)
            self = .resumed(session: session, reason: reason, details: details)
        case "RouteChanged":
            let (session, reason, previous, current, details) = try body.decoded(
                as: UInt64.self, String.self, [BusText: Value].self, [BusText: Value].self,
                [BusText: Value].self)
            self = .routeChanged(
                session: session, reason: reason, previous: previous, current: current, details: details)
        case "ProblemsChanged":
            let (session, problems, details) = try body.decoded(
                as: UInt64.self, [String].self, [BusText: Value].self)
            self = .problemsChanged(session: session, problems: problems, details: details)
        case "StateChanged":
            let (session, state, reason, details) = try body.decoded(
                as: UInt64.self, String.self, String.self, [BusText: Value].self)
            self = .stateChanged(session: session, state: state, reason: reason, details: details)
        case "Stopped":
            let (session, reason, details) = try body.decoded(
                as: UInt64.self, String.self, [BusText: Value].self)
            self = .stopped(session: session, reason: reason, details: details)
        case "Error":
            let (session, name, message, details) = try body.decoded(
                as: UInt64.self, String.self, String.self, [BusText: Value].self)
            self = .error(session: session, name: name, message: message, details: details)
        case "SegmentRecorded":
            let (session, name, start, duration, details) = try body.decoded(
                as: UInt64.self, String.self, Double.self, Double.self, [BusText: Value].self)
            self = .segmentRecorded(
                session: session, name: name, start: start, duration: duration, details: details)
        case "Level":
            let (session, rmsDbfs, peakDbfs, details) = try body.decoded(
                as: UInt64.self, Double.self, Double.self, [BusText: Value].self)
            self = .level(session: session, rmsDbfs: rmsDbfs, peakDbfs: peakDbfs, details: details)
        case "PermissionChanged":
            let (resource, status, details) = try body.decoded(
                as: String.self, String.self, [BusText: Value].self)
            self = .permissionChanged(resource: resource, status: status, details: details)
        default: throw DBusError(.notSupported, "There is no signal \(member).")
        }
    }

    public var member: MemberName {
        switch self {
        case .partial: "Partial"
        case .retracted: "Retracted"
        case .command: "Command"
        case .final: "Final"
        case .interrupted: "Interrupted"
        case .resumed: "Resumed"
        case .routeChanged: "RouteChanged"
        case .problemsChanged: "ProblemsChanged"
        case .stateChanged: "StateChanged"
        case .stopped: "Stopped"
        case .error: "Error"
        case .segmentRecorded: "SegmentRecorded"
        case .level: "Level"
        case .permissionChanged: "PermissionChanged"
        }
    }

    /// The arguments, encoded.
    public var body: [Value] {
        switch self {
        case .partial(let session, let block, let offset, let stable, let volatile, let details):
            [Value(session), Value(block), Value(offset), Value(stable), Value(volatile), Value(details)]
        case .retracted(let session, let block, let offset, let scalars, let details):
            [Value(session), Value(block), Value(offset), Value(scalars), Value(details)]
        case .command(let session, let phrase, let details): [Value(session), Value(phrase), Value(details)]
        case .final(let session, let block, let text, let details):
            [Value(session), Value(block), Value(text), Value(details)]
        case .interrupted(let session, let reason, let details):
            [Value(session), Value(reason), Value(details)]
        case .resumed(let session, let reason, let details): [Value(session), Value(reason), Value(details)]
        case .routeChanged(let session, let reason, let previous, let current, let details):
            [Value(session), Value(reason), Value(previous), Value(current), Value(details)]
        case .problemsChanged(let session, let problems, let details):
            [Value(session), Value(problems), Value(details)]
        case .stateChanged(let session, let state, let reason, let details):
            [Value(session), Value(state), Value(reason), Value(details)]
        case .stopped(let session, let reason, let details): [Value(session), Value(reason), Value(details)]
        case .error(let session, let name, let message, let details):
            [Value(session), Value(name), Value(message), Value(details)]
        case .segmentRecorded(let session, let name, let start, let duration, let details):
            [Value(session), Value(name), Value(start), Value(duration), Value(details)]
        case .level(let session, let rmsDbfs, let peakDbfs, let details):
            [Value(session), Value(rmsDbfs), Value(peakDbfs), Value(details)]
        case .permissionChanged(let resource, let status, let details):
            [Value(resource), Value(status), Value(details)]
        }
    }
}
