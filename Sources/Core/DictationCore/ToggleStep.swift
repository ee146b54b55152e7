/// What one key does to a session: that of `dictation-cli toggle` and of the desktop's shortcut.
public enum ToggleStep: Hashable, Sendable {
    /// Start a session that outlives the program. Where another program starts one first, ``finish`` instead.
    case start
    case resume
    /// Close the microphone, then commit.
    case finish

    /// - Parameter state: the word that GetSession gives.
    public init(inState state: String) {
        switch SessionState(rawValue: state) {
        case .idle: self = .start
        case .paused: self = .resume
        // A state that a newer service may add has an open microphone or wants one.
        case .starting, .listening, .interrupted, nil: self = .finish
        }
    }
}
