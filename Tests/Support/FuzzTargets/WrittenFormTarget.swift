import DictationCore
import DictationSimulation
import LanguageFiles

extension FuzzTarget {
    /// The words of an engine. "<p>" is a pause.
    static let writtenForm = FuzzTarget("written-form") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let words = text.utf8.split { byte in byte <= UInt8(ascii: " ") }.prefix(wordLimit)
            .map { String(Substring($0)) }
        let lexicon = try lexicon.get()
        for isPunctuated in [false, true] {
            var generator = bytes.generator
            try WrittenFormCheck(lexicon, punctuated: isPunctuated).check(words, cutBy: &generator)
        }
    }

    /// The check takes quadratic time.
    private static let wordLimit = 60

    private static let lexicon = Result { () throws in
        guard let table = try LanguageFolder.ofProgram().table(for: "en-US") else {
            throw FuzzFailure("there is no table of English")
        }
        let phrases = [
            UserPhrase(spoken: "pipe wire", written: "PipeWire"),
            UserPhrase(spoken: "new thing", written: "a\nb "),
        ]
        return Lexicon(table, region: "US", phrases: phrases, clientPhrases: ["send it"])
    }
}
