public import DictationCore

/// A question to the user: whether an application may have what it asks for.
///
/// Every text in it can be shown as it is: made of verified fields by whoever asks, and of nothing here that could
/// make it read as something else.
public struct Prompt: Hashable, Sendable {
    public let client: Identity
    public let resources: [Resource]
    public let title: String
    public let subtitle: String
    public let body: String

    /// - Parameters:
    ///   - title: The question in few words.
    ///   - subtitle: Who asks, and for what.
    ///   - body: What that means; may be empty.
    public init(client: Identity, resources: [Resource], title: String, subtitle: String, body: String = "") {
        self.client = client
        self.resources = resources
        self.title = title.displayable
        self.subtitle = subtitle.displayable
        self.body = body.displayable
    }
}

extension String {
    /// How much of a text can be shown, in Unicode scalars.
    private static let displayableLength = 512

    /// The text without what cannot be seen but changes how the rest is read: control, format and direction
    /// characters, line breaks, and what Unicode has not assigned. Angle brackets, which some dialogs take for markup,
    /// are replaced; of a text that is too long the middle is left out.
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
