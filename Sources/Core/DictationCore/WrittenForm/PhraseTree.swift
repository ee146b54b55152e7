/// A prefix tree of phrases, for finding the longest phrase that begins at a word.
struct PhraseTree<Meaning: Sendable>: Sendable {
    private struct Node: Sendable {
        var meaning: Meaning?
        var next: [WordNumber: Int] = [:]
    }

    private var nodes = [Node()]

    var isEmpty: Bool { nodes.count == 1 }

    mutating func insert(_ words: [WordNumber], _ meaning: Meaning) {
        guard !words.isEmpty else { return }
        var node = 0
        for word in words {
            if let known = nodes[node].next[word] {
                node = known
            } else {
                nodes.append(Node())
                nodes[node].next[word] = nodes.count - 1
                node = nodes.count - 1
            }
        }
        nodes[node].meaning = meaning
    }

    /// The longest phrase that begins at index 0.
    /// - Parameter word: returns the word at an index; nil ends the phrase. Called only while a longer phrase is
    ///   possible.
    func longest(_ word: (Int) -> WordNumber?) -> (meaning: Meaning, length: Int)? {
        var node = 0
        var length = 0
        var found: (meaning: Meaning, length: Int)?
        while !nodes[node].next.isEmpty, let number = word(length), let next = nodes[node].next[number] {
            node = next
            length += 1
            if let meaning = nodes[node].meaning { found = (meaning, length) }
        }
        return found
    }
}

/// The number of a word in the table; ``none`` for words that are not in it.
struct WordNumber: Hashable, Sendable {
    var rawValue: Int32

    static let none = WordNumber(rawValue: -1)
}
