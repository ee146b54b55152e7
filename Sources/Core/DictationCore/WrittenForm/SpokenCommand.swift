// The spoken commands. Their words are in the languages' files. A new one is a case here, what a session does about it in
// `Session+Speech.swift`, and its words.

extension LanguageTable {
    public enum Command: String, CaseIterable, Sendable {
        case scratch
        case undo
        case newBlock = "new-block"
        case stop

        /// For people.
        public var meaning: String {
            switch self {
            case .scratch:
                "Deletes the text since the last pause, sentence or line; repeated, the text before it."
            case .undo: "Does the same, if nothing else is said between two pauses."
            case .newBlock: "Commits the block, if nothing else is said between two pauses."
            case .stop: "Commits the block and ends the session, if nothing else is said between two pauses."
            }
        }

        var place: CommandPlace {
            switch self {
            case .scratch: .anywhere
            case .undo: .utterance
            case .newBlock, .stop: .lastUtterance
            }
        }

        var effect: CommandEffect {
            switch self {
            case .scratch, .undo: .takeBack
            case .newBlock: .session(.endBlock)
            case .stop: .session(.endDictation)
            }
        }
    }
}

/// Where words are a command.
enum CommandPlace {
    /// Wherever a clause may end.
    case anywhere
    /// Nothing else is said between two pauses.
    case utterance
    /// The same, and nothing is said after it yet.
    case lastUtterance
}

enum CommandEffect {
    /// Takes back the last utterance.
    case takeBack
    case session(SessionCommand)
    /// A phrase that the client registered.
    case phrase(String)
}

/// What a spoken command does to a session.
public enum SessionCommand: Hashable, Sendable {
    case endBlock
    case endDictation

    public var endsBlock: Bool { self == .endBlock }
    public var endsDictation: Bool { self == .endDictation }
}
