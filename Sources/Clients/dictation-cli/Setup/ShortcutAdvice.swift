/// How to bind a key that dictates into the focused window, on the desktop of an environment.
struct ShortcutAdvice {
    /// A sentence that ends with a colon if lines follow.
    var sentence: String
    /// What to put where the sentence says, as it is.
    var lines: [String] = []

    private static let command = "dictation-cli toggle --type"

    init(environment: [String: String]) {
        let desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":")
        func has(_ name: String) -> Bool { environment[name]?.isEmpty == false }
        if desktops.contains("GNOME") {
            sentence =
                translated(
                    """
                    On GNOME the Dictation extension has the key Super+D: enable it with “gnome-extensions enable \
                    dictation@dictation.example.org”.
                    """)
        } else if has("SWAYSOCK") {
            sentence = translated("Add to ~/.config/sway/config; with both lines, hold the key to talk:")
            lines = [
                "bindsym --no-repeat Mod4+Mod1+space exec \(Self.command)",
                "bindsym --release Mod4+Mod1+space exec \(Self.command)",
            ]
        } else if has("HYPRLAND_INSTANCE_SIGNATURE") {
            sentence = translated(
                "Add to ~/.config/hypr/hyprland.conf; with both lines, hold the key to talk:")
            lines = [
                "bind = SUPER ALT, space, exec, \(Self.command)",
                "bindr = SUPER ALT, space, exec, \(Self.command)",
            ]
        } else if desktops.contains("KDE") {
            sentence = translated("In System Settings, Shortcuts, Add New, Command, give a key to:")
            lines = [Self.command]
        } else if desktops.contains("XFCE") {
            sentence = translated("Run once:")
            lines = [
                "xfconf-query -c xfce4-keyboard-shortcuts -np '/commands/custom/<Super><Alt>space' -t string "
                    + "-s '\(Self.command)'"
            ]
        } else {
            sentence = translated("Bind a key of your desktop to this command:")
            lines = [Self.command]
        }
    }

    func print() throws(OutputError) {
        try Output.standardOutput.line(sentence)
        for line in lines { try Output.standardOutput.line("  " + line) }
    }
}
