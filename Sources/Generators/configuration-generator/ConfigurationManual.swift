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
            "~/.config/dictation/dictation.yaml",
            "The user's, below $XDG_CONFIG_HOME if that is set. The service of the machine does not read it.")
        page.section("DESCRIPTION")
        page.paragraph(
            """
            Both files are YAML: keys and their values. The administrator's settings take precedence over the options of
            a program, these over the user's settings, and these over the defaults. A missing file is not an error. With
            an unknown key or an invalid value the service does not start, and names the line.
            """)
        page.paragraph(
            """
            With the service of the machine, "engine", "engines" and "words" of the user's file apply, through
            dictation-agent(1). The other keys are the administrator's. Programs can choose per session, as in
            "dictation-cli listen --formatting dictation".
            """)
        page.paragraph(
            "A key with a dot in its name may also be nested: its second part below its first.")
        page.paragraph(
            """
            The service reads the files when it starts. Changes of formatting, replacements and words apply to the next
            session. An error in a changed file is logged with its line, and the earlier settings stay in effect.
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
        page.paragraph("dictation-agent(1), dictation-cli(1), org.example.Dictation(7), dictationd(8)")
        return page.source
    }
}
