// Written by packaging/generate from dbus/*.xml; change those instead.

/// Values of `resources` of `RequestPermission`, and of `resource` of `Set`. A newer service may send others.
public struct Resource: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let microphone = Resource(rawValue: "microphone")
    public static let speech = Resource(rawValue: "speech")
    public static let typing = Resource(rawValue: "typing")

    /// All values that this library knows.
    public static let known: [Resource] = [.microphone, .speech, .typing]
}

/// Values of `reason` of `Interrupted`. A newer service may send others.
public struct InterruptionReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Another program has a call.
    public static let call = InterruptionReason(rawValue: "call")
    /// There is no microphone.
    public static let noSource = InterruptionReason(rawValue: "no-source")
    /// PipeWire cannot be reached.
    public static let audioServerLost = InterruptionReason(rawValue: "audio-server-lost")
    /// The computer is about to sleep.
    public static let suspend = InterruptionReason(rawValue: "suspend")
    /// The screen is locked.
    public static let sessionLocked = InterruptionReason(rawValue: "session-locked")
    /// Another user's session is at the screen.
    public static let sessionInactive = InterruptionReason(rawValue: "session-inactive")
    /// Another session has the microphone.
    public static let preempted = InterruptionReason(rawValue: "preempted")
    /// The permission was revoked.
    public static let permissionLost = InterruptionReason(rawValue: "permission-lost")
    /// The engine failed, or does not answer.
    public static let engineLost = InterruptionReason(rawValue: "engine-lost")
    /// The microphone is muted; only if configured.
    public static let sourceMuted = InterruptionReason(rawValue: "source-muted")

    /// All values that this library knows.
    public static let known: [InterruptionReason] = [
        .call, .noSource, .audioServerLost, .suspend, .sessionLocked, .sessionInactive, .preempted,
        .permissionLost, .engineLost, .sourceMuted,
    ]
}

/// Values of `reason` of `RouteChanged`. A newer service may send others.
public struct RouteChangeReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A microphone with a higher priority was plugged in.
    public static let newDevice = RouteChangeReason(rawValue: "new-device")
    /// The microphone in use is gone.
    public static let deviceRemoved = RouteChangeReason(rawValue: "device-removed")
    /// The microphone in use fails or delivers nothing.
    public static let deviceFailed = RouteChangeReason(rawValue: "device-failed")
    /// The system has another default.
    public static let defaultChanged = RouteChangeReason(rawValue: "default-changed")
    /// Another was chosen.
    public static let selected = RouteChangeReason(rawValue: "selected")
    /// A Bluetooth headset changed its profile.
    public static let profileChanged = RouteChangeReason(rawValue: "profile-changed")
    /// The audio server was restarted.
    public static let serverRestarted = RouteChangeReason(rawValue: "server-restarted")

    /// All values that this library knows.
    public static let known: [RouteChangeReason] = [
        .newDevice, .deviceRemoved, .deviceFailed, .defaultChanged, .selected, .profileChanged,
        .serverRestarted,
    ]
}

/// Values of `problems` of `ProblemsChanged`. A newer service may send others.
public struct SoundProblem: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The microphone is muted; unless that interrupts.
    public static let muted = SoundProblem(rawValue: "muted")
    /// The volume of the microphone is 0.
    public static let noVolume = SoundProblem(rawValue: "no-volume")
    /// All samples are zero, or noise of one bit: the microphone has a switch that is off, or none is
    /// plugged in. After there was sound this comes after 5 s, because noise suppression makes the
    /// pauses of speech silent, and not while text of what was said is still to come.
    public static let inputSilent = SoundProblem(rawValue: "input-silent")
    /// The speech is quieter than -54 dBFS.
    public static let inputTooQuiet = SoundProblem(rawValue: "input-too-quiet")
    /// The sound is at full scale, and distorted.
    public static let clipping = SoundProblem(rawValue: "clipping")
    /// The channels cancel each other, as those of a balanced cable in a stereo socket do; one of
    /// them is used.
    public static let antiphase = SoundProblem(rawValue: "antiphase")
    /// Only in Final.
    public static let segmentLost = SoundProblem(rawValue: "segment-lost")

    /// All values that this library knows.
    public static let known: [SoundProblem] = [
        .muted, .noVolume, .inputSilent, .inputTooQuiet, .clipping, .antiphase, .segmentLost,
    ]
}

/// Values of `state` of `StateChanged`. A newer service may send others.
public struct SessionState: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let starting = SessionState(rawValue: "starting")
    public static let listening = SessionState(rawValue: "listening")
    public static let paused = SessionState(rawValue: "paused")
    public static let interrupted = SessionState(rawValue: "interrupted")
    public static let idle = SessionState(rawValue: "idle")

    /// All values that this library knows.
    public static let known: [SessionState] = [.starting, .listening, .paused, .interrupted, .idle]
}

