/// The text field with the focus, as a route reports it.
///
/// A route reports the whole field after every change.
public struct TextField: Hashable, Sendable {
    /// The purpose of a field.
    public enum Purpose: Hashable, Sendable {
        case text
        case password
        case pin
        /// A newline executes a command there.
        case terminal
    }

    public struct Abilities: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The field shows text that is not committed yet.
        public static let liveText = Abilities(rawValue: 1)
        /// Text before the cursor can be deleted.
        public static let deletion = Abilities(rawValue: 2)
        /// The route reports ``TypingEvent/committed(token:_:)`` after each commit. Without it a commit is done when the
        /// field's text contains it, or after a timeout.
        public static let commitReports = Abilities(rawValue: 4)
        /// The ID belongs to one field and is never reused. Without it, a field that gets the focus again is recognised by its
        /// text.
        public static let identity = Abilities(rawValue: 8)
    }

    /// Identifies the field as far as the route can, by window and input context. Equal for the same field.
    public var id: String
    /// Changes when a field gets the focus, is clicked, or is reset.
    public var visit: UInt64
    public var purpose: Purpose
    /// Whether the application marks the text as hidden or private.
    public var isSensitive: Bool
    /// Nil if the application does not report it.
    public var surrounding: SurroundingText?
    /// The position of the cursor; nil if unknown.
    public var place: CursorPlace?
    public var abilities: Abilities
    /// Maximum length of a commit in bytes of UTF-8.
    public var commitLimit: Int
    /// The desktop id of the application whose window it is in, such as `org.gnome.TextEditor`; nil if unknown.
    public var application: String?

    public init(
        id: String, visit: UInt64, purpose: Purpose = .text, isSensitive: Bool = false,
        surrounding: SurroundingText? = nil, place: CursorPlace? = nil, abilities: Abilities = [],
        commitLimit: Int = TypingLimits.commitBytes, application: String? = nil
    ) {
        self.id = id
        self.visit = visit
        self.purpose = purpose
        self.isSensitive = isSensitive
        self.surrounding = surrounding
        self.place = place
        self.abilities = abilities
        self.commitLimit = commitLimit
        self.application = application
    }

    /// Whether typing is forbidden here.
    public var isSecret: Bool {
        isSensitive || purpose == .password || purpose == .pin || surrounding?.isMasked == true
    }

    /// Whether text can be deleted here and the deletion can be verified.
    public var canDelete: Bool {
        abilities.contains(.deletion) && !isSecret && purpose != .terminal
            && surrounding.map { !$0.isSelecting } ?? false
    }

    /// Whether this is the same field as `previous`, even if another had the focus in between.
    public func isSame(as previous: TextField?) -> Bool {
        guard let previous, id == previous.id else { return false }
        if visit == previous.visit || abilities.contains(.identity) { return true }
        guard purpose == previous.purpose, isSensitive == previous.isSensitive,
            surrounding?.text == previous.surrounding?.text
        else { return false }
        // A click into the field moves the cursor. In an empty field it cannot.
        if let surrounding, !surrounding.text.isEmpty { return true }
        return place != nil && place == previous.place
    }
}

extension TextField? {
    func isSame(as previous: TextField?) -> Bool {
        guard let self else { return previous == nil }
        return self.isSame(as: previous)
    }
}

/// The text around the cursor, of which at most ``TypingLimits/surroundingScalars`` on each side are kept.
public struct SurroundingText: Hashable, Sendable {
    /// As scalars: comparing strings takes quadratic time on long runs of combining marks.
    public private(set) var text: [Unicode.Scalar]
    /// In scalars from the beginning of ``text``.
    public private(set) var cursor: Int
    public var isSelecting: Bool

    /// - Parameter cursor: in Unicode scalars; one that is outside the text is moved to its nearest end.
    public init(_ text: String, cursor: Int, isSelecting: Bool = false) {
        // Does not visit the whole text, because an application may send a whole book.
        let scalars = text.unicodeScalars
        let limit = TypingLimits.surroundingScalars
        var skipped = max(0, cursor - limit)
        var start = scalars.index(scalars.startIndex, offsetBy: skipped, limitedBy: scalars.endIndex)
        if start == nil {
            skipped = max(0, scalars.count - limit)
            start = scalars.index(scalars.startIndex, offsetBy: skipped, limitedBy: scalars.endIndex)
        }
        let count = max(0, min(cursor - skipped, limit)) + limit
        self.text = Array(scalars[(start ?? scalars.endIndex)...].prefix(count))
        self.cursor = min(max(0, cursor - skipped), self.text.count)
        self.isSelecting = isSelecting
    }

    /// Whether the field shows dots instead of its text. Firefox reports no purpose of the field that first gets the focus in a
    /// new window, but dots as its text.
    var isMasked: Bool {
        guard let first = text.first, Self.masks.contains(first) else { return false }
        return text.count >= Self.maskLength && text.allSatisfy { $0 == first }
    }

    private static let masks: Set<Unicode.Scalar> = ["\u{25CF}", "\u{2022}"]
    /// Fewer dots may be those of a list.
    private static let maskLength = 4

    var before: ArraySlice<Unicode.Scalar> { text[..<cursor] }
    var after: ArraySlice<Unicode.Scalar> { text[cursor...] }
}

public struct CursorPlace: Hashable, Sendable {
    public var x: Int32
    public var y: Int32

    public init(x: Int32, y: Int32) {
        self.x = x
        self.y = y
    }
}

public enum TypingLimits {
    /// A Wayland message has at most 4096 bytes. A longer commit ends the application that receives it.
    public static let commitBytes = 3000
    /// Maximum length of live text in bytes of UTF-8; the end of longer text is shown.
    public static let liveBytes = 1000
    /// Maximum length of the text on each side of the cursor.
    public static let surroundingScalars = 4000
    /// Delay between two commits. Of two in one turn of the compositor's loop the first is lost.
    public static let commitGap: Duration = .milliseconds(20)
    /// How long a field may take to report committed text.
    public static let arrivalTimeout: Duration = .milliseconds(500)
    /// Timeout of a commit in routes that report commits.
    public static let reportTimeout: Duration = .seconds(60)
    /// How long a field may take to report a deletion.
    public static let deletionTimeout: Duration = .seconds(2)
    /// The number of a field's scalars that are compared.
    static let comparedScalars = 200
    /// Maximum number of texts that wait for their field, of blocks that wait for their final text, and of texts that can be
    /// taken back.
    static let waiting = 16
}
