import DictationClient

// The interface's words in English.

extension InterruptionReason {
    /// A clause without a full stop.
    var phrase: String {
        switch self {
        case .call: "a call has the microphone"
        case .noSource: "there is no microphone"
        case .audioServerLost: "the sound server does not answer"
        case .suspend: "the computer is going to sleep"
        case .sessionLocked: "the screen is locked"
        case .sessionInactive: "another user is at the screen"
        case .preempted: "another application is dictating"
        case .permissionLost: "the permission was revoked"
        case .engineLost: "the speech engine failed"
        case .sourceMuted: "the microphone is muted"
        default: rawValue
        }
    }

    /// What ends it: a clause after "until".
    var remedy: String {
        switch self {
        case .call: "the call ends"
        case .noSource: "a microphone is plugged in"
        case .audioServerLost: "PipeWire is back"
        case .suspend: "the computer is awake"
        case .sessionLocked: "the screen is unlocked"
        case .sessionInactive: "this user is at the screen again"
        case .preempted: "it pauses or stops"
        case .permissionLost: "the permission is granted again"
        case .engineLost: "the engine works again"
        case .sourceMuted: "it is unmuted"
        default: "that is over"
        }
    }
}

extension [InterruptionReason] {
    /// `a call has the microphone, and the screen is locked; waiting until the call ends and the screen is unlocked`
    var sentence: String {
        guard !isEmpty else { return "waiting for the microphone" }
        return map(\.phrase).joined(separator: ", and ") + "; waiting until "
            + map(\.remedy).joined(separator: " and ")
    }
}

extension SessionState {
    var phrase: String {
        switch self {
        case .idle: "Idle"
        case .starting: "Starting"
        case .listening: "Listening"
        case .paused: "Paused"
        case .interrupted: "Interrupted"
        default: rawValue
        }
    }
}

extension StopReason {
    var phrase: String {
        switch self {
        case .stopped: "stopped"
        case .endOfInput: "the input has ended"
        case .abandoned: "the session was not used"
        case .ownerVanished: "the program that started it has ended"
        case .shutdown: "the service was shut down"
        case .error: "the request cannot be carried out"
        default: rawValue
        }
    }
}

extension RouteChangeReason {
    var phrase: String {
        switch self {
        case .newDevice: "it was plugged in"
        case .deviceRemoved: "the other was removed"
        case .deviceFailed: "the other does not work"
        case .defaultChanged: "the system's default changed"
        case .selected: "it was selected"
        case .profileChanged: "its profile changed"
        case .serverRestarted: "the sound server was restarted"
        default: rawValue
        }
    }
}
