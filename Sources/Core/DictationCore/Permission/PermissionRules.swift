/// The administrator's decisions about applications, from the configuration.
public struct PermissionRules: Hashable, Sendable {
    /// May dictate without asking. The user decides whether they may type.
    public var allowed: [ApplicationPattern] = []
    /// Restricted without asking. Takes precedence over ``allowed``.
    public var denied: [ApplicationPattern] = []

    public init() {}

    /// Nil if the user decides.
    public func permission(of identity: Identity) -> Permission? {
        if denied.contains(where: { $0.matches(identity) }) { return .restricted }
        if allowed.contains(where: { $0.matches(identity) }) { return .granted }
        return nil
    }
}

/// Applications by kind and id, such as `flatpak:org.example.*` or `executable:/usr/bin/gdbus`; `*` alone is all.
public struct ApplicationPattern: Hashable, Sendable, CustomStringConvertible {
    /// Nil matches every kind.
    private let kind: Identity.Kind?
    /// `*` matches any characters, including none.
    private let id: String

    /// Nil if the text is neither `*` nor a kind, a colon and an id.
    public init?(_ text: String) {
        if text == "*" {
            kind = nil
            id = text
            return
        }
        guard let colon = text.firstIndex(of: ":"), let kind = Identity.Kind(rawValue: String(text[..<colon]))
        else { return nil }
        self.kind = kind
        id = String(text[text.index(after: colon)...])
    }

    /// The text of the pattern.
    public var description: String { kind.map { "\($0.rawValue):\(id)" } ?? id }

    public func matches(_ identity: Identity) -> Bool {
        (kind == nil || kind == identity.kind)
            && Self.matches(Array(id.utf8), Array(identity.id.rawValue.utf8))
    }

    /// By bytes, as the kernel compares paths.
    private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        var (place, position) = (0, 0)
        // After the last star: where to go on with one byte more taken by it.
        var retry: (place: Int, position: Int)?
        while position < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                place += 1
                retry = (place, position)
            } else if place < pattern.count, pattern[place] == text[position] {
                place += 1
                position += 1
            } else if let last = retry {
                retry = (last.place, last.position + 1)
                (place, position) = (last.place, last.position + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
