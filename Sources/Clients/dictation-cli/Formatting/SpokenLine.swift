import DictationCore

/// One line of speech: words, with `<p>`, `<p:300>`, `<cut>` and `<commit>` between them.
struct SpokenLine {
    let lexicon: Lexicon
    let isPunctuated: Bool
    private let explains: Bool
    /// Why words were read as they were, if asked for.
    private(set) var explanations: [Explanation] = []
    private var blocks: [(form: WrittenForm, text: String)] = []
    /// "stop dictation" was said.
    private var hasStopped = false

    init(_ line: String, lexicon: Lexicon, punctuated: Bool, explains: Bool = false) {
        self.lexicon = lexicon
        isPunctuated = punctuated
        self.explains = explains
        beginBlock()
        for word in line.split(whereSeparator: \.isWhitespace) where !hasStopped { append(word) }
        change { $0.commit() }
    }

    /// The blocks in their final form, in one line.
    var written: String {
        blocks.map { Self.escaped($0.text) }.joined(separator: " <commit> ")
    }

    private mutating func append(_ word: Substring) {
        switch word {
        case "<p>": change { $0.pause() }
        case "<cut>": break
        case "<commit>": endBlock()
        default:
            if let pause = DictationCore.Pause(notation: word) {
                change { $0.pause(pause) }
            } else {
                change { $0.append(String(word)) }
            }
        }
    }

    private mutating func beginBlock() {
        blocks.append((WrittenForm(lexicon, punctuated: isPunctuated, explains: explains), ""))
    }

    private mutating func endBlock() {
        change { $0.commit() }
        beginBlock()
    }

    private mutating func change(_ body: (inout WrittenForm) -> [WrittenForm.Edit]) {
        let edits = body(&blocks[blocks.count - 1].form)
        explanations += blocks[blocks.count - 1].form.takeExplanations()
        for edit in edits {
            switch edit {
            case .append(let text): blocks[blocks.count - 1].text += text
            case .retract(let count): blocks[blocks.count - 1].text.unicodeScalars.removeLast(count)
            case .retractEarlier: takeBackEarlier()
            case .session(let command):
                if command.endsBlock { endBlock() }
                if command.endsDictation { hasStopped = true }
            case .phrase: break
            }
        }
    }

    /// The last block with text removes its last utterance.
    private mutating func takeBackEarlier() {
        for index in blocks.indices.reversed() {
            guard let count = blocks[index].form.takeBack() else { continue }
            blocks[index].text.unicodeScalars.removeLast(count)
            return
        }
    }

    private static func escaped(_ text: String) -> String {
        if text.isEmpty { return "\\e" }
        return text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\t", with: "\\t")
    }
}
