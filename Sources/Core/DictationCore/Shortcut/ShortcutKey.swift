/// The key of a global shortcut: modifiers, and the name of a key in `<xkbcommon/xkbcommon-keysyms.h>` without `XKB_KEY_`.
public struct ShortcutKey: Hashable, Sendable, CustomStringConvertible {
    public enum Modifier: String, CaseIterable, Sendable {
        case `super` = "Super"
        case control = "Ctrl"
        case alt = "Alt"
        case shift = "Shift"

        /// Also the names in the XDG shortcuts specification and in the files of compositors.
        fileprivate init?(named name: String) {
            switch name {
            case "super", "logo", "meta", "win", "mod4": self = .super
            case "ctrl", "control": self = .control
            case "alt", "mod1": self = .alt
            case "shift": self = .shift
            default: return nil
            }
        }
    }

    /// Each once, in the order of ``Modifier``.
    public let modifiers: [Modifier]
    public let name: String

    /// For messages about a text that is not a key.
    public static let rule =
        "modifiers (Super, Ctrl, Alt, Shift) and the name of a key, joined by plus signs, as in Super+Alt+space"
    private static let lengthLimit = 64
    /// Keys that type nothing, which need no modifier. The GNOME extension has the same list.
    private static let freeKeys: Set<String> = [
        "Pause", "Scroll_Lock", "Print", "Menu", "Help", "Cancel",
    ]

    /// Nil if the text is not a key, or the key types text and has no modifier other than Shift.
    public init?(_ text: String) {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.lengthLimit, let key = parts.last, !key.isEmpty,
            key.utf8.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            })
        else { return nil }
        let named = parts.dropLast().map { Modifier(named: $0.lowercased()) }
        let modifiers = Modifier.allCases.filter { named.contains($0) }
        guard modifiers.count == named.count else { return nil }
        self.modifiers = modifiers
        let lower = key.lowercased()
        name = key.utf8.count == 1 || lower == "space" ? lower : String(key)
        let isFree =
            Self.freeKeys.contains(name) || name.hasPrefix("XF86")
            || (name.first == "F" && Int(name.dropFirst()) != nil)
        guard isFree || modifiers.contains(where: { $0 != .shift }) else { return nil }
    }

    /// The key that is proposed where the user has chosen none.
    public static let proposed = ShortcutKey(modifiers: [.super, .alt], name: "space")

    private init(modifiers: [Modifier], name: String) {
        self.modifiers = modifiers
        self.name = name
    }

    public var description: String { joined("+") { $0.rawValue } }

    /// In the format of the XDG shortcuts specification.
    public var trigger: String {
        joined("+") { modifier in
            switch modifier {
            case .super: "LOGO"
            case .control: "CTRL"
            case .alt: "ALT"
            case .shift: "SHIFT"
            }
        }
    }

    /// The modifiers by other names, and the key.
    public func joined(_ separator: String, _ word: (Modifier) -> String) -> String {
        (modifiers.map(word) + [name]).joined(separator: separator)
    }
}
