import DictationCore
import DictationSimulation
import LanguageFiles

extension FuzzTarget {
    /// The words of an engine, in one of the languages. "<p>" is a pause, "<p:300>" a short one.
    static let writtenForm = FuzzTarget("written-form") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let words = text.utf8.split { byte in byte <= UInt8(ascii: " ") }.prefix(wordLimit)
            .map { String(Substring($0)) }
        let lexicons = try lexicons.get()
        let lexicon = lexicons[bytes.count % lexicons.count]
        for isPunctuated in [false, true] {
            var generator = bytes.generator
            try WrittenFormCheck(lexicon, punctuated: isPunctuated).check(words, cutBy: &generator)
        }
    }

    /// The check takes quadratic time.
    private static let wordLimit = 60

    private static let lexicons = Result { () throws in
        try ["en-US", "de-DE", "fr-FR", "es-ES"].map { try lexicon($0) }
    }

    private static func lexicon(_ language: String) throws -> Lexicon {
        guard let table = try LanguageFolder.ofProgram().table(for: language) else {
            throw FuzzFailure("there is no table of \(language)")
        }
        let phrases = [
            UserPhrase(spoken: "pipe wire", written: "PipeWire"),
            UserPhrase(spoken: "new thing", written: "a\nb "),
        ]
        return Lexicon(
            table, region: LanguageFolder.region(of: language), phrases: phrases, clientPhrases: ["send it"])
    }
}
