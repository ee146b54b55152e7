/// The user's own words in the user's settings. Only lines between two marks are ever written.
struct WordSettings {
    struct Word: Hashable {
        var text: String
        /// Words that it sounds like, or phones; nil leaves it to the spelling.
        var sounds: String?
    }

    private static let begin = "# begin: written by dictation-cli words"
    private static let end = "# end: dictation-cli words"
    private static let key = "words:"

    private(set) var words: [Word] = []
    /// The settings but for these words.
    private let rest: String

    init(_ text: String) throws(WordSettingsError) {
        var kept: [Substring] = []
        var isWithin = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == Self.begin { isWithin = true }
            if !isWithin {
                if line.hasPrefix(Self.key) {
                    throw WordSettingsError(
                        "The settings have “words” already, which “dictation-cli words” did not write: change them there."
                    )
                }
                kept.append(line)
            } else if let word = Self.word(line) {
                words.append(word)
            }
            if line == Self.end { isWithin = false }
        }
        guard !isWithin else {
            throw WordSettingsError(
                "The line “\(Self.end)” is missing after the words in the settings: add it.")
        }
        rest = kept.joined(separator: "\n")
    }

    /// The settings with these words.
    var text: String {
        guard !words.isEmpty else { return rest }
        let lines = words.map { word in
            "  - " + Self.quoted(word.text) + (word.sounds.map { ": " + Self.quoted($0) } ?? "")
        }
        let gap = rest.isEmpty || rest.hasSuffix("\n") ? "" : "\n"
        return rest + gap + ([Self.begin, Self.key] + lines + [Self.end]).joined(separator: "\n") + "\n"
    }

    /// A word that is there already gets the new sounds. None: its spelling.
    mutating func add(_ text: String, _ sounds: [String]) throws(WordSettingsError) {
        try add(Word(text: text, sounds: sounds.first))
        guard let index = words.firstIndex(where: { $0.text == text }) else { return }
        words.insert(contentsOf: sounds.dropFirst().map { Word(text: text, sounds: $0) }, at: index + 1)
    }

    /// A word that is there already gets the new sounds.
    mutating func add(_ word: Word) throws(WordSettingsError) {
        for text in [word.text] + (word.sounds.map { [$0] } ?? []) {
            guard !text.isEmpty, text.utf8.count <= 255,
                text.unicodeScalars.allSatisfy({
                    $0.value >= 32 && $0 != "\"" && $0 != "\\" && $0.value != 127
                })
            else {
                throw WordSettingsError("A word must not be empty, longer than 255 bytes, or have quotes.")
            }
        }
        guard !word.text.contains(where: \.isWhitespace) else {
            throw WordSettingsError(
                "“\(word.text)” is more than one word: add each, or write something for it with “replacements”."
            )
        }
        if let index = words.firstIndex(where: { $0.text == word.text }) {
            words.removeAll { $0.text == word.text }
            words.insert(word, at: index)
        } else {
            words.append(word)
        }
    }

    /// Whether it was there.
    mutating func remove(_ text: String) -> Bool {
        let count = words.count
        words.removeAll { $0.text == text }
        return words.count < count
    }

    private static func quoted(_ text: String) -> String { "\"\(text)\"" }

    /// A line as ``text`` writes it.
    private static func word(_ line: Substring) -> Word? {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        guard line.hasPrefix("  - \""), parts.count == 3 || parts.count == 5 else { return nil }
        return Word(text: String(parts[1]), sounds: parts.count == 5 ? String(parts[3]) : nil)
    }
}

/// Why the user's words cannot be changed.
struct WordSettingsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
