/// Some words that are written as one thing.
struct Unit {
    /// How many words.
    var length: Int
    var writing: Writing

    init(_ length: Int, _ writing: Writing) {
        self.length = length
        self.writing = writing
    }
}

enum Writing {
    /// As they were said.
    case words
    /// One word, written so unless capitals are asked for.
    case word(String)
    /// A number and the like: never changed by capitals.
    case fixed(String)
    /// As the user wants it, to the letter.
    case verbatim(String)
    /// Continues the word before it: the end of an address.
    case continued(String)
    case mark(Lexicon.Mark)
    case control(LanguageTable.Control)
    case command(Command)
    /// The last words as they were said, without those that asked for it.
    case literal(Int)

    enum Command {
        case scratch, newBlock, stop
        case phrase(String)
    }
}
