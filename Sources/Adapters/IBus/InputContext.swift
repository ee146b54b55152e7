import Typing

/// The input context of IBus that has the focus: a text field, all fields of a window, or all fields of a program.
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
        let name = self.client.lowercased()
        isOfOneField =
            name.hasPrefix("gtk") && !Self.programsWithSharedContexts.contains { name.contains($0) }
    }

    /// The context that IBus focuses when no program has the focus.
    var isFake: Bool { client == "fake" }

    /// Whether the program reports that a field is for passwords. Qt does not.
    var reportsPasswords: Bool { client.hasPrefix("gtk") }

    /// Whether keys do not show either that a field is for passwords: ibus-wayland, by which compositors such as KWin join their
    /// windows to IBus, passes on the keys of all fields, and of none what it is for (IBus 1.5.27 and 1.5.32).
    var hidesPasswords: Bool { client == "wayland" }

    /// GTK's own widgets have a context for each field. Qt has one for all fields of a program, and resets it when the focus
    /// moves between them. ``programsWithSharedContexts`` have one for all fields of a window.
    let isOfOneField: Bool

    /// Parts of the names, in lower case, of GTK programs that draw their own fields. When the focus moves between two
    /// fields, they reset the context or give it the focus again. Their names are "firefox-esr" and "chromium" in Debian,
    /// "org.mozilla.firefox" in Flatpak.
    private static let programsWithSharedContexts = [
        "firefox", "thunderbird", "librewolf", "waterfox", "tor browser", "chrome", "chromium", "brave",
        "vivaldi", "opera", "msedge", "microsoft-edge", "electron", "soffice", "libreoffice",
    ]

    /// GTK programs name themselves, the newer ones by their desktop id: "gtk4-im:org.gnome.TextEditor".
    private var application: String? {
        guard reportsPasswords, let colon = client.firstIndex(of: ":") else { return nil }
        let name = client[client.index(after: colon)...]
        return name.isEmpty ? nil : String(name)
    }

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
            abilities: isOfOneField ? [.liveText, .deletion, .identity] : [.liveText, .deletion],
            application: application)
    }
}
