import DictationCore
import DictationSimulation
import DictationTestKit
import Foundation
import Glibc
import LanguageFiles
import Testing

@Suite struct LanguageFileTests {
    /// A pipe never ends, and must not be waited for.
    @Test func refusesATableThatIsAPipe() throws {
        let folder = try TemporaryDirectory()
        #expect(mkfifo(folder.path(of: "en.yaml"), 0o600) == 0)
        let error = #expect(throws: LanguageFileError.self) {
            try LanguageFolder(path: folder.path).table(for: "en")
        }
        #expect(error?.message.contains("not a regular file") == true)
    }

    private func write(_ spoken: String, in language: String) throws -> String {
        var dictated = Dictated(Lexicon(try #require(try languages.table(for: language))))
        dictated.say(spoken.split(separator: " "))
        dictated.commit()
        return dictated.written
    }

    private func failure(_ text: String) throws -> String {
        let folder = try TemporaryDirectory()
        try Data(text.utf8).write(to: URL(filePath: folder.path + "/xx.yaml"))
        let error = #expect(throws: LanguageFileError.self) {
            try LanguageFolder(path: folder.path).table(for: "xx-YY")
        }
        return try #require(error).description.replacing(folder.path + "/", with: "")
    }

    @Test func germanHasItsMarks() throws {
        #expect(
            try write("wir kommen komma wenn es geht punkt neue zeile bis bald ausrufezeichen", in: "de-AT")
                == "Wir kommen, wenn es geht.\\nBis bald!")
        #expect(try write("das ist der punkt", in: "de") == "Das ist der punkt")
        #expect(
            try write("er sagte anführungszeichen auf ja anführungszeichen zu", in: "de") == "Er sagte „ja“")
    }

    @Test(arguments: [
        ("de", "guten tag komma wie geht es dir fragezeichen", "Guten tag, wie geht es dir?"),
        ("de", "das ist gut punkt es geht weiter punkt", "Das ist gut. Es geht weiter."),
        ("de", "liebe anna komma neuer absatz danke", "Liebe anna,\\n\\nDanke"),
        ("de", "er kam doppelpunkt zu spät ausrufezeichen", "Er kam: zu spät!"),
        ("de", "das haus klammer auf alt klammer zu steht", "Das haus (alt) steht"),
        ("fr", "c'est fini point à la ligne au revoir", "C'est fini.\\nAu revoir"),
        ("fr", "nouveau paragraphe bonjour", "\\n\\nBonjour"),
    ])
    func otherLanguagesHaveMarksAndCapitals(language: String, spoken: String, written: String) throws {
        #expect(try write(spoken, in: language) == written)
    }

    @Test func frenchHasItsMarksAndTheirSpaces() throws {
        #expect(
            try write("tu viens point d'interrogation oui virgule bien sûr point", in: "fr-FR")
                == "Tu viens\u{202F}? Oui, bien sûr.")
        #expect(try write("c'est le point de départ", in: "fr") == "C'est le point de départ")
    }

    @Test func anUnknownLanguageHasNoTable() throws {
        #expect(try languages.table(for: "tlh") == nil)
        #expect(try languages.table(for: "../en") == nil)
        #expect(try languages.table(for: "") == nil)
    }

    @Test(arguments: [
        ("language: xx\nwirds: {}\n", "xx.yaml:2: there is no key 'wirds'"),
        ("language: xx\nwords: {verb: [be]}\n", "xx.yaml:2: there is no role 'verb'"),
        ("language: xx\nwords: [", "xx.yaml:3: is not valid YAML: did not find expected node content"),
        (
            "language: xx\nmarks:\n  A:\n    - {say: [x], write: y, spacing: odd}\n",
            "xx.yaml:4: there is no 'odd', but: attached, sentence, between, apart, prefix, before-number, opening, closing, apostrophe, line-break, blank"
        ),
        ("language: xx\nmarks:\n  A:\n    - {say: [x], spacing: apart}\n", "xx.yaml:4: 'write' is missing"),
        ("- a\n", "xx.yaml: the file must be a mapping"),
        ("language: xx\nhabits:\n  before-marks:\n    6: word\n", "xx.yaml:4: a habit is between -4 and 5"),
        ("language: xx\nhabits:\n  after-marks:\n    -5: word\n", "xx.yaml:4: a habit is between -4 and 5"),
    ])
    func reportsErrorsWithFileAndLine(text: String, message: String) throws {
        #expect(try failure(text) == message)
    }

    @Test func regionsAreReadFromTags() {
        #expect(LanguageFolder.region(of: "en-GB") == "GB")
        #expect(LanguageFolder.region(of: "en") == nil)
        #expect(LanguageFolder.region(of: "zh-Hans-CN") == "CN")
    }
}
