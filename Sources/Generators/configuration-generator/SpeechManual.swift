import DictationCore
import ManualPage

/// dictation-speech(7), and dictation-speech-de(7) and so on for other languages than English.
struct SpeechManual {
    let table: LanguageTable
    /// The languages with other pages.
    let others: [String]
    private let lexicon: Lexicon

    init(_ table: LanguageTable, others: [String]) {
        self.table = table
        self.others = others
        lexicon = Lexicon(table, region: Self.regions[table.language])
    }

    /// The regions of the examples.
    private static let regions = ["en": "US", "de": "DE", "fr": "FR", "es": "ES"]

    private static let names = ["en": "English", "de": "German", "fr": "French", "es": "Spanish"]

    private static func name(ofPage language: String) -> String {
        language == "en" ? "dictation-speech" : "dictation-speech-\(language)"
    }

    var name: String { Self.name(ofPage: table.language) }

    private var language: String { Self.names[table.language] ?? table.language }

    var page: String {
        var page = ManualPage(
            name, section: 7,
            summary: "spoken \(language) marks, numbers and commands of offline voice dictation",
            origin: "packaging/languages/\(table.language).yaml")
        page.section("DESCRIPTION")
        page.paragraph(
            """
            With the formatting "dictation", text is written as people write it: spoken marks become marks, sentences begin
            with capitals, and numbers, dates, times, money and addresses have their usual form. A session asks for it with
            Start's option "formatting"; dictation.conf(5) sets the default.
            """)
        page.paragraph(
            """
            Words that can be marks or commands stay words unless what stands around them shows a mark: pauses, the words on
            both sides, and the marks that the engine itself writes. In doubt the word is written. A pause before and after
            the word always makes it a mark; the word for "literal" before it always makes it a word. Written text does not
            change later, unless a command takes it back.
            """)
        page.paragraph(
            """
            A number, a date or an address may have short pauses within it; a silence of 0.7 seconds ends it. The text of a
            block begins with a capital, as does what follows the end of a sentence or a line break. No mark is added that
            was not said; engines that write marks themselves keep theirs.
            """)
        page.section("MARKS")
        page.paragraph("A mark is written where it is said. The mark determines the spaces around it.")
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
            money, in a date or a time, and after words such as those for "page" or "chapter". Digits said one by one are one
            number.
            """)
        page.item("Money", currencies)
        page.item("Units", units)
        page.section("COMMANDS")
        page.paragraph(
            """
            These are commands if the program that gets the text can delete text (Start's option "commands"); otherwise
            they are words.
            """)
        for command in table.commands { page.item(list(command.spoken), command.meaning.meaning) }
        page.section("EXAMPLES")
        for (heading, spoken) in table.examples {
            page.subsection(heading)
            for words in spoken { page.item(words, written(words)) }
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
            \(list(others.map { "\(Self.name(ofPage: $0))(7)" })). "dictation-cli format --language \(table.language)"
            prints the written form of spoken words; with --explain it says why.
            """)
        page.section("FILES")
        page.item(
            "/usr/share/dictation/languages",
            "One file for each language; this page is generated from \(table.language).yaml. A new file adds a language."
        )
        page.section("SEE ALSO")
        page.paragraph("dictation-cli(1), dictation.conf(5), org.example.Dictation(7)")
        return page.source
    }

    private func sign(_ mark: LanguageTable.Mark) -> String {
        switch mark.written {
        case "\n": "line break"
        case "\n\n": "empty line"
        case "\t": "tab"
        case " ": "space"
        default: mark.written
        }
    }

    private var currencies: String {
        let places = table.currencies.map { currency in
            let name = currency.spoken.last ?? ""
            let place = currency.regions.isEmpty ? "" : " in \(currency.regions.joined(separator: ", ")) only"
            return "\(name) (\(currency.sign)\(place))"
        }
        return list(places) + "."
    }

    /// Each unit by its longest name.
    private var units: String {
        let names = Dictionary(grouping: table.units.keys) { table.units[$0] ?? "" }
        let units = names.map { symbol, names in
            "\(names.max { ($0.count, $1) < ($1.count, $0) } ?? symbol) (\(symbol))"
        }
        return list(units.sorted()) + ". Others stay words."
    }

    private func list(_ spoken: [String]) -> String { spoken.joined(separator: ", ") }

    private func written(_ words: String) -> String {
        var form = WrittenForm(lexicon)
        let edits = form.append(words) + form.commit()
        return edits.map { if case .append(let text) = $0 { text } else { "" } }.joined()
    }

    private func meaning(_ control: LanguageTable.Control) -> String {
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
}
