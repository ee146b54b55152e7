/// A word from an engine, with its entry in the table.
struct SpokenWord: Hashable, Sendable {
    /// The word without the engine's punctuation after it.
    var text: String
    /// The engine's punctuation after the word.
    var punctuation = ""
    var sense = Sense()
    /// The silence after the word.
    var pause = Pause.none
    /// The engine distinguished the mark that begins here from words: see ``SpokenMark``.
    var isHeardMark = false

    /// Only punctuation: French engines write a space before some marks.
    var isEngineMark = false

    /// A word's entry in the table.
    struct Sense: Hashable, Sendable {
        var number = WordNumber.none
        var roles = Roles()
        var classes = WordClasses()
        /// The numeric value, for roles that have one.
        var value = 0
        /// Whether the written form differs: "I" for "i".
        var hasWrittenForm = false

        /// Whether it is a name: "Monday".
        var hasName: Bool { hasWrittenForm }
    }

    init(_ text: String, in lexicon: Lexicon) {
        self.init(text, lexicon.sense(of: text) ?? lexicon.sense(of: text.lowercased()))
    }

    private init(_ text: String, _ sense: Sense?) {
        self.text = text
        if let sense { self.sense = sense }
    }

    /// Splits an engine's text into words.
    static func words(of text: String, in lexicon: Lexicon, punctuated: Bool) -> [SpokenWord] {
        var text = text
        var words: [SpokenWord] = []
        text.withUTF8 { bytes in
            words.reserveCapacity(bytes.count / 5 + 1)
            var end = 0
            while end < bytes.count {
                var start = end
                while start < bytes.count, isBlank(bytes[start]) { start += 1 }
                end = start
                var isSimple = true
                while end < bytes.count, !isBlank(bytes[end]) {
                    if bytes[end] < UInt8(ascii: "a") || bytes[end] > UInt8(ascii: "z") { isSimple = false }
                    end += 1
                }
                guard end > start else { break }
                let token = UnsafeBufferPointer(rebasing: bytes[start..<end])
                let word = String(decoding: token, as: UTF8.self)
                if isSimple, !lexicon.hasCompounds, let packed = PackedWord(token) {
                    words.append(SpokenWord(word, lexicon.sense(of: packed)))
                } else {
                    append(word[...], to: &words, in: lexicon, punctuated: punctuated)
                }
            }
        }
        return words
    }

    /// Appends the words of a token that has other characters than lower-case letters.
    private static func append(
        _ token: Substring, to words: inout [SpokenWord], in lexicon: Lexicon, punctuated: Bool
    ) {
        if let phrase = SpokenMark.phrase(of: token), lexicon.isMark(phrase) {
            let first = words.count
            words += phrase.split(separator: " ").map { SpokenWord(String($0), in: lexicon) }
            words[first].isHeardMark = true
            return
        }
        let whole = SpokenWord(String(token), in: lexicon)
        if whole.sense.number != .none {
            words.append(whole)
            return
        }
        if punctuated, token.utf8.allSatisfy(isPunctuation) {
            words.append(whole)
            words[words.count - 1].isEngineMark = true
            return
        }
        let bare = trimmed(token)
        let punctuation = String(token[bare.endIndex...])
        // Some dictionaries write the letter b as "b.".
        if !punctuated, punctuation == ".", bare.utf8.count == 1 {
            words.append(SpokenWord(String(bare), in: lexicon))
            return
        }
        var parts = [SpokenWord(String(bare), in: lexicon)]
        if parts[0].sense.number == .none, bare.utf8.contains(UInt8(ascii: "-")) {
            let split = bare.split(separator: "-").map { SpokenWord(String($0), in: lexicon) }
            if isOneNumber(split, lexicon) { parts = split }
        }
        parts[parts.count - 1].punctuation = punctuation
        words += parts
    }

    /// Whether the parts between hyphens are one number: "twenty-five", but not "three-two".
    private static func isOneNumber(_ parts: [SpokenWord], _ lexicon: Lexicon) -> Bool {
        guard parts.count > 1, parts.allSatisfy(\.isNumeric) else { return false }
        // "quatre-vingt-dix" multiplies.
        if !lexicon.pairsNumbers { return true }
        let small = Roles(.digit, .teen, .ordinal)
        let isTens = { (word: SpokenWord) in word.sense.roles.contains(.tens) }
        return zip(parts, parts.dropFirst()).allSatisfy { one, next in
            let isSmall = !one.sense.roles.isDisjoint(with: small)
            let isFraction = one.sense.roles.contains(.digit) && next.sense.roles.contains(.part)
            if isSmall { return isFraction || next.sense.roles.isDisjoint(with: small.union(Roles(.tens))) }
            return !(isTens(one) && isTens(next))
        }
    }

    /// Whether an engine may write it with hyphens: twenty-five, twenty-first.
    private var isNumeric: Bool {
        !sense.roles.isDisjoint(
            with: Roles(.digit, .teen, .tens, .hundred, .hundreds, .scale, .ordinal, .tensAnd))
    }

    /// The token without punctuation at its end; the whole token if it is only punctuation.
    private static func trimmed(_ token: Substring) -> Substring {
        var bare = token
        while let last = bare.last, ".,;:!?…".contains(last) { bare.removeLast() }
        return bare.isEmpty ? token : bare
    }

    /// Marks that engines put after a word.
    static func isPunctuation(_ byte: UInt8) -> Bool { ".,;:?!".utf8.contains(byte) }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
