import DictationCore
import Testing

@Suite struct ShortcutKeyTests {
    @Test(arguments: [
        ("Super+Alt+space", "Super+Alt+space", "LOGO+ALT+space"),
        ("LOGO+ALT+Space", "Super+Alt+space", "LOGO+ALT+space"),
        ("shift+alt+ctrl+D", "Ctrl+Alt+Shift+d", "CTRL+ALT+SHIFT+d"), ("F9", "F9", "F9"),
        ("Pause", "Pause", "Pause"), ("XF86Assistant", "XF86Assistant", "XF86Assistant"),
        ("Mod4+F12", "Super+F12", "LOGO+F12"),
    ])
    func namesOfModifiersAreThoseOfPeopleAndOfDesktops(text: String, name: String, trigger: String) throws {
        let key = try #require(ShortcutKey(text))
        #expect(key.description == name)
        #expect(key.trigger == trigger)
        #expect(ShortcutKey(name) == key)
        #expect(ShortcutKey(trigger) == key)
    }

    /// A key that types text could no longer be typed.
    @Test(arguments: [
        "", "+", "d", "Shift+d", "space", "Fn+d", "Super+", "Super++d", "Super+Super+d", "Super+Logo+d",
        "Super d", "Super+ä", "Super+d;reboot", "Super+'", "Fx",
        "Super+" + String(repeating: "a", count: 64),
    ])
    func otherTextsAreNoKeys(_ text: String) {
        #expect(ShortcutKey(text) == nil)
    }
}
