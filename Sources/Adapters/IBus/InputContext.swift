import Typing

/// The input context of IBus that has the focus: a text field, or all fields of a Qt application.
struct InputContext: Hashable {
    /// The path that IBus uses for the context.
    var path: String
    /// The program, as in "gtk3-im:gedit".
    var client: String
    var visit: UInt64
    var purpose: UInt32 = 0
    var hints: UInt32 = 0
    var surrounding: SurroundingText?
    var place: CursorPlace?

    private static let passwordPurpose: UInt32 = 8
    private static let pinPurpose: UInt32 = 9
    private static let terminalPurpose: UInt32 = 10
    /// The text must not be kept or learned.
    private static let privateHint: UInt32 = 1 << 11
    /// Longer names are cut, because they are compared often.
    private static let nameLimit = 200

    init(path: String, client: String, visit: UInt64) {
        self.path = String(path.unicodeScalars.prefix(Self.nameLimit))
        self.client = String(client.unicodeScalars.prefix(Self.nameLimit))
        self.visit = visit
    }

    /// The context that IBus focuses when no program has the focus.
    var isFake: Bool { client == "fake" }

    /// GTK has a context for each field. Qt has one for all fields of a program, and resets it when the focus moves between
    /// them. It does not report that the new field is for passwords.
    var isOfOneField: Bool { client.hasPrefix("gtk") }

    var field: TextField {
        let purpose: TextField.Purpose =
            switch purpose {
            case Self.passwordPurpose: .password
            case Self.pinPurpose: .pin
            case Self.terminalPurpose: .terminal
            default: .text
            }
        return TextField(
            id: "ibus:\(path)", visit: visit, purpose: purpose, isSensitive: hints & Self.privateHint != 0,
            surrounding: surrounding, place: place,
            abilities: isOfOneField ? [.liveText, .deletion, .identity] : [.liveText, .deletion])
    }
}
