/// Why a session that wants to listen is interrupted.
public enum Reason: String, Hashable, Sendable, CaseIterable {
    case call
    case noSource = "no-source"
    case audioServerLost = "audio-server-lost"
    case suspend
    case sessionLocked = "session-locked"
    case sessionInactive = "session-inactive"
    case preempted
    case permissionLost = "permission-lost"
    case engineLost = "engine-lost"
    case sourceMuted = "source-muted"
}

/// The state of a session's capture.
public enum SessionState: String, Hashable, Sendable, CaseIterable {
    case idle, starting, listening, paused, interrupted
}

/// Why the microphone in use changed.
public enum RouteChangeReason: String, Hashable, Sendable, CaseIterable {
    case newDevice = "new-device"
    case deviceRemoved = "device-removed"
    /// The microphone is present but could not be opened or delivered nothing.
    case deviceFailed = "device-failed"
    case defaultChanged = "default-changed"
    case selected
    case profileChanged = "profile-changed"
    case serverRestarted = "server-restarted"
}

/// Why a session ended.
public enum StopReason: String, Hashable, Sendable, CaseIterable {
    case stopped
    case endOfInput = "end-of-input"
    /// A lingering session was unused for ``Settings/idleStop``.
    case abandoned
    case ownerVanished = "owner-vanished"
    case shutdown
    /// The client's request cannot be fulfilled. The Error before it says what to change.
    case error
}
