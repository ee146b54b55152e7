import DictationService
import ManualPage

/// dictation.conf(5).
enum ConfigurationManual {
    static func page(_ defaults: Configuration) -> String {
        var page = ManualPage(
            "dictation.conf", section: 5, summary: "settings of offline voice dictation",
            origin: "the table of keys in Sources/Service/DictationService/Configuration")
        page.section("SYNOPSIS")
        page.item("/etc/dictation/dictation.yaml", "The administrator's settings.")
        page.item(
            "~/.config/dictation/dictation.yaml", "The user's, below $XDG_CONFIG_HOME where that is set.")
        page.section("DESCRIPTION")
        page.paragraph(
            """
            Both files are YAML: keys and their values. What the administrator set stands above what a program asks for,
            that above what the user set, and that above the defaults. A file that is not there is no error; a key that
            nobody knows and a value that cannot be are: the service then does not start, and says in which line.
            """)
        page.paragraph(
            "A key with a dot in its name may also stand below the first part of its name, without it.")
        page.paragraph(
            """
            The service reads the files when it starts. Changes of formatting and replacements hold from the next session on;
            an error in them is told to the log, with its line, and what was there before goes on to hold.
            """)
        page.section("KEYS")
        for key in ConfigurationKey.all {
            page.item(key.name, "(\(key.type); default: \(key.value(in: defaults)))\n\(key.meaning)")
        }
        page.section("EXAMPLE")
        page.verbatim([
            "language: en-US", "auto-commit: 1500", "interrupting: [call, session-locked]", "calls:",
            "  ignored: [Recorder]",
        ])
        page.section("SEE ALSO")
        page.paragraph("dictation-cli(1), org.example.Dictation(7), dictationd(8)")
        return page.source
    }
}
