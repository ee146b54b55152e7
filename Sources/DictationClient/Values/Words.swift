// The words of the interface. They are open: a newer service may say words that this library does not know yet.

/// What a session's capture does.
public struct SessionState: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no session.
    public static let idle = SessionState(rawValue: "idle")
    public static let starting = SessionState(rawValue: "starting")
    public static let listening = SessionState(rawValue: "listening")
    public static let paused = SessionState(rawValue: "paused")
    public static let interrupted = SessionState(rawValue: "interrupted")
}

/// Why a session that wants to listen does not.
public struct InterruptionReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let call = InterruptionReason(rawValue: "call")
    public static let noSource = InterruptionReason(rawValue: "no-source")
    public static let audioServerLost = InterruptionReason(rawValue: "audio-server-lost")
    public static let suspend = InterruptionReason(rawValue: "suspend")
    public static let sessionLocked = InterruptionReason(rawValue: "session-locked")
    public static let sessionInactive = InterruptionReason(rawValue: "session-inactive")
    public static let preempted = InterruptionReason(rawValue: "preempted")
    public static let permissionLost = InterruptionReason(rawValue: "permission-lost")
    public static let engineLost = InterruptionReason(rawValue: "engine-lost")
    public static let sourceMuted = InterruptionReason(rawValue: "source-muted")
}

/// Why the microphone in use is another one.
public struct RouteChangeReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let newDevice = RouteChangeReason(rawValue: "new-device")
    public static let deviceRemoved = RouteChangeReason(rawValue: "device-removed")
    public static let deviceFailed = RouteChangeReason(rawValue: "device-failed")
    public static let defaultChanged = RouteChangeReason(rawValue: "default-changed")
    public static let selected = RouteChangeReason(rawValue: "selected")
    public static let profileChanged = RouteChangeReason(rawValue: "profile-changed")
    public static let serverRestarted = RouteChangeReason(rawValue: "server-restarted")
}

/// Why a session ended.
public struct StopReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let stopped = StopReason(rawValue: "stopped")
    public static let endOfInput = StopReason(rawValue: "end-of-input")
    /// A lingering session that nobody used.
    public static let abandoned = StopReason(rawValue: "abandoned")
    public static let ownerVanished = StopReason(rawValue: "owner-vanished")
    public static let shutdown = StopReason(rawValue: "shutdown")
    /// What the session asked for cannot be done; the error before it says what to change.
    public static let error = StopReason(rawValue: "error")
}

/// What was wrong with the sound of a block.
public struct SoundProblem: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let inputTooQuiet = SoundProblem(rawValue: "input-too-quiet")
    public static let clipping = SoundProblem(rawValue: "clipping")
    public static let inputSilent = SoundProblem(rawValue: "input-silent")
    public static let segmentLost = SoundProblem(rawValue: "segment-lost")
}

/// What a permission is for.
public struct Resource: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let microphone = Resource(rawValue: "microphone")
    public static let speech = Resource(rawValue: "speech")
}

/// What was decided about a ``Resource``.
public struct PermissionStatus: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let notDetermined = PermissionStatus(rawValue: "not-determined")
    public static let granted = PermissionStatus(rawValue: "granted")
    public static let denied = PermissionStatus(rawValue: "denied")
    /// Denied by the administrator; asking does not help.
    public static let restricted = PermissionStatus(rawValue: "restricted")
}
