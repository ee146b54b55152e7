import DictationCore
import ManualPage

/// dictation-speech(7).
enum SpeechManual {
    static func page(_ table: LanguageTable) -> String {
        var page = ManualPage(
            "dictation-speech", section: 7, summary: "spoken marks and commands of offline voice dictation",
            origin: "packaging/languages/en.yaml")
        page.section("DESCRIPTION")
        page.paragraph(
            """
            With the formatting "dictation", text is written as people write it: spoken marks become marks, sentences begin
            with capitals, and numbers, dates, times, money and addresses have their usual form. A session asks for it with
            Start's option "formatting"; dictation.conf(5) sets the default.
            """)
        page.paragraph(
            """
            Words that can be marks or commands stay words if the context says so, and after "literal". Written text does
            not change later, unless a command takes it back.
            """)
        page.section("MARKS")
        for (heading, marks) in table.marks {
            page.subsection(heading)
            for mark in marks { page.item(sign(mark), list(mark.spoken)) }
        }
        page.section("CAPITALS AND SPACES")
        for control in table.controls { page.item(list(control.spoken), meaning(control.meaning)) }
        page.section("COMMANDS")
        page.paragraph(
            "If the program that gets the text can delete text, these delete it; otherwise they are words."
        )
        for command in table.commands { page.item(list(command.spoken), meaning(command.meaning)) }
        page.section("EXAMPLES")
        for (heading, spoken) in table.examples {
            page.subsection(heading)
            for words in spoken { page.item(words, written(words, table)) }
        }
        page.section("FILES")
        page.item(
            "/usr/share/dictation/languages",
            "One file for each language; this page is generated from the English one.")
        page.section("SEE ALSO")
        page.paragraph("dictation-cli(1), dictation.conf(5), org.example.Dictation(7)")
        return page.source
    }

    private static func sign(_ mark: LanguageTable.Mark) -> String {
        switch mark.written {
        case "\n": "line break"
        case "\n\n": "empty line"
        case "\t": "tab"
        case " ": "space"
        default: mark.written
        }
    }

    private static func list(_ spoken: [String]) -> String { spoken.joined(separator: ", ") }

    private static func written(_ words: String, _ table: LanguageTable) -> String {
        var form = WrittenForm(Lexicon(table, region: "US"))
        let edits = form.take(words) + form.commit()
        return edits.map { if case .append(let text) = $0 { text } else { "" } }.joined()
    }

    private static func meaning(_ control: LanguageTable.Control) -> String {
        switch control {
        case .capital: "The next word begins with a capital."
        case .capitals: "The next word is written in capitals."
        case .lower: "The next word is written without capitals."
        case .capitalOn: "From now on every word begins with a capital."
        case .capitalsOn: "From now on everything is written in capitals."
        case .lowerOn: "From now on nothing has capitals."
        case .capitalOff, .capitalsOff, .lowerOff: "Back to normal capitals."
        case .noSpace: "No space before the next word."
        case .noSpaceOn: "From now on there are no spaces."
        case .noSpaceOff: "Back to normal spaces."
        }
    }

    private static func meaning(_ command: LanguageTable.Command) -> String {
        switch command {
        case .scratch:
            "Deletes the text since the last pause, sentence or line; repeated, the text before it."
        case .undo: "Does the same, if nothing else is said between two pauses."
        case .newBlock: "Commits the block, if nothing else is said between two pauses."
        case .stop: "Commits the block and ends the session, if nothing else is said between two pauses."
        }
    }
}
