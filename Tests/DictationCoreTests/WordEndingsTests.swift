import Testing

@testable import DictationCore

@Suite struct WordEndingsTests {
    private static let endings = WordEndings([
        .adjective: ["y", "able", "al"], .adverb: ["ly", "eightbyt", "z"], .verb: ["ed", "ned", "ly"],
    ])

    /// The longest ending counts, and its stem has two bytes at least.
    @Test func theEndingDecides() {
        func classes(_ word: String) -> WordClasses { Self.endings.classes(of: word) }
        for word in ["used", "ined", "aned"] { #expect(classes(word) == WordClasses(.verb), "\(word)") }
        for word in ["sly", "portable", "postal"] {
            #expect(classes(word) == WordClasses(.adjective), "\(word)")
        }
        for word in ["aneightbyt", "a9eightbyt", "jazz"] {
            #expect(classes(word) == WordClasses(.adverb), "\(word)")
        }
        #expect(classes("slowly") == WordClasses(.adverb, .verb))
        for word in ["bed", "ly", "able", "aneightbyto", "house", "", "é"] {
            #expect(classes(word) == WordClasses(), "\(word)")
        }
    }

    /// Of each length there are many.
    @Test func everyEndingIsFound() {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        for length in 1...8 {
            let all = letters.map { String(repeating: "x", count: length - 1) + String($0) }
            let endings = WordEndings([.adjective: all])
            for ending in all {
                #expect(endings.classes(of: "qq" + ending) == WordClasses(.adjective), "\(ending)")
            }
        }
    }

    @Test func habitsAreThoseOfAWordInLowerCase() {
        var habits = MarkHabits()
        #expect(habits.before("the") == 0 && habits.after("the") == 0)
        habits.before = ["the": -3]
        habits.after = ["the": 2]
        #expect(habits.before("the") == -3 && habits.before("The") == -3 && habits.before("house") == 0)
        #expect(habits.after("the") == 2 && habits.after("The") == 2 && habits.after("house") == 0)
    }
}
