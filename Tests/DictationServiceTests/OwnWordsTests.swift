import DBus
import DictationCore
import Testing

@testable import DictationService

/// The words from an agent are checked.
@Suite struct OwnWordsTests {
    @Test func wordsKeepTheirOrderAndAreOptional() throws {
        let entries = try OwnWords.entries(["nginx", "WireGuard"], ["engine ex", ""])
        #expect(entries.map(\.word) == ["nginx", "WireGuard"])
        #expect(entries.map(\.pronunciation) == ["engine ex", nil])
        #expect(entries.map(\.isOptional) == [true, true])
    }

    @Test(
        arguments: [
            (["one"], [], "as many"),
            ([String](repeating: "a", count: 1001), [String](repeating: "", count: 1001), "1000"),
            (
                [String](repeating: String(repeating: "a", count: 64), count: 800),
                [String](repeating: String(repeating: "b", count: 64), count: 800), "65536"
            ),
            (["two words"], [""], "one word"), (["nginx"], ["Engine"], "'nginx'"),
            ([String(repeating: "a", count: 256)], [""], "255"),
        ] as [([String], [String], String)])
    func wrongWordsAreRefused(words: [String], sounds: [String], message: String) {
        let refusal = #expect(throws: Refusal.self) {
            try OwnWords.entries(words.map { BusText($0) }, sounds.map { BusText($0) })
        }
        #expect(refusal?.message.contains(message) == true, "\(refusal?.message ?? "")")
    }
}
