/// A word of up to sixteen bytes, packed into one integer for fast comparison.
struct PackedWord: Hashable, Sendable {
    let rawValue: UInt128

    /// Nil for longer words.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= 16 else { return nil }
        rawValue = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// The index in a hash table of 2^`bits` places (Fibonacci hashing).
    func place(bits: Int) -> Int {
        let folded = UInt64(truncatingIfNeeded: rawValue) ^ UInt64(truncatingIfNeeded: rawValue >> 64) &* 31
        return Int(truncatingIfNeeded: (folded &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bits))
    }
}

/// A hash table of a lexicon's entries, by word. It is used for every word of every hypothesis, so words of up to sixteen
/// bytes are found without hashing a string.
struct WordTable: Sendable {
    private struct Place: Sendable {
        var word: PackedWord
        var sense: SpokenWord.Sense
    }

    private let bits: Int
    /// Open addressing; at most half full.
    private var places: [Place?]
    private var longWords: [String: SpokenWord.Sense] = [:]
    let words: [String]

    init(_ senses: [String: SpokenWord.Sense]) {
        var bits = 1
        while 1 << bits < 2 * senses.count { bits += 1 }
        self.bits = bits
        words = Array(senses.keys)
        places = Array(repeating: nil, count: 1 << bits)
        for (text, sense) in senses {
            guard let word = PackedWord(text.utf8) else {
                longWords[text] = sense
                continue
            }
            var index = word.place(bits: bits)
            while places[index] != nil { index = (index + 1) & (places.count - 1) }
            places[index] = Place(word: word, sense: sense)
        }
    }

    subscript(word: PackedWord) -> SpokenWord.Sense? {
        var index = word.place(bits: bits)
        while let place = places[index] {
            if place.word == word { return place.sense }
            index = (index + 1) & (places.count - 1)
        }
        return nil
    }

    subscript(text: String) -> SpokenWord.Sense? {
        PackedWord(text.utf8).map { self[$0] } ?? longWords[text]
    }
}
