import DictationCore
import LanguageFiles
import Testing

/// The setting "clean-up: fillers", with the rules of the languages' files.
@Suite struct CleanUpTests {
    private func cleanUp(_ language: String) throws -> CleanUp {
        let table = try languages.table(for: language)
        return CleanUp([language: try #require(table).cleanUp], of: language)
    }

    private func clean(_ text: String, _ language: String = "en", isPunctuated: Bool = false) throws -> String
    {
        var cleanUp = try cleanUp(language)
        return cleanUp.clean(SpokenText(text, isPunctuated: isPunctuated)).words
    }

    @Test(arguments: [
        ("um i think uh we should go", "i think we should go"),
        ("i i think the the cat", "i think the cat"),
        ("i um i think", "i think"),
        ("the the the end", "the end"),
        ("we should we should go", "we should go"),
        ("can you can you call me", "can you call me"),
        ("i want to i want to know", "i want to know"),
        ("what is the what is the price", "what is the price"),
        ("it was th- the cat", "it was the cat"),
        ("uh", ""),
        // What people say twice on purpose.
        ("i know that that is so", "i know that that is so"),
        ("he had had enough", "he had had enough"),
        ("it is very very good", "it is very very good"),
        ("no no no", "no no no"),
        ("i told you you could", "i told you you could"),
        ("two two four", "two two four"),
        ("on and on and on", "on and on and on"),
        ("again and again and again", "again and again and again"),
        ("he came in in time", "he came in in time"),
        ("a uh huh moment", "a huh moment"),
        ("the umbrella hums", "the umbrella hums"),
        ("bye bye", "bye bye"),
        ("thank you thank you", "thank you thank you"),
        ("pre- and post-war", "pre- and post-war"),
    ])
    func leavesOutHesitationAndRepeatedStartsInEnglish(spoken: String, kept: String) throws {
        #expect(try clean(spoken) == kept)
    }

    @Test(arguments: [
        ("Um, I think we should go.", "I think we should go."),
        ("Um, so we go.", "So we go."),
        ("I, uh, think so.", "I think so."),
        ("I, I think so.", "I think so."),
        ("I think so, um.", "I think so."),
        ("We go. Uh, the cat stays. Um.", "We go. The cat stays."),
        ("We came. We saw.", "We came. We saw."),
        ("So, um, what now?", "So what now?"),
    ])
    func keepsTheMarksOfAnEngine(spoken: String, kept: String) throws {
        #expect(try clean(spoken, isPunctuated: true) == kept)
    }

    @Test(arguments: [
        ("de", "ähm ich ich glaube wir sollten äh gehen", "ich glaube wir sollten gehen"),
        ("de", "die die das sagen", "die die das sagen"),
        ("de", "kannst du kannst du mich hören", "kannst du mich hören"),
        ("fr", "euh je je pense que nous nous voyons", "je pense que nous nous voyons"),
        ("es", "eh yo yo creo que el el gato", "yo creo que el gato"),
    ])
    func knowsTheRulesOfEachLanguage(language: String, spoken: String, kept: String) throws {
        #expect(try clean(spoken, language) == kept)
    }

    @Test func theFirstOfARepetitionStaysAcrossPiecesOfSpeech() throws {
        var cleanUp = try cleanUp("en")
        #expect(cleanUp.clean(SpokenText("so i")).words == "so i")
        #expect(cleanUp.clean(SpokenText("i um i think")).words == "think")
        // The end of a sentence is never lost.
        var punctuated = try self.cleanUp("en")
        _ = punctuated.clean(SpokenText("He said the", isPunctuated: true))
        #expect(punctuated.clean(SpokenText("the.", isPunctuated: true)).words == "the.")
    }

    @Test func pausesStayWithTheWordsBeforeThem() throws {
        var cleanUp = try cleanUp("en")
        let spoken = SpokenText("um i uh think", pauses: [.short, .none, .long, .none])
        let kept = cleanUp.clean(spoken)
        #expect(kept.words == "i think" && kept.pauses == [.long, .none] && kept.pauseBefore == .short)
    }

    @Test func aLanguageWithoutRulesKeepsEveryWord() throws {
        var cleanUp = try cleanUp("en")
        #expect(cleanUp.clean(SpokenText("um um", language: "ja")).words == "um um")
    }

    @Test func wordsOfAnyLengthAreTaken() throws {
        let long = String(repeating: "a\u{301}\u{302}", count: 100_000)
        #expect(try clean("i \(long) i \(long)") == "i \(long) i \(long)")
    }
}
