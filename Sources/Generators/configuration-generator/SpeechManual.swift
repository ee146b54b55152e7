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
        page.paragraph(
            """
            Say the words of one mark, command or number without a pause between them: a pause ends a number. The text of a
            block begins with a capital, as does what follows the end of a sentence or a line break. No mark is added that
            was not said; engines that write marks themselves keep theirs.
            """)
        page.section("MARKS")
        page.paragraph(
            """
            After words such as "a", "the", "my" and "every" these are words: "put a comma here". A mark is written where it
            is said. The mark determines the spaces around it.
            """)
        for (heading, marks) in table.marks {
            page.subsection(heading)
            for mark in marks { page.item(sign(mark), list(mark.spoken)) }
        }
        page.section("CAPITALS AND SPACES")
        for control in table.controls { page.item(list(control.spoken), meaning(control.meaning)) }
        page.section("NUMBERS")
        page.paragraph(
            """
            Numbers below ten stay words, and larger ones become digits. Below ten, digits are written with a unit, with
            money, in a date or a time, after words such as "page" or "chapter", and after "numeral". Three or more digits
            said one by one are one number. An hour with minutes becomes a time before "a m" or "p m" and after words such
            as "at"; with fifteen, thirty or forty five always.
            """)
        page.item("Money", currencies(table))
        page.item("Units", units(table))
        page.section("COMMANDS")
        page.paragraph(
            """
            These are commands if the program that gets the text can delete text (Start's option "commands"); otherwise
            they are words.
            """)
        for command in table.commands { page.item(list(command.spoken), meaning(command.meaning)) }
        page.section("EXAMPLES")
        for (heading, spoken) in table.examples {
            page.subsection(heading)
            for words in spoken { page.item(words, written(words, table)) }
        }
        page.section("CUSTOM WORDS AND REPLACEMENTS")
        page.paragraph(
            """
            "dictation-cli words add" adds names and other words that are not recognised. The setting "replacements" in
            dictation.conf(5) writes a text for a spoken phrase: the spelling of a name, or several lines. Words of a
            replacement are never marks.
            """)
        page.section("OTHER LANGUAGES")
        page.paragraph(
            """
            German and French have their own marks, capitals and commands; numbers stay words there. Their files say which.
            "dictation-cli format --language de" prints the written form of spoken words.
            """)
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

    private static func currencies(_ table: LanguageTable) -> String {
        let places = table.currencies.map { currency in
            let name = currency.spoken.last ?? ""
            let place = currency.regions.isEmpty ? "" : " in \(currency.regions.joined(separator: ", ")) only"
            return "\(name) (\(currency.sign)\(place))"
        }
        return list(places) + ". With the cents: \"five dollars and ten cents\"."
    }

    /// Each unit by its longest name.
    private static func units(_ table: LanguageTable) -> String {
        let names = Dictionary(grouping: table.units.keys) { table.units[$0] ?? "" }
        let units = names.map { symbol, names in
            "\(names.max { ($0.count, $1) < ($1.count, $0) } ?? symbol) (\(symbol))"
        }
        return list(units.sorted()) + ". Others, such as minutes and miles, stay words."
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
