import DBus
import DictationBus
import DictationCore
import DictationInterface

/// A signal about dictation in the queue of a connection.
enum Notice: QueuedSignal {
    case session(SessionSignal, SessionID)
    /// What became of text in windows.
    case typing(DictationTypingSignal)
    /// PropertiesChanged of the bus object.
    case properties([BusText: Value])
    /// Changed of the history.
    case history

    /// Signals of which the newest replaces the earlier ones.
    enum Kind: Hashable, Sendable {
        case partial(SessionID)
        case level(SessionID)
        case state(SessionID)
        case problems(SessionID)
        case properties
        case history
    }

    var kind: Kind? {
        switch self {
        case .session(.partial, let session): .partial(session)
        case .session(.level, let session): .level(session)
        case .session(.problemsChanged, let session): .problems(session)
        // "paused" may end an interruption, which must be signalled.
        case .session(.stateChanged(let state, _, _, _), let session) where state != .paused: .state(session)
        case .properties: .properties
        case .history: .history
        case .session, .typing: nil
        }
    }

    /// A retraction refers to the text of the partials before it. StateChanged keeps its place relative to the
    /// beginning and the end of an interruption.
    var separated: Separated<Kind> {
        switch self {
        case .session(.stateChanged(.paused, _, _, _), let session), .session(.interrupted, let session),
            .session(.resumed, let session):
            .kind(.state(session))
        case .session(.retracted, let session), .session(.command, let session): .kind(.partial(session))
        case .session, .typing, .properties, .history: .none
        }
    }

    var size: Int {
        switch self {
        case .session(let signal, _): signal.size
        case .typing(.typed(_, _, _, let text, _)): 512 + text.utf8.count
        case .typing: 1024
        // The list of engines is the longest value.
        case .properties: 4096
        case .history: 256
        }
    }

    func merged(with earlier: Notice) -> Notice {
        switch (earlier, self) {
        case (
            .session(.partial(let earlierBlock, let offset, let stable, _), _),
            .session(.partial(let block, _, let addition, let volatile), let session)
        ) where earlierBlock == block:
            // The stable text of a block is sent without gaps.
            .session(
                .partial(block, offset: offset, stable: stable + addition, volatile: volatile), session)
        case (.properties(let earlier), .properties(let later)):
            .properties(earlier.merging(later) { $1 })
        default:
            // Of an earlier block, which was cancelled or whose Final contains all its text.
            self
        }
    }
}

extension SessionSignal {
    /// Approximate size in memory, in bytes.
    fileprivate var size: Int {
        switch self {
        case .partial(_, _, let stable, let volatile): 256 + stable.utf8.count + volatile.text.utf8.count
        case .final(let block): 512 + block.text.utf8.count + block.segments.reduce(0) { $0 + $1.size }
        case .routeChanged: 2048
        case .error(let refusal): 256 + refusal.message.utf8.count
        case .command(let phrase): 256 + phrase.utf8.count
        case .segmentRecorded(let segment): 256 + segment.gaps.count * 64
        case .level(let level): 256 + level.waveform.count * 16
        case .interrupted, .resumed, .retracted, .stateChanged, .problemsChanged, .stopped: 256
        }
    }
}

extension Segment {
    fileprivate var size: Int {
        let words = words.reduce(0) { $0 + 48 + $1.text.utf8.count }
        let alternatives = alternatives.reduce(0) { $0 + 32 + $1.text.utf8.count }
        return 64 + text.utf8.count + words + alternatives
    }
}
