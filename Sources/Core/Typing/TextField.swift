/// The text field that has the focus, as a route tells it.
///
/// A route tells the whole field again whenever anything of it changes.
public struct TextField: Hashable, Sendable {
    /// What the text in a field is for.
    public enum Purpose: Hashable, Sendable {
        case text
        case password
        case pin
        /// A newline is a command there.
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
        /// The route tells ``TypingEvent/committed(token:_:)`` after each commit. Without it a commit is done when the
        /// field's text shows it, or after a time.
        public static let commitReports = Abilities(rawValue: 4)
        /// The id names one field, and no other ever has it. Without it a field that returns is recognised by its text.
        public static let identity = Abilities(rawValue: 8)
    }

    /// Names the route and whatever the route can tell fields apart by: window, input context. Equal for one field.
    public var id: String
    /// Changes whenever a field gets the focus, and when it is clicked or reset.
    public var visit: UInt64
    public var purpose: Purpose
    /// The application says that the text is hidden or private.
    public var isSensitive: Bool
    /// Nil where the application does not tell it.
    public var surrounding: SurroundingText?
    /// Where the cursor is; nil where unknown.
    public var place: CursorPlace?
    public var abilities: Abilities
    /// The longest commit, in bytes of UTF-8.
    public var commitLimit: Int

    public init(
        id: String, visit: UInt64, purpose: Purpose = .text, isSensitive: Bool = false,
        surrounding: SurroundingText? = nil, place: CursorPlace? = nil, abilities: Abilities = [],
        commitLimit: Int = TypingLimits.commitBytes
    ) {
        self.id = id
        self.visit = visit
        self.purpose = purpose
        self.isSensitive = isSensitive
        self.surrounding = surrounding
        self.place = place
        self.abilities = abilities
        self.commitLimit = commitLimit
    }

    /// Nothing must be typed here.
    public var isSecret: Bool { isSensitive || purpose == .password || purpose == .pin }

    /// Text can be deleted here, and the deletion be seen.
    public var canDelete: Bool {
        abilities.contains(.deletion) && !isSecret && purpose != .terminal
            && surrounding.map { !$0.isSelecting } ?? false
    }

    /// Whether this is the field that `previous` was, perhaps after another had the focus.
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
        // Walks no further than it must: an application may tell a whole book.
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
    /// A Wayland message holds 4096 bytes. A longer commit ends the application that gets it.
    public static let commitBytes = 3000
    /// The end of live text that is shown, in bytes of UTF-8.
    public static let liveBytes = 1000
    /// Of the text on each side of the cursor.
    public static let surroundingScalars = 4000
    /// Two commits in one turn of the compositor's loop lose the first.
    public static let commitGap: Duration = .milliseconds(20)
    /// How long a field may take to show what was committed.
    public static let arrivalTimeout: Duration = .milliseconds(500)
    /// How long a route that reports commits may take for one.
    public static let reportTimeout: Duration = .seconds(60)
    /// How long a field may take to show that text was deleted.
    public static let deletionTimeout: Duration = .seconds(2)
    /// Scalars of a field that are compared.
    static let comparedScalars = 200
    /// Texts that wait for their field, blocks that wait for their final text, and texts that may be taken back.
    static let waiting = 16
}
