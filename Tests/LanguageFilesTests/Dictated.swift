import DictationCore

/// Blocks of text in written form, as the service keeps them.
struct Dictated {
    let lexicon: Lexicon
    let isPunctuated: Bool
    private(set) var forms: [WrittenForm]
    private(set) var texts = [""]
    /// Spoken commands and phrases.
    private(set) var commands: [WrittenForm.Edit] = []

    init(_ lexicon: Lexicon, punctuated: Bool = false) {
        self.lexicon = lexicon
        isPunctuated = punctuated
        forms = [WrittenForm(lexicon, punctuated: punctuated)]
    }

    var form: WrittenForm { forms[forms.count - 1] }
    var text: String { texts[texts.count - 1] }

    mutating func say(_ words: some Sequence<Substring>) {
        for word in words { say(word) }
    }

    mutating func say(_ word: Substring) {
        switch word {
        case "<p>": apply(forms[forms.count - 1].pause())
        case "<cut>": break
        case "<commit>":
            commit()
            forms.append(WrittenForm(lexicon, punctuated: isPunctuated))
            texts.append("")
        default: take(word)
        }
    }

    mutating func take(_ words: Substring) { apply(forms[forms.count - 1].take(String(words))) }

    mutating func commit() { apply(forms[forms.count - 1].commit()) }

    private mutating func apply(_ edits: [WrittenForm.Edit]) {
        for edit in edits {
            switch edit {
            case .append(let text): texts[texts.count - 1] += text
            case .retract(let count): texts[texts.count - 1].unicodeScalars.removeLast(count)
            case .retractEarlier:
                for index in forms.indices.dropLast().reversed() {
                    guard let count = forms[index].takeBack() else { continue }
                    texts[index].unicodeScalars.removeLast(count)
                    break
                }
            case .endBlock, .endDictation, .phrase: commands.append(edit)
            }
        }
    }

    /// The blocks in the format of the cases.
    var written: String {
        texts.map { text in
            text.isEmpty
                ? "\\e"
                : text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\t", with: "\\t")
        }.joined(separator: " <commit> ")
    }
}

extension WrittenFormCase {
    /// - Parameter usual: of en-US, without a user's phrases; others are made of `table`.
    func write(_ usual: Lexicon, _ table: LanguageTable) -> String {
        let isUsual = region == "US" && phrases.isEmpty
        let lexicon = isUsual ? usual : Lexicon(table, region: region, phrases: phrases)
        var dictated = Dictated(lexicon, punctuated: isPunctuated)
        dictated.say(spoken.split(separator: " "))
        dictated.commit()
        return dictated.written
    }
}
