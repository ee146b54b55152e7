/// The letters and phones of a dictionary, numbered.
struct Alphabet: Equatable {
    /// Maximum number of letters. Rarer ones are left out.
    static let mostLetters = 64
    /// Maximum number of phones. Rarer ones are left out.
    static let mostPhones = 100
    /// Letters and phones with fewer occurrences are left out.
    private static let minimumCount = 20

    var letters: [Unicode.Scalar]
    var phones: [String]

    init(letters: [Unicode.Scalar], phones: [String]) {
        self.letters = letters
        self.phones = phones
    }

    init(of entries: [(word: Substring, phones: [Substring])]) {
        var letters: [Unicode.Scalar: Int] = [:]
        var phones: [Substring: Int] = [:]
        for entry in entries {
            for letter in entry.word.unicodeScalars { letters[letter, default: 0] += 1 }
            for phone in entry.phones { phones[phone, default: 0] += 1 }
        }
        func common<Key: Comparable>(_ counts: [Key: Int], _ most: Int) -> [Key] {
            counts.filter { $0.value >= Self.minimumCount }
                .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(most).map(\.key).sorted()
        }
        self.letters = common(letters, Self.mostLetters)
        self.phones = common(phones, Self.mostPhones).map(String.init)
    }

    /// The numbers of a word's letters; nil if one is unknown. Letters with diacritics count as those without. Hyphens,
    /// apostrophes and the like are skipped.
    func numbers(of word: String) -> [UInt8]? {
        var numbers: [UInt8] = []
        for scalar in word.lowercased().unicodeScalars {
            if let number = letters.firstIndex(of: scalar) {
                numbers.append(UInt8(number))
            } else if let letter = Self.plain(scalar), let number = letters.firstIndex(of: letter) {
                numbers.append(UInt8(number))
            } else if !"-_.’'".unicodeScalars.contains(scalar) {
                return nil
            }
        }
        return numbers
    }

    /// "é" is "LATIN SMALL LETTER E WITH ACUTE" in Unicode.
    private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        let words = scalar.properties.name?.split(separator: " ") ?? []
        guard words.count > 4, words[0] == "LATIN", words[2] == "LETTER", words[4] == "WITH" else {
            return nil
        }
        let letters = words[3].lowercased().unicodeScalars
        return letters.count == 1 ? letters.first : nil
    }
}
