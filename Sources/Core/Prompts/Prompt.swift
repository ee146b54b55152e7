public import DictationCore
public import Localization

/// A question to the user: whether an application may have what it asks for.
///
/// Every text in it can be shown unchanged: it is made of verified fields, and contains nothing that changes how the
/// rest is read.
public struct Prompt: Hashable, Sendable {
    public let client: Identity
    public let resources: [Resource]

    public init(client: Identity, resources: [Resource]) {
        self.client = client
        self.resources = resources
    }

    /// The question in a few words.
    public var title: UserText { isAboutTypingAlone ? "Allow typing?" : "Allow dictation?" }

    /// The application and what it wants.
    public var subtitle: UserText {
        let name = client.title
        return
            switch (resources.contains(.microphone), resources.contains(.speech), resources.contains(.typing))
        {
        case (true, true, true):
            "\(name) wants to listen to the microphone and to have speech recognised and to type text into your windows."
        case (true, true, false): "\(name) wants to listen to the microphone and to have speech recognised."
        case (true, false, true):
            "\(name) wants to listen to the microphone and to type text into your windows."
        case (false, true, true):
            "\(name) wants to have speech recognised and to type text into your windows."
        case (true, false, false): "\(name) wants to listen to the microphone."
        case (false, true, false): "\(name) wants to have speech recognised."
        case (false, false, _): "\(name) wants to type text into your windows."
        }
    }

    /// Sentences that explain it.
    public var body: [UserText] {
        var sentences: [UserText] = []
        if !isAboutTypingAlone { sentences.append("It would listen only while it dictates.") }
        if resources.contains(.typing) {
            sentences.append(
                "It would type into the field that you have chosen, never into one for passwords.")
        }
        if let language = client.interpreter {
            sentences.append("Your answer counts for every \(language) program: they cannot be told apart.")
        }
        sentences.append("You can change this with “dictation-cli permissions”.")
        return sentences
    }

    private var isAboutTypingAlone: Bool { resources == [.typing] }
}

extension Identity {
    /// For people.
    fileprivate var title: UserText {
        let id = id.rawValue.displayable
        return switch kind {
        case .flatpak: "The Flatpak application \(id)"
        case .snap: "The snap \(id)"
        case .app: "The application \(id)"
        case .executable: interpreter.map { "Any \($0) program (\(id))" } ?? "The program \(id)"
        case .unknown: "An unknown program"
        }
    }

    /// The language of the programs that this executable runs: a decision counts for all of them.
    public var interpreter: String? {
        kind == .executable ? Interpreter.language(ofProgramAt: id.rawValue) : nil
    }
}

extension String {
    /// Maximum length of a text in Unicode scalars.
    private static let displayableLength = 512

    /// The text without invisible characters that change how the rest is read: control, format and direction
    /// characters, line breaks, and unassigned ones. Angle brackets, which some dialogs take for markup, are replaced.
    /// The middle of a text that is too long is left out.
    public var displayable: String {
        var scalars: [Unicode.Scalar] = unicodeScalars.compactMap { scalar in
            switch scalar {
            case "<": return "‹"
            case ">": return "›"
            default: break
            }
            return switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: " "
            case .format, .surrogate, .privateUse, .unassigned: nil
            default: scalar
            }
        }
        if scalars.count > Self.displayableLength {
            let kept = Self.displayableLength / 2
            scalars = scalars.prefix(kept) + ["…"] + scalars.suffix(kept - 1)
        }
        var text = UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
