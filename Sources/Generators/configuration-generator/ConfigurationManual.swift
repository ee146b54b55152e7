import DictationConfiguration
import ManualPage

/// dictation.conf(5).
enum ConfigurationManual {
    static func page(_ defaults: Configuration) -> String {
        var page = ManualPage(
            "dictation.conf", section: 5, summary: "settings of offline voice dictation",
            origin: "the table of keys in Sources/Service/DictationConfiguration")
        page.section("SYNOPSIS")
        page.item("/etc/dictation/dictation.yaml", "The administrator's settings.")
        page.item(
            "~/.config/dictation/dictation.yaml",
            "The user's, below $XDG_CONFIG_HOME if that is set."
        )
        page.item(
            "/usr/share/dictation/defaults.yaml",
            "What a package such as dictation-engine-whisper installs to change the defaults. It is not edited."
        )
        page.section("DESCRIPTION")
        page.paragraph(
            """
            The files are YAML: keys and their values. The administrator's settings take precedence over the options of
            a program, these over the user's settings, and these over the defaults. A missing file is not an error. With
            an unknown key or an invalid value the service does not start, and names the line.
            """)
        page.paragraph(
            """
            The user's dictation-worker(1) reads both files. With the service of the machine, a setting with an error is logged
            there ("journalctl --user -u dictation-worker") and has its default, and "permissions.allow" and
            "permissions.deny" count in the administrator's file only.
            """)
        page.paragraph(
            "A key with a dot in its name may also be nested: its second part below its first.")
        page.paragraph(
            """
            The files are read again when they change. The new values of Start's options apply to the next session, other
            settings at once. "permissions.allow" and "permissions.deny" apply at once, also to sessions that are running. These keys apply after the next start of the worker:
            \(list(ConfigurationKey.keptUntilRestart.sorted())). An error in a changed file is logged with its line, and the earlier settings
            of that file stay in effect. "dictation-cli doctor" shows the errors of both files.
            """)
        page.section("KEYS")
        for key in ConfigurationKey.all {
            page.item(key.name, "(\(key.type); default: \(key.value(in: defaults)))\n\(key.meaning)")
        }
        page.section("ENGINES")
        page.paragraph(
            """
            PocketSphinx is in the service. "dictation-cli engines add whisper" sets up an engine whose words appear while you
            speak, for yourself; the package dictation-engine-whisper is the same for all users. Any other server of the
            Wyoming protocol can be used, on a unix socket or on loopback. It must run as you or as root. Only the
            administrator can allow one on another machine, with "allow-remote-engines".
            """)
        page.paragraph(
            """
            To provide one engine for all users, an administrator adds "engines" to /etc/dictation/dictation.yaml, and runs
            the server as root, or as a user whose socket root has made, with a socket below /run that every user may connect
            to. While an engine does not answer, dictation continues with the text of PocketSphinx.
            """)
        page.paragraph(
            """
            The packaged units allow unix sockets only. For TCP, run "systemctl --user edit dictation-worker" ("dictation", if
            the service is in your session) and add:
            """)
        page.verbatim(["[Service]", "RestrictAddressFamilies=AF_INET AF_INET6"])
        page.section("TEXT")
        page.paragraph(
            """
            These settings in ~/.config/dictation/dictation.yaml give the default for programs that do not choose, and
            replacements; changes take effect with the next dictation:
            """)
        page.verbatim([
            "formatting: dictation", "replacements:", "  pipe wire: PipeWire",
            #"  my sign off: "Kind regards\nJo""#, #"  "app:org.example.Editor": {slash todo: "// TODO"}"#,
        ])
        page.section("EXAMPLE")
        page.verbatim([
            "language: en-US", "auto-commit: 1500", "interrupting: [call, session-locked]", "calls:",
            "  ignored: [Recorder]",
        ])
        page.section("SEE ALSO")
        page.paragraph(
            "dictation-cli(1), dictation-speech(7), dictation-worker(1), org.example.Dictation(7), dictationd(8)"
        )
        return page.source
    }

    private static func list(_ names: [String]) -> String {
        names.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}
