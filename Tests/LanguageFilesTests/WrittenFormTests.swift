import DictationCore
import DictationSimulation
import Foundation
import LanguageFiles
import Testing

/// The tables of packaging/languages.
let languages = LanguageFolder.ofProgram()

@Suite struct WrittenFormTests {
    private let tables: WrittenFormTables
    private var table: LanguageTable { tables.table("en") }
    private var usual: Lexicon { tables.lexicon("en-US") }

    init() throws {
        tables = try WrittenFormTables.shared.get()
    }

    private func write(
        _ spoken: String, phrases: [UserPhrase] = [], clientPhrases: [String] = [], commands: Bool = true
    ) -> Dictated {
        let isUsual = phrases.isEmpty && clientPhrases.isEmpty && commands
        let lexicon =
            isUsual
            ? usual
            : Lexicon(
                table, region: "US", phrases: phrases, clientPhrases: clientPhrases, commands: commands)
        var dictated = Dictated(lexicon)
        dictated.say(spoken.split(separator: " "))
        dictated.commit()
        return dictated
    }

    @Test func thereAreAllCases() {
        #expect(WrittenFormCase.all.count == 318)
    }

    @Test(arguments: WrittenFormCase.all) func writesTheCase(_ example: WrittenFormCase) {
        #expect(example.write(tables) == example.written)
    }

    @Test func writesMoreCases() {
        #expect(WrittenFormCase.more.count > 1000)
        for example in WrittenFormCase.more {
            #expect(example.write(tables) == example.written, "\(example)")
        }
    }

