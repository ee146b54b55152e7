internal import CLinux
internal import Glibc

/// The catalogue of gettext in the user's language.
public enum Catalogue {
    private static let domain = "dictation"

    /// Uses the language of the environment, and the catalogues in `share/locale` beside the folder of this program.
    public static func open() {
        setlocale(LC_MESSAGES, "")
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count)
        guard length > 0 else { return }
        let own = String(decoding: path.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let prefix = own.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" }
        bindtextdomain(domain, "\(prefix)/share/locale")
        bind_textdomain_codeset(domain, "UTF-8")
    }

    static func translation(of key: String) -> String {
        // The translation of an empty text is the header of the catalogue.
        guard !key.isEmpty else { return key }
        // Returns its argument if there is no translation.
        return key.withCString { key in
            guard let found = dgettext(domain, key) else { return String(cString: key) }
            return String(cString: found)
        }
    }

    /// Translates a message of another process, which is in English, sentence by sentence. Sentences that no catalogue has
    /// stay.
    public static func translation(ofMessage message: String) -> String {
        message.split(separator: "\n", omittingEmptySubsequences: false).map { translation(ofLine: $0) }
            .joined(separator: "\n")
    }

    /// A text of a catalogue has at most as many sentences. A message can be as long as an engine's error.
    private static let sentenceLimit = 4

    private static func translation(ofLine line: Substring) -> String {
        var translated: [String] = []
        var rest = sentences(of: line)[...]
        while !rest.isEmpty {
            var count = min(rest.count, sentenceLimit)
            var text = rest.prefix(count).joined(separator: " ")
            while count > 0, translation(of: text.replacing("%", with: "%%")) == text {
                count -= 1
                text = rest.prefix(count).joined(separator: " ")
            }
            let isKnown = count > 0
            let key = text.replacing("%", with: "%%")
            translated.append(isKnown ? translation(of: key).replacing("%%", with: "%") : rest.removeFirst())
            rest = rest.dropFirst(count)
        }
        return translated.joined(separator: " ")
    }

    private static func sentences(of line: Substring) -> [String] {
        var sentences: [String] = []
        var sentence: [Substring] = []
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            sentence.append(word)
            guard word.last.map({ ".?!:".contains($0) }) == true else { continue }
            sentences.append(sentence.joined(separator: " "))
            sentence = []
        }
        return sentence.isEmpty ? sentences : sentences + [sentence.joined(separator: " ")]
    }
}
