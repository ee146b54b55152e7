// Written by packaging/generate from dbus/*.xml; change those instead.

/// What `resources` of `RequestPermission` may be. A newer service may say what this library does not know.
public struct Resource: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let microphone = Resource(rawValue: "microphone")
    public static let speech = Resource(rawValue: "speech")

    /// All that this library knows.
    public static let known: [Resource] = [.microphone, .speech]
}

/// What `problems` of `Final` may be. A newer service may say what this library does not know.
public struct SoundProblem: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let inputTooQuiet = SoundProblem(rawValue: "input-too-quiet")
    public static let clipping = SoundProblem(rawValue: "clipping")
    public static let inputSilent = SoundProblem(rawValue: "input-silent")
    public static let segmentLost = SoundProblem(rawValue: "segment-lost")

    /// All that this library knows.
    public static let known: [SoundProblem] = [.inputTooQuiet, .clipping, .inputSilent, .segmentLost]
}

/// What `reason` of `Interrupted` may be. A newer service may say what this library does not know.
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
    /// The permission was taken back.
    public static let permissionLost = InterruptionReason(rawValue: "permission-lost")
    /// The engine failed, or does not answer.
    public static let engineLost = InterruptionReason(rawValue: "engine-lost")
    /// The microphone is muted; only if configured.
    public static let sourceMuted = InterruptionReason(rawValue: "source-muted")

    /// All that this library knows.
    public static let known: [InterruptionReason] = [
        .call,
        .noSource,
        .audioServerLost,
        .suspend,
        .sessionLocked,
        .sessionInactive,
        .preempted,
        .permissionLost,
        .engineLost,
        .sourceMuted,
    ]
}

/// What `reason` of `RouteChanged` may be. A newer service may say what this library does not know.
public struct RouteChangeReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A microphone was plugged in that comes first.
    public static let newDevice = RouteChangeReason(rawValue: "new-device")
    /// The microphone in use is gone.
    public static let deviceRemoved = RouteChangeReason(rawValue: "device-removed")
    /// It is there, and refuses or delivers nothing.
    public static let deviceFailed = RouteChangeReason(rawValue: "device-failed")
    /// The system has another default.
    public static let defaultChanged = RouteChangeReason(rawValue: "default-changed")
    /// Another was chosen.
    public static let selected = RouteChangeReason(rawValue: "selected")
    /// A Bluetooth headset changed its profile.
    public static let profileChanged = RouteChangeReason(rawValue: "profile-changed")
    /// The audio server was restarted.
    public static let serverRestarted = RouteChangeReason(rawValue: "server-restarted")

    /// All that this library knows.
    public static let known: [RouteChangeReason] = [
        .newDevice,
        .deviceRemoved,
        .deviceFailed,
        .defaultChanged,
        .selected,
        .profileChanged,
        .serverRestarted,
    ]
}

/// What `state` of `StateChanged` may be. A newer service may say what this library does not know.
public struct SessionState: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let starting = SessionState(rawValue: "starting")
    public static let listening = SessionState(rawValue: "listening")
    public static let paused = SessionState(rawValue: "paused")
    public static let interrupted = SessionState(rawValue: "interrupted")
    public static let idle = SessionState(rawValue: "idle")

    /// All that this library knows.
    public static let known: [SessionState] = [.starting, .listening, .paused, .interrupted, .idle]
}

/// What `reason` of `Stopped` may be. A newer service may say what this library does not know.
public struct StopReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Stop or StopAll was called.
    public static let stopped = StopReason(rawValue: "stopped")
    /// The file or pipe has come to its end.
    public static let endOfInput = StopReason(rawValue: "end-of-input")
    /// Nobody used a lingering session.
    public static let abandoned = StopReason(rawValue: "abandoned")
    /// Its connection is gone, or did not read its signals; told to subscribers, and to an owner
    /// that reads again.
    public static let ownerVanished = StopReason(rawValue: "owner-vanished")
    /// The service ends.
    public static let shutdown = StopReason(rawValue: "shutdown")
    /// What the session asked for cannot be done: the Error before it says what to change, and a new
    /// Start is refused or fails in the same way until it is changed.
    public static let error = StopReason(rawValue: "error")

    /// All that this library knows.
    public static let known: [StopReason] = [
        .stopped, .endOfInput, .abandoned, .ownerVanished, .shutdown, .error,
    ]
}

/// What `microphone` of `List` may be. A newer service may say what this library does not know.
public struct PermissionStatus: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let notDetermined = PermissionStatus(rawValue: "not-determined")
    public static let granted = PermissionStatus(rawValue: "granted")
    public static let denied = PermissionStatus(rawValue: "denied")
    public static let restricted = PermissionStatus(rawValue: "restricted")

    /// All that this library knows.
    public static let known: [PermissionStatus] = [.notDetermined, .granted, .denied, .restricted]
}
