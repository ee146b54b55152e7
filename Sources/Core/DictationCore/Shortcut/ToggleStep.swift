/// The effect of a toggle key on a session, for `dictation-cli toggle` and for the desktop's shortcut.
public enum ToggleStep: Hashable, Sendable {
    /// Start a session that outlives the program. If another program has started one first, ``finish`` it instead.
    case start
    case resume
    /// Close the microphone, then commit.
    case finish

    /// - Parameter state: from GetSession.
    public init(inState state: String) {
        switch SessionState(rawValue: state) {
        case .idle: self = .start
        case .paused: self = .resume
        // Assume that an unknown state of a newer service is an active one.
        case .starting, .listening, .interrupted, nil: self = .finish
        }
    }
}
