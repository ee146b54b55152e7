import Testing

@testable import DictationCore

@Suite struct PassageFilterTests {
    /// As measured: a short word, a sentence of 6 s, a whispered sentence of 3 s, a knock, three breaths, a ringtone.
    private static let word = VoiceEvidence(active: 38, pitched: 30, moving: 17)
    private static let sentence = VoiceEvidence(active: 516, pitched: 256, moving: 160)
    private static let whisper = VoiceEvidence(active: 307)
    private static let knock = VoiceEvidence(active: 8)
    private static let breath = VoiceEvidence(active: 179)
    private static let ringtone = VoiceEvidence(active: 241, pitched: 236)

    /// A recogniser that does not hear short words decides nothing.
    @Test(
        arguments: ["You", "Thank you.", "Bye.", "Oh.", "So.", "Vielen Dank.", "你好", "$5"], [nil, "", "if"])
    func keepsShortWordsThatAreHeard(_ text: String, preview: String?) {
        #expect(
            PassageFilter.choose(engine: text, preview: preview, seconds: 0.9, voice: Self.word)
                == .engine(text))
    }

    @Test(arguments: [
        ("Thank you very much for watching and I'll see you in the next video.", 1.02, knock),
        ("Vielen Dank.", 0.5, knock), ("You", 3.0, breath), ("beep beep beep beep beep beep", 2.4, ringtone),
        (
            "Thanks for watching, and don't forget to subscribe!", 20.0,
            VoiceEvidence(active: 1900, pitched: 1860)
        ),
    ])
    func dropsWordsWhereTheSoundHasNoVoice(_ text: String, seconds: Double, voice: VoiceEvidence) {
        for preview in [nil, ""] {
            #expect(
                PassageFilter.choose(engine: text, preview: preview, seconds: seconds, voice: voice)
                    == .noise)
        }
    }

    /// Three times as many words of the preview are enough.
    @Test func aTextWithFewOfTheWordsIsNotUsed() {
        for (preview, choice) in [
            ("we have to go home now", PassageFilter.Choice.preview),
            ("we have to go home", .engine("Hello there.")),
        ] {
            #expect(
                PassageFilter.choose(
                    engine: "Hello there.", preview: preview, seconds: 6, voice: Self.sentence) == choice)
        }
    }

    @Test func aWordWithinATuneIsAVoice() {
        var voice = VoiceEvidence(active: 900, pitched: 880, moving: 3)
        #expect(voice.source == .tones)
        voice += Self.word
        #expect(voice.source == .voice)
        voice += VoiceEvidence(active: 900, pitched: 880, moving: 3)
        #expect(voice.source == .voice)
    }

    /// A tenth of the pitched frames must move, unless there is a third of a second that moves.
    @Test func fewMovingFramesInALongTuneAreNoVoice() {
        #expect(VoiceEvidence(active: 400, pitched: 291, moving: 29).source == .tones)
        #expect(VoiceEvidence(active: 400, pitched: 290, moving: 29).source == .voice)
        #expect(VoiceEvidence(active: 400, pitched: 301, moving: 30).source == .voice)
    }

    @Test func keepsAWhisperedSentence() {
        let text = "Please send the report to the manager tomorrow morning."
        #expect(
            PassageFilter.choose(engine: text, preview: "", seconds: 5, voice: Self.whisper) == .engine(text))
    }

    @Test func keepsEverythingOfAnEngineThatDetectsSpeech() {
        #expect(
            PassageFilter.choose(
                engine: "You", preview: "", seconds: 1, voice: Self.knock, detectsSpeech: true)
                == .engine("You"))
        #expect(
            PassageFilter.choose(
                engine: "", preview: "babble", seconds: 6, voice: Self.sentence, detectsSpeech: true)
                == .nothing)
    }

    @Test func keepsTextWhereTheSoundIsUnknown() {
        #expect(
            PassageFilter.choose(engine: "Thank you.", preview: "", seconds: 1.2, voice: nil)
                == .engine("Thank you."))
    }

    private static let heard =
        "had he married a more amiable woman he might have been made still more respectable"

    @Test(arguments: [
        "Thank you.", "Thank you for watching!", "[Music]", "[BLANK_AUDIO]", "(upbeat music)", "♪♪", "",
        "...",
        "you you you you you you you you you you you you you you you you",
    ])
    func thePreviewCountsWhereTheEngineMissesSpeech(_ text: String) {
        #expect(
            PassageFilter.choose(engine: text, preview: Self.heard, seconds: 6, voice: Self.sentence)
                == .preview)
    }

    @Test func anEmptyAnswerDoesNotDeleteAWord() {
        #expect(PassageFilter.choose(engine: "", preview: "yes", seconds: 0.9, voice: Self.word) == .preview)
        #expect(PassageFilter.choose(engine: "", preview: "", seconds: 0.9, voice: Self.word) == .nothing)
    }

    @Test(arguments: ["No, no, no, no, I don't want that.", "Test test test test.", "Ha ha ha ha ha"])
    func keepsWordsThatAreSaidAgain(_ text: String) {
        #expect(
            PassageFilter.choose(engine: text, preview: "no no i don't", seconds: 3, voice: Self.sentence)
                == .engine(text))
    }

    /// Three quarters of the text or more.
    @Test(arguments: [(9, true), (8, false)])
    func aLoopIsMostOfTheText(repetitions: Int, isLoop: Bool) {
        let words = ["so", "then", "we"] + [String](repeating: "go", count: repetitions)
        #expect(PassageFilter.isLoop(words) == isLoop)
    }

    @Test func eightRepetitionsAreALoopAndSevenAreNot() {
        for length in 1...4 {
            let phrase = ["a", "b", "c", "d"].prefix(length)
            let words = (0..<8).flatMap { _ in phrase }
            #expect(PassageFilter.isLoop(words))
            #expect(!PassageFilter.isLoop(Array(words.dropLast())))
        }
    }

    @Test func aLongScriptWithoutSpacesIsNotOneWord() {
        let text = "今日は天気がいいから散歩しましょう"
        #expect(
            PassageFilter.choose(
                engine: text, preview: "a b c d e f g h i j", seconds: 4,
                voice: VoiceEvidence(active: 300, pitched: 200, moving: 120)) == .engine(text))
    }

    @Test(arguments: [
        ("over the hill", "The quick fox runs over the", "hill"),
        ("the hill", "runs over the hill.", ""),
        ("own fox jumps over it", "the quick brown fox jumps", "over it"),
        // One word behind another is said again: it is not the end of a word that was cut.
        ("about the sea", "we were swimming in the", "about the sea"),
        ("x one two three four five six seven", "one two three four five six", "seven"),
        ("Something else", "the quick brown fox", "Something else"),
        ("A new start", "", "A new start"), ("", "the end", ""),
    ])
    func joinsOverlappingTexts(_ next: String, previous: String, remainder: String) {
        #expect(PassageOverlap.remainder(of: next, after: previous) == remainder)
    }

    /// The first words of a text that overlaps are not shown again until it has more.
    @Test(arguments: [
        ("Runs", ""), ("runs over", ""), ("runs over the", ""), ("runs over the hill", "hill"),
        ("hill", "hill"),
    ])
    func textThatGoesOnRepeatsNothing(_ next: String, remainder: String) {
        #expect(
            PassageOverlap.remainder(of: next, after: "The fox runs over the", mayGoOn: true) == remainder)
    }
}
