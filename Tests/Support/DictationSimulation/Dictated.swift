public import DictationCore

/// Blocks of text in written form, as the service keeps them.
public struct Dictated {
    let lexicon: Lexicon
    let isPunctuated: Bool
    public private(set) var forms: [WrittenForm]
    public private(set) var texts = [""]
    /// Spoken commands and phrases.
    public private(set) var commands: [WrittenForm.Edit] = []
    /// How often text was taken back.
    public private(set) var retractions = 0

    public init(_ lexicon: Lexicon, punctuated: Bool = false) {
        self.lexicon = lexicon
        isPunctuated = punctuated
        forms = [WrittenForm(lexicon, punctuated: punctuated)]
    }

    public var form: WrittenForm { forms[forms.count - 1] }
    public var text: String { texts[texts.count - 1] }

    public mutating func say(_ words: some Sequence<Substring>) {
        for word in words { say(word) }
    }

    public mutating func say(_ word: Substring) {
        switch word {
        case "<p>": apply(forms[forms.count - 1].pause())
        case "<cut>": break
        case "<commit>":
            commit()
            forms.append(WrittenForm(lexicon, punctuated: isPunctuated))
            texts.append("")
        default:
            if let pause = Pause(notation: word) {
                apply(forms[forms.count - 1].pause(pause))
            } else {
                append(word)
            }
        }
    }

    public mutating func append(_ words: Substring) { apply(forms[forms.count - 1].append(String(words))) }

    public mutating func commit() { apply(forms[forms.count - 1].commit()) }

    private mutating func apply(_ edits: [WrittenForm.Edit]) {
        for edit in edits {
            switch edit {
            case .append(let text): texts[texts.count - 1] += text
            case .retract(let count):
                retractions += 1
                texts[texts.count - 1].unicodeScalars.removeLast(count)
            case .retractEarlier:
                retractions += 1
                for index in forms.indices.dropLast().reversed() {
                    guard let count = forms[index].takeBack() else { continue }
                    texts[index].unicodeScalars.removeLast(count)
                    break
                }
            case .session, .phrase: commands.append(edit)
            }
        }
    }

    /// The blocks in the format of the cases.
    public var written: String {
        texts.map { text in
            text.isEmpty
                ? "\\e"
                : text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\t", with: "\\t")
        }.joined(separator: " <commit> ")
    }
}
