public import DictationCore

/// A question to the user: whether an application may have what it asks for.
///
/// Every text in it can be shown unchanged: it is made of verified fields, and contains nothing that changes how the
/// rest is read.
public struct Prompt: Hashable, Sendable {
    public let client: Identity
    public let resources: [Resource]
    public let title: String
    public let subtitle: String
    public let body: String

    /// - Parameters:
    ///   - title: the question in a few words.
    ///   - subtitle: the application and what it wants.
    ///   - body: an explanation; may be empty.
    public init(client: Identity, resources: [Resource], title: String, subtitle: String, body: String = "") {
        self.client = client
        self.resources = resources
        self.title = title.displayable
        self.subtitle = subtitle.displayable
        self.body = body.displayable
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
