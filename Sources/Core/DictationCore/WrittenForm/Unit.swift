/// Words that a rule writes together, such as a number or a date.
struct Unit {
    /// The number of words.
    var length: Int
    var writing: Writing

    init(_ length: Int, _ writing: Writing) {
        self.length = length
        self.writing = writing
    }

    /// Whether something else is written than was said. Marks explain themselves.
    var isRewritten: Bool {
        switch writing {
        case .words, .literal, .mark, .nameOfMark: false
        default: true
        }
    }
}

enum Writing {
    /// The words as they were spoken.
    case words
    /// A word. Case commands apply to it.
    case word(String)
    /// Text to which case commands do not apply, such as a number.
    case fixed(String)
    /// The text of a user's phrase, unchanged.
    case verbatim(String)
    /// Continues the word before it: the end of an address.
    case continued(String)
    /// The words as they were spoken: a mark that a sentence is about.
    case nameOfMark
    case mark(Lexicon.Mark)
    case control(LanguageTable.Control)
    case command(CommandEffect)
    /// The last words as they were spoken, without the word "literal" before them.
    case literal(Int)
}
