import DictationClient
import Localization

// The interface's words in English.

extension InterruptionReason {
    /// A clause without a full stop.
    var phrase: String {
        switch self {
        case .call: translated("a call has the microphone")
        case .noSource: translated("there is no microphone")
        case .audioServerLost: translated("the sound server does not answer")
        case .suspend: translated("the computer is going to sleep")
        case .sessionLocked: translated("the screen is locked")
        case .sessionInactive: translated("another user is at the screen")
        case .preempted: translated("another application is dictating")
        case .permissionLost: translated("the permission was revoked")
        case .engineLost: translated("the speech engine failed")
        case .sourceMuted: translated("the microphone is muted")
        default: rawValue
        }
    }

    /// What ends it: a clause after "until".
    var remedy: String {
        switch self {
        case .call: translated("the call ends")
        case .noSource: translated("a microphone is plugged in")
        case .audioServerLost: translated("PipeWire is back")
        case .suspend: translated("the computer is awake")
        case .sessionLocked: translated("the screen is unlocked")
        case .sessionInactive: translated("this user is at the screen again")
        case .preempted: translated("it pauses or stops")
        case .permissionLost: translated("the permission is granted again")
        case .engineLost: translated("the engine works again")
        case .sourceMuted: translated("it is unmuted")
        default: translated("that is over")
        }
    }
}

extension [InterruptionReason] {
    /// `a call has the microphone, and the screen is locked; waiting until the call ends and the screen is unlocked`
    var sentence: String {
        guard !isEmpty else { return translated("waiting for the microphone") }
        let reasons = map(\.phrase).joined(separator: translated(", and "))
        let remedies = map(\.remedy).joined(separator: translated(" and "))
        return translated("\(reasons); waiting until \(remedies)")
    }
}

extension SessionState {
    var phrase: String {
        switch self {
        case .idle: translated("Idle")
        case .starting: translated("Starting")
        case .listening: translated("Listening")
        case .paused: translated("Paused")
        case .interrupted: translated("Interrupted")
        default: rawValue
        }
    }
}

extension StopReason {
    var phrase: String {
        switch self {
        case .stopped: translated("stopped")
        case .endOfInput: translated("the input has ended")
        case .abandoned: translated("the session was not used")
        case .ownerVanished: translated("the program that started it has ended")
        case .shutdown: translated("the service was shut down")
        case .error: translated("the request cannot be carried out")
        default: rawValue
        }
    }
}

extension RouteChangeReason {
    var phrase: String {
        switch self {
        case .newDevice: translated("it was plugged in")
        case .deviceRemoved: translated("the other was removed")
        case .deviceFailed: translated("the other does not work")
        case .defaultChanged: translated("the system's default changed")
        case .selected: translated("it was selected")
        case .profileChanged: translated("its profile changed")
        case .serverRestarted: translated("the sound server was restarted")
        default: rawValue
        }
    }
}