/// Values of `reason` of `Stopped`. A newer service may send others.
public struct StopReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Stop or StopAll was called.
    public static let stopped = StopReason(rawValue: "stopped")
    /// The file or pipe has come to its end.
    public static let endOfInput = StopReason(rawValue: "end-of-input")
    /// A lingering session, or one that was restored, was not used.
    public static let abandoned = StopReason(rawValue: "abandoned")
    /// Its connection has ended, or did not read its signals; sent to subscribers, and to an
    /// owner that reads again.
    public static let ownerVanished = StopReason(rawValue: "owner-vanished")
    /// The service ends. What was shown is committed before that.
    public static let shutdown = StopReason(rawValue: "shutdown")
    /// The session's request cannot be carried out: the Error before it says what to change, and
    /// a new Start is refused or fails in the same way until it is changed.
    public static let error = StopReason(rawValue: "error")

    /// All values that this library knows.
    public static let known: [StopReason] = [
        .stopped, .endOfInput, .abandoned, .ownerVanished, .shutdown, .error,
    ]
}

/// Values of `outcome` of `Insert`, and of `outcome` of `Typed`. A newer service may send others.
public struct TypedOutcome: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It was typed.
    public static let typed = TypedOutcome(rawValue: "typed")
    /// It may have been typed or not, because the focus moved or the connection to the desktop was lost at
    /// that moment.
    public static let doubtful = TypedOutcome(rawValue: "doubtful")
    /// It was not typed: the field is private by now, or its window does not take it.
    public static let refused = TypedOutcome(rawValue: "refused")
    /// It was not typed, because another field has the focus: of a text of more than 3000 bytes the
    /// beginning may have been. It is not typed later. The field stays the caller's.
    public static let moved = TypedOutcome(rawValue: "moved")
    /// The user took it back.
    public static let retracted = TypedOutcome(rawValue: "retracted")

    /// All values that this library knows.
    public static let known: [TypedOutcome] = [.typed, .doubtful, .refused, .moved, .retracted]
}

/// Values of `reason` of `Released`. A newer service may send others.
public struct FieldReleaseReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It did not call for 60 s.
    public static let idle = FieldReleaseReason(rawValue: "idle")
    /// Another program began with another field.
    public static let replaced = FieldReleaseReason(rawValue: "replaced")
    /// The user dictates into windows.
    public static let userDictates = FieldReleaseReason(rawValue: "user-dictates")
    /// The user or the administrator no longer allows it.
    public static let permissionLost = FieldReleaseReason(rawValue: "permission-lost")
    /// The connection to the desktop was lost.
    public static let routeLost = FieldReleaseReason(rawValue: "route-lost")
    /// The service ends.
    public static let shutdown = FieldReleaseReason(rawValue: "shutdown")

    /// All values that this library knows.
    public static let known: [FieldReleaseReason] = [
        .idle, .replaced, .userDictates, .permissionLost, .routeLost, .shutdown,
    ]
}

/// Values of `microphone` of `List`. A newer service may send others.
public struct PermissionStatus: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let notDetermined = PermissionStatus(rawValue: "not-determined")
    public static let granted = PermissionStatus(rawValue: "granted")
    public static let denied = PermissionStatus(rawValue: "denied")
    public static let restricted = PermissionStatus(rawValue: "restricted")

    /// All values that this library knows.
    public static let known: [PermissionStatus] = [.notDetermined, .granted, .denied, .restricted]
}

/// Errors of the service and of this library. A newer service may send others.
public struct DictationErrorCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The user or the administrator denied permission.
    public static let permissionDenied = DictationErrorCode(rawValue: "PermissionDenied")
    /// The user has not been asked yet: call RequestPermission.
    public static let permissionRequired = DictationErrorCode(rawValue: "PermissionRequired")
    /// There is no session for this call to act on.
    public static let notRunning = DictationErrorCode(rawValue: "NotRunning")
    /// This connection has a session, or its control group a lingering one; the message names
    /// the connection that started it. Or another session types into windows.
    public static let alreadyRunning = DictationErrorCode(rawValue: "AlreadyRunning")
    /// There is no such microphone.
    public static let noSource = DictationErrorCode(rawValue: "NoSource")
    /// The microphone cannot be used.
    public static let routeChangeFailed = DictationErrorCode(rawValue: "RouteChangeFailed")
    /// PipeWire cannot be reached.
    public static let audioServerUnavailable = DictationErrorCode(rawValue: "AudioServerUnavailable")
    /// The engine or its model is not installed; the message says what to install.
    public static let engineUnavailable = DictationErrorCode(rawValue: "EngineUnavailable")
    /// The engine failed on the audio.
    public static let engineFailed = DictationErrorCode(rawValue: "EngineFailed")
    /// The file given as "input" is not audio that can be read.
    public static let unsupportedFormat = DictationErrorCode(rawValue: "UnsupportedFormat")
    /// No model for this language.
    public static let unsupportedLanguage = DictationErrorCode(rawValue: "UnsupportedLanguage")
    /// Too many sessions or requests at the same time, of the caller's application or of its user.
    public static let limitExceeded = DictationErrorCode(rawValue: "LimitExceeded")
    /// A file cannot be written; the message says why.
    public static let fileWrite = DictationErrorCode(rawValue: "FileWrite")
    /// It took too long.
    public static let timeout = DictationErrorCode(rawValue: "Timeout")
    /// The session ended before the call could be answered.
    public static let cancelled = DictationErrorCode(rawValue: "Cancelled")
    /// No text field has the focus.
    public static let noField = DictationErrorCode(rawValue: "NoField")
    /// The field with the focus is for a password or otherwise private.
    public static let secretField = DictationErrorCode(rawValue: "SecretField")
}
