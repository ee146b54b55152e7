import DictationClient
import Localization

extension DictationEvent {
    /// A line for people about the event; nil for text and frequent events. Contains no dictated text.
    var notice: String? {
        switch self {
        // Problems of the sound were said while they lasted.
        case .final(let final):
            final.filterNotice ?? final.problems.filter { $0 == .segmentLost }.notice
        case .problemsChanged(let problems): problems.notice
        case .partial, .retracted, .command, .level, .stateChanged, .segmentRecorded: nil
        case .interrupted(let reason, let all):
            translated("Interrupted: \((all.isEmpty ? [reason] : all).sentence).")
        case .resumed: translated("Listening again.")
        case .routeChanged(let reason, _, let current?):
            translated("The microphone is now \(current.title): \(reason.phrase).")
        case .routeChanged(_, _, nil): translated("There is no microphone now.")
        case .stopped(.stopped), .stopped(.endOfInput): nil
        case .stopped(let reason): translated("The session ended: \(reason.phrase).")
        case .failed(let error): "\(error)"
        case .permissionChanged(let resource, let status):
            translated("The permission for \(resource.rawValue) is now \(status.rawValue).")
        case .restored:
            translated(
                "The dictation service has failed and was restarted. The text is kept; up to a second of sound is missing."
            )
        case .serviceVanished: translated("The dictation service has ended.")
        case .serviceAppeared: translated("The dictation service is running again.")
        }
    }
}

extension Final {
    /// Why the user's program did not change the text.
    var filterNotice: String? {
        filterFailure.map { translated("The filter has failed, and the text is unchanged: \($0).") }
    }
}

extension [SoundProblem] {
    /// What is wrong with the sound of a text, and what helps; nil if nothing is.
    var notice: String? {
        let phrases = compactMap { problem -> String? in
            switch problem {
            case .inputTooQuiet:
                translated(
                    "The speech is very quiet, and words may be missing. Speak closer to the microphone, or raise its volume."
                )
            case .muted: translated("The microphone is muted.")
            case .noVolume:
                translated("The volume of the microphone is 0: raise it in the settings of the sound.")
            case .antiphase:
                translated(
                    "The channels of the microphone cancel each other, and one is used. A balanced cable needs a mono socket."
                )
            case .clipping:
                translated("The sound is too loud and distorted. Lower the volume of the microphone.")
            case .inputSilent:
                translated(
                    "There is no sound at all: the microphone may be muted, switched off or unplugged.")
            case .segmentLost: translated("Some speech could not be recognised.")
            default: nil
            }
        }
        return phrases.isEmpty ? nil : phrases.joined(separator: " ")
    }
}
