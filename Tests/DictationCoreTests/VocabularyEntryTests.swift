import DictationCore
import Testing

@Suite struct VocabularyEntryTests {
    private func isValid(_ word: String, _ pronunciation: String? = nil) -> Bool {
        TranscriptionRequest.VocabularyEntry(word: word, pronunciation: pronunciation).fault == nil
    }

    @Test(arguments: ["Kubernetes", "naïve", "x", String(repeating: "x", count: 64)])
    func anyWordCanBeAdded(_ word: String) {
        #expect(isValid(word))
    }

    /// A word becomes a line of a dictionary.
    @Test(arguments: [
        "", " ", "two words", "tab\tbed", "line\nbreak", "bell\u{7}", "<sil>", "read(2)",
        String(repeating: "x", count: 65),
    ])
    func whatIsNoWordIsRefused(_ word: String) {
        #expect(!isValid(word))
    }

    @Test func thePronunciationIsInPhonesOrInWords() {
        #expect(isValid("hello", "HH AH L OW") && isValid("hello", "hal low"))
        #expect(!isValid("hello", "") && !isValid("hello", "HH AH1") && !isValid("hello", "Hal LOW"))
        #expect(!isValid("hello", String(repeating: "A ", count: 129)))
    }
}