    @Test(arguments: WrittenFormCase.general) func writesTheGeneralCase(_ example: WrittenFormCase) {
        #expect(
            WrittenFormCase.folded(example.write(tables)) == WrittenFormCase.folded(example.written))
    }

    @Test func writesTheDailyCases() {
        #expect(WrittenFormCase.daily.count > 250)
        for example in WrittenFormCase.daily {
            #expect(
                WrittenFormCase.folded(example.write(tables)) == WrittenFormCase.folded(example.written),
                "\(example)")
        }
    }

    /// An engine that recognises whole passages gives many words at once.
    @Test func allWordsAtOnceGiveTheSameText() {
        for example in WrittenFormCase.all + WrittenFormCase.more + WrittenFormCase.daily {
            var dictated = Dictated(
                tables.lexicon(example.locale, example.phrases), punctuated: example.isPunctuated)
            var piece: [Substring] = []
            for word in example.spoken.split(separator: " ") {
                if word.hasPrefix("<") {
                    dictated.append(Substring(piece.joined(separator: " ")))
                    dictated.say(word)
                    piece = []
                } else {
                    piece.append(word)
                }
            }
            dictated.append(Substring(piece.joined(separator: "  ") + " "))
            dictated.commit()
            #expect(
                WrittenFormCase.folded(dictated.written) == WrittenFormCase.folded(example.written),
                "\(example)")
        }
    }

    /// It writes capitals itself, also at the beginning of a block that another engine was expected to write.
    @Test func anEngineWithCapitalsBeginsAsItWants() {
        for isPunctuated in [false, true] {
            var form = WrittenForm(usual)
            let edits = form.append(SpokenText("aWord is here", isPunctuated: isPunctuated)) + form.commit()
            let text = edits.map { if case .append(let text) = $0 { text } else { "?" } }.joined()
            #expect(text == (isPunctuated ? "aWord is here" : "AWord is here"))
        }
    }

    /// After "room", "one one" is a code in English. The words of another language say nothing about it.
    @Test func noRuleReadsAcrossLanguages() {
        for (language, text) in [("en", "Room 11"), ("de", "Room eins eins")] {
            var form = WrittenForm(usual, of: "en", others: ["de": tables.lexicon("de-DE")])
            var edits = form.append(SpokenText("room", pauseAfter: .none, language: "en"))
            edits += form.append(SpokenText(language == "en" ? "one one" : "eins eins", language: language))
            edits += form.commit()
            #expect(edits.map { if case .append(let text) = $0 { text } else { "?" } }.joined() == text)
        }
    }

    @Test func aCommandIsOneOnlyAlone() {
        var dictated = Dictated(usual, punctuated: true)
        dictated.append("New block. Hello there.")
        dictated.commit()
        #expect(dictated.commands.isEmpty && dictated.written == "New block. Hello there.")
    }

    @Test func theReasonsOfAReadingAreKeptIfTheyAreWanted() {
        for explains in [false, true] {
            var form = WrittenForm(usual, explains: explains)
            _ = form.append("the waiting period is over comma yes")
            _ = form.commit()
            let explanations = form.takeExplanations()
            #expect(explanations.map(\.words) == (explains ? ["period", "comma"] : []))
            #expect(explanations.map(\.reading) == (explains ? ["words", "mark"] : []))
            #expect(form.takeExplanations().isEmpty)
        }
    }

    @Test func thereAreAllGeneralCases() {
        #expect(WrittenFormCase.general.count == 334)
    }

    @Test(arguments: [
        (
            "send it on march third at three thirty comma bring fifty dollars period",
            "Send it on March 3 at 3:30, bring $50."
        ),
        ("the eighteen hundreds and the nineteen hundreds", "The 1800s and the 1900s"),
        ("two f b i agents", "Two FBI agents"),
        ("call one eight hundred five five five oh one nine nine", "Call 1-800-555-0199"),
        ("it costs three and a half million dollars", "It costs $3.5 million"),
        ("a p d f and the p d f i sent", "A PDF and the PDF I sent"),
        ("mail john dot smith at g mail dot com please", "Mail john.smith@gmail.com please"),
        (
            "open h t t p colon slash slash localhost colon eight oh eight oh slash index dot html",
            "Open http://localhost:8080/index.html"
        ),
        ("open readme dot txt", "Open readme.txt"),
        ("between five and ten people", "Between 5 and 10 people"),
        ("it may be in may", "It may be in May"),
        ("two or three million people", "2 or 3 million people"),
        ("open twenty four slash seven", "Open 24/7"),
        ("room two twenty five", "Room 225"),
        ("oh nine hundred hours", "09:00"),
        ("the two hundred and fifty sixth", "The 256th"),
        ("a thirty second break", "A 30 second break"),
        ("five colon thirty", "5:30"),
        ("two point five kilograms", "2.5 kg"),
        ("quote unquote", "Quote unquote"),
        ("he is five foot ten period", "He is 5 foot 10."),
        ("a six foot two inch board", "A 6 foot 2 inch board"),
        ("the five foot wall", "The five foot wall"),
        ("a five foot two hundred pound man", "A five foot 200 pound man"),
        ("we meet on january fifth period", "We meet on January 5."),
        ("his period was long", "His period was long"),
        ("it works period this period is hard", "It works. This period is hard"),
        ("i gave it to her period is it hers", "I gave it to her period is it hers"),
        ("i like that period is it yours", "I like that. Is it yours"),
        ("is it his question mark", "Is it his?"),
    ])
    func writesOrdinaryText(spoken: String, written: String) {
        #expect(write(spoken).written == written)
    }

    @Test(arguments: [
        ("the red one \\comma blue \\new_paragraph the", "The red one, blue\\n\\nThe"),
        ("they came in \\period of the three", "They came in period of the three"),
        ("mister john \\dash would have been", "Mister john dash would have been"),
        ("write literal \\comma please", "Write comma please"),
        ("write \\xyzzy_mark please", "Write \\\\xyzzy_mark please"),
        ("twenty \\comma five", "20, five"),
    ])
    func aMarkThatTheEngineHeardNeedsEvidenceToo(spoken: String, written: String) {
        #expect(write(spoken).written == written)
    }

    @Test(arguments: [
        ("hello there", true), ("monday is late", false), ("twenty days", false), ("comma hello", false),
        ("cap hello", false), ("i see", false), ("new line hello", false),
    ])
    func reportsAnInitialCapital(spoken: String, isOfTheBlock: Bool) {
        #expect(write(spoken).form.hasInitialCapital == isOfTheBlock)
    }

    /// French engines write a space before some marks.
    @Test(arguments: ["Tu viens ? point d'interrogation", "Tu viens ? Point d'interrogation. "])
    func theEnginesMarkAfterASpaceBelongsToTheWordBefore(spoken: String) {
        var dictated = Dictated(tables.lexicon("fr-FR"), punctuated: true)
        dictated.say(spoken.split(separator: " "))
        dictated.commit()
        #expect(WrittenFormCase.folded(dictated.written) == "Tu viens ?")
    }

    @Test func commandsMustStandAlone() {
        #expect(write("hello <p> new block").commands == [.session(.endBlock)])
        #expect(write("stop dictation").commands == [.session(.endDictation)])
        #expect(write("a new block of flats").written == "A new block of flats")
        #expect(write("please stop dictation now").written == "Please stop dictation now")
    }

    @Test func phrasesAreReportedAndNotWritten() {
        let dictated = write("hello <p> send the message <p> bye", clientPhrases: ["send the message"])
        #expect(dictated.commands == [.phrase("send the message")])
        #expect(dictated.written == "Hello bye")
        #expect(write("i send the message", clientPhrases: ["send the message"]).commands == [])
    }

    @Test func theEnginesMarkGoesWithTheWordsBeforeIt() {
        var dictated = Dictated(usual, punctuated: true)
        dictated.say("One day. <p> Two days. <p> Scratch that.".split(separator: " "))
        #expect(dictated.text == "One day.")
        dictated.say("<p> Scratch that.".split(separator: " "))
        #expect(dictated.text == "")
    }

    @Test func commandWordsAreTextIfDisabled() {
        #expect(write("i like tea scratch that", commands: false).written == "I like tea scratch that")
    }

    @Test func oneHundredPartialWordsAreHeldNoLongerThanNeeded() {
        var dictated = Dictated(usual)
        dictated.say("we walked along the river and saw birds".split(separator: " "))
        #expect(dictated.text == "We walked along the river and saw birds")
        dictated.say("twenty".split(separator: " "))
        #expect(dictated.text == "We walked along the river and saw birds")
        #expect(dictated.form.preview(of: "five") == " 25")
        dictated.say("<p>")
        #expect(dictated.text == "We walked along the river and saw birds 20")
    }

    /// Each of these words can belong to the unit before it.
    private static let continuing = [
        "one", "a", "u", "double", "dot", "and", "slash", "hundred", "million", "point", "minus", "plus",
        "times",
        "dash", "at", "to", "comma", "period", "half", "numeral", "spell", "cap", "literal", "scratch",
        "open",
    ]

    @Test(arguments: continuing) func heldWordsAreBounded(word: String) {
        for words in [[word], ["one", word]] {
            var dictated = Dictated(usual)
            dictated.say("go".split(separator: " "))
            for index in 0..<500 { dictated.say(Substring(words[index % words.count])) }
            #expect(dictated.form.heldWords <= WrittenForm.mostHeld, "\(words)")
        }
    }

    /// The stack of a thread is some hundred thousand frames at most.
    @Test(arguments: continuing) func aUnitOfAnyLengthTakesLinearTime(word: String) {
        let words = Array(repeating: word, count: 20_000).joined(separator: " ")
        #expect(!WrittenForm(usual).preview(of: words).isEmpty)
        let pairs = Array(repeating: "one \(word)", count: 10_000).joined(separator: " ")
        #expect(!WrittenForm(usual).preview(of: pairs).isEmpty)
    }
}
