import Foundation
import Testing

@testable import Pronunciation

@Suite struct PronunciationModelTests {
    /// A language in which each letter has one phone, but "x" has two, "h" none, and that of "c" depends on the next letter.
    private static let toy: [UInt8] = {
        var lines = ["notaword", ""]
        let letters = Array("abexh")
        let sounds = ["a": "AA", "b": "B", "e": "EH", "x": "K S", "h": ""]
        for number in 0..<5 * 5 * 5 {
            let word = [letters[number / 25], letters[number / 5 % 5], letters[number % 5]].map(String.init)
            for (spelled, first) in [("ca", "K AA"), ("ce", "S EH")] {
                let phones = [first] + word.compactMap { sounds[$0] }.filter { !$0.isEmpty }
                lines.append("\(spelled)\(word.joined()) \(phones.joined(separator: " "))")
                lines.append("\(spelled)\(word.joined())(2) \(phones.joined(separator: " "))")
            }
        }
        return Array(lines.joined(separator: "\n").utf8)
    }()

    @Test func learnsWhatLettersStandFor() throws {
        let model = try #require(PronunciationModel(learning: Self.toy))
        #expect(model.pronunciations(of: "cabaxe", most: 1) == ["K AA B AA K S EH"])
        #expect(model.pronunciations(of: "cehbex", most: 1) == ["S EH B EH K S"])
    }

    @Test func givesAsManyDifferentWaysAsAskedFor() throws {
        let model = try #require(PronunciationModel(learning: Self.toy))
        let ways = model.pronunciations(of: "cabab", most: 2)
        #expect(ways.count == 2)
        #expect(Set(ways).count == 2)
    }

    @Test func readsCapitalsMarkedLettersAndHyphens() throws {
        let model = try #require(PronunciationModel(learning: Self.toy))
        #expect(model.pronunciations(of: "Càb-Ab", most: 1) == model.pronunciations(of: "cabab", most: 1))
    }

    @Test(arguments: ["", "-", "7up", "cab cab", "дом", "cab\0", String(repeating: "a", count: 65)])
    func unknownLettersHaveNoPronunciation(word: String) throws {
        let model = try #require(PronunciationModel(learning: Self.toy))
        #expect(model.pronunciations(of: word, most: 3) == [])
    }

    @Test(arguments: ["", "\n\n", "word", "\u{FF}\u{FE} \u{FD}", "a A\nb B"])
    func learnsNothingFromInvalidDictionaries(text: String) {
        #expect(PronunciationModel(learning: Array(text.utf8)) == nil)
    }

    @Test func bytesRoundTrip() throws {
        let model = try #require(PronunciationModel(learning: Self.toy))
        let bytes = model.bytes(hash: 7)
        #expect(PronunciationModel(bytes, hash: 7) == model)
        #expect(PronunciationModel(bytes, hash: 8) == nil)
    }

    @Test func refusesTruncatedBytes() throws {
        let model = try #require(PronunciationModel(learning: Self.toy))
        let bytes = model.bytes(hash: 7)
        for length in stride(from: 0, to: bytes.count, by: 97) {
            #expect(PronunciationModel(Array(bytes.prefix(length)), hash: 7) == nil)
        }
        #expect(PronunciationModel(bytes + [0], hash: 7) == nil)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var changed = bytes
            let index = Int.random(in: 16..<bytes.count, using: &random)
            changed[index] ^= UInt8.random(in: 1...255, using: &random)
            #expect(PronunciationModel(changed, hash: 7) == nil, "byte \(index)")
        }
    }

    /// Phonetisaurus has 7.1 and 28.8 % with words of the same dictionary.
    @Test func pronouncesMostUnseenWords() throws {
        let all = PronunciationModel.entries(of: try PronunciationDictionary.enUS())
        var unseen: [Substring: [[Substring]]] = [:]
        var seen: [(word: Substring, phones: [Substring])] = []
        // They include names with unusual spellings, as in a vocabulary.
        for entry in all {
            if PronunciationModel.hash(of: Array(entry.word.utf8)) % 131 == 7 {
                if entry.word.allSatisfy(\.isLetter) { unseen[entry.word, default: []].append(entry.phones) }
            } else {
                seen.append(entry)
            }
        }
        let clock = ContinuousClock()
        var learned: PronunciationModel?
        let time = clock.measure { learned = PronunciationModel(learning: seen) }
        let model = try #require(learned)
        var wrong = (phones: 0, words: 0, all: 0)
        var phones = 0
        for (word, ways) in unseen {
            let made = model.pronunciations(of: String(word), most: 3).map { $0.split(separator: " ") }
            let first = try #require(made.first, "\(word)")
            let errors = ways.map { (distance(first, $0), $0.count) }.min { $0.0 < $1.0 } ?? (0, 0)
            wrong.phones += errors.0
            phones += errors.1
            if errors.0 > 0 { wrong.words += 1 }
            if !made.contains(where: ways.contains) { wrong.all += 1 }
        }
        func share(_ part: Int, _ whole: Int) -> Double { 100 * Double(part) / Double(whole) }
        print(
            "pronunciations of \(unseen.count) words, learned in \(time): \(share(wrong.phones, phones)) % of the phones, "
                + "\(share(wrong.words, unseen.count)) % of the words, and all three ways of \(share(wrong.all, unseen.count)) % wrong"
        )
        #expect(share(wrong.phones, phones) < 7.3)
        #expect(share(wrong.words, unseen.count) < 29.5)
        #expect(share(wrong.all, unseen.count) < 15)
    }

    private func distance(_ first: [Substring], _ second: [Substring]) -> Int {
        var row = Array(0...second.count)
        for (index, phone) in first.enumerated() {
            var next = [index + 1]
            for (other, wanted) in second.enumerated() {
                next.append(min(row[other + 1] + 1, next[other] + 1, row[other] + (phone == wanted ? 0 : 1)))
            }
            row = next
        }
        return row[second.count]
    }
}

/// Debian's `pocketsphinx-en-us`.
private enum PronunciationDictionary {
    static func enUS() throws -> [UInt8] {
        try Array(
            Data(contentsOf: URL(filePath: "/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict")))
    }
}
