import DictationCore
import LanguageFiles
import Localization

/// How to bind keys that dictate into the focused window, on the desktop of an environment.
struct ShortcutAdvice {
    /// A sentence that ends with a colon if lines follow.
    let sentence: String
    /// What to put where the sentence says, as it is.
    let lines: [String]
    /// It is about GNOME's extension.
    var isOfExtension = false

    private struct Binding {
        var key: ShortcutKey
        /// Nil for the user's usual language.
        var language: String?

        var command: String {
            "dictation-cli toggle --type" + (language.map { " --language \($0)" } ?? "")
        }
    }

    /// - Parameters:
    ///   - settings: the keys. Without any, lines have the proposed one.
    ///   - shell: on GNOME, unless a key is wanted that the extension has not.
    init(
        environment: [String: String], settings: ShortcutSettings = ShortcutSettings(),
        shell: GnomeExtension.State? = nil
    ) {
        if let sentence = shell.flatMap({ Self.sentence($0) }) {
            self.sentence = sentence
            lines = []
            isOfExtension = true
            return
        }
        let languages = settings.languages.sorted { $0.key < $1.key }
            .map { Binding(key: $0.value, language: $0.key) }
        let own = settings.shortcut ?? (languages.isEmpty ? .proposed : nil)
        let bindings = [own.map { Binding(key: $0) }].compactMap(\.self) + languages
        func each(_ lines: (Binding) -> [String]) -> [String] { bindings.flatMap(lines) }
        switch Desktop(environment) {
        case .gnome:
            sentence = translated(
                """
                On GNOME the Dictation extension has the key Super+D: enable it with “gnome-extensions enable \
                dictation@dictation.example.org”. Without it, run once:
                """)
            lines = each(Self.gnome)
        case .kde:
            sentence = translated("In System Settings, Shortcuts, Add New, Command, give a key to:")
            lines = each { [$0.command] }
        case .sway:
            sentence = translated("Add to ~/.config/sway/config; with both lines, hold the key to talk:")
            lines = each {
                [
                    "bindsym --no-repeat \(Self.x11($0.key)) exec \($0.command)",
                    "bindsym --release \(Self.x11($0.key)) exec \($0.command)",
                ]
            }
        case .i3:
            // X11 repeats presses, but not releases.
            sentence = translated("Add to ~/.config/i3/config:")
            lines = each { ["bindsym --release \(Self.x11($0.key)) exec --no-startup-id \($0.command)"] }
        case .hyprland:
            sentence = translated(
                "Add to ~/.config/hypr/hyprland.conf; with both lines, hold the key to talk:")
            lines = each { binding in
                let modifiers = binding.key.modifiers.map { $0.rawValue.uppercased() }.joined(separator: " ")
                return ["bind", "bindr"].map {
                    "\($0) = \(modifiers), \(binding.key.name), exec, \(binding.command)"
                }
            }
        case .labwc:
            sentence = translated("Add to ~/.config/labwc/rc.xml, within <keyboard>:")
            lines = each {
                [
                    "<keybind key=\"\(Self.labwc($0.key))\"><action name=\"Execute\" command=\"\($0.command)\"/></keybind>"
                ]
            }
        case .xfce:
            sentence = translated("Run once:")
            lines = each {
                [
                    "xfconf-query -c xfce4-keyboard-shortcuts -np '/commands/custom/\(Self.gtk($0.key))' -t string "
                        + "-s '\($0.command)'"
                ]
            }
        case nil:
            sentence = translated("Bind a key of your desktop to this command:")
            lines = each { [$0.command] }
        }
    }

    private enum Desktop: String {
        case gnome, kde, sway, i3, hyprland, labwc, xfce

        init?(_ environment: [String: String]) {
            let names = (environment["XDG_CURRENT_DESKTOP"] ?? "").lowercased().split(separator: ":")
            if let known = names.lazy.compactMap({ Self(rawValue: String($0)) }).first {
                self = known
                return
            }
            // Compositors that are started from a console may set no name.
            let sockets: [(String, Self)] = [
                ("SWAYSOCK", .sway), ("HYPRLAND_INSTANCE_SIGNATURE", .hyprland), ("LABWC_PID", .labwc),
                ("I3SOCK", .i3),
            ]
            guard let found = sockets.first(where: { environment[$0.0]?.isEmpty == false }) else {
                return nil
            }
            self = found.1
        }
    }

    /// Nil if the extension is of no use.
    private static func sentence(_ shell: GnomeExtension.State) -> String? {
        switch shell {
        case .on:
            translated(
                "GNOME's Dictation extension is on: press Super+D in a text field, speak, and press it once more."
            )
        case .unseen(isChosen: true):
            translated("GNOME looks for new extensions only at login. \(GnomeExtension.afterLogin)")
        case .off, .unseen(isChosen: false):
            translated(
                "GNOME's Dictation extension, which has the key Super+D, is off. Turn it on: dictation-cli shortcut --bind"
            )
        case .missing, .broken, .unknown: nil
        }
    }

    // MARK: Keys as desktops write them

    private static func x11(_ key: ShortcutKey) -> String {
        key.joined("+") { modifier in
            switch modifier {
            case .super: "Mod4"
            case .control: "Control"
            case .alt: "Mod1"
            case .shift: "Shift"
            }
        }
    }

    private static func labwc(_ key: ShortcutKey) -> String {
        key.joined("-") { modifier in
            switch modifier {
            case .super: "W"
            case .control: "C"
            case .alt: "A"
            case .shift: "S"
            }
        }
    }

    private static func gtk(_ key: ShortcutKey) -> String {
        key.joined("") { modifier in
            switch modifier {
            case .super: "<Super>"
            case .control: "<Primary>"
            case .alt: "<Alt>"
            case .shift: "<Shift>"
            }
        }
    }

    /// Commands that add a key to the user's own.
    private static func gnome(_ binding: Binding) -> [String] {
        let schema = "org.gnome.settings-daemon.plugins.media-keys"
        let name = binding.language.map { "dictation-\($0)" } ?? "dictation"
        let path = "/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/\(name)/"
        let own = "\(schema).custom-keybinding:\(path)"
        return [
            "gsettings set \(own) name '\(name)'",
            "gsettings set \(own) command '\(binding.command)'",
            "gsettings set \(own) binding '\(gtk(binding.key))'",
            "gsettings set \(schema) custom-keybindings \"$(gsettings get \(schema) custom-keybindings | "
                + "sed \"s|^@as ||; s|, '\(path)'||; s|'\(path)', ||; s|'\(path)'||; s|]$|, '\(path)']|; s|^\\[, |[|\")\"",
        ]
    }

    func print() throws(OutputError) {
        try Output.standardOutput.line(sentence)
        for line in lines { try Output.standardOutput.line("  " + line) }
    }
}
