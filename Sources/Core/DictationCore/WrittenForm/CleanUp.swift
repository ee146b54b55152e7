/// What clean-up leaves out of a language's speech.
public struct CleanUpRules: Hashable, Sendable {
    /// Sounds of hesitation: "um".
    public var fillers: Set<String>
    /// Words that are said twice only by mistake: "the the".
    public var repeated: Set<String>
    /// First words of phrases of two to four words that are said twice only by mistake: "can you can you".
    public var repeatedBeginnings: Set<String>

    public init(fillers: [String] = [], repeated: [String] = [], repeatedBeginnings: [String] = []) {
        self.fillers = Set(fillers)
        self.repeated = Set(repeated)
        self.repeatedBeginnings = Set(repeatedBeginnings)
    }
}

/// Leaves out sounds of hesitation and repeated starts, in any pieces in which the words are recognised. In doubt a word stays.
///
/// Of what was said twice the first one stays: it may be final already.
public struct CleanUp: Hashable, Sendable {
    private static let longestRepetition = 4

    private let rules: [String: CleanUpRules]
    private var language: String
    /// The last words that stayed, in lower case, since a mark that ends a sentence.
    private var last: [String] = []

    /// - Parameters:
    ///   - rules: of each language that may be spoken.
    ///   - language: of the first words.
    public init(_ rules: [String: CleanUpRules], of language: String) {
        self.rules = rules
        self.language = language
    }

    public mutating func clean(_ spoken: SpokenText) -> SpokenText {
        if let language = spoken.language, language != self.language {
            self.language = language
            last = []
        }
        guard let rules = rules[language] else { return spoken }
        var pass = CleanUpPass(rules, last, spoken)
        pass.run()
        last = Array(pass.last.suffix(Self.longestRepetition))
        return pass.result
    }

    /// The words of one stretch of speech.
    private struct CleanUpPass {
        private let rules: CleanUpRules
        private let tokens: [Token]
        private var kept: [Token] = []
        private(set) var last: [String]
        private(set) var result: SpokenText
        /// A word at the beginning of a sentence was left out.
        private var beginsSentence = false
        private var position = 0

        init(_ rules: CleanUpRules, _ last: [String], _ spoken: SpokenText) {
            self.rules = rules
            self.last = last
            result = spoken
            let words = spoken.words.split(whereSeparator: \.isWhitespace)
            let hasPauses = words.count == spoken.pauses.count
            tokens = words.enumerated().map { index, word in
                Token(word, hasPauses ? spoken.pauses[index] : .none)
            }
        }

        mutating func run() {
            while position < tokens.count {
                if leavesOutFiller() || leavesOutRepetition() { continue }
                keep(tokens[position])
                position += 1
            }
            guard kept != tokens else { return }
            result.words = kept.map(\.text).joined(separator: " ")
            if !result.pauses.isEmpty { result.pauses = kept.map(\.pause) }
        }

        private mutating func keep(_ token: Token) {
            var token = token
            if beginsSentence, result.isPunctuated {
                token.word = token.word.prefix(1).uppercased() + token.word.dropFirst()
            }
            beginsSentence = false
            kept.append(token)
            last.append(token.folded)
            if token.endsSentence { last = [] }
        }

        private mutating func leavesOutFiller() -> Bool {
            let token = tokens[position]
            guard rules.fillers.contains(token.folded) || isCutOff(token) else { return false }
            if last.isEmpty, kept.last?.endsSentence ?? true { beginsSentence = token.isCapitalised }
            leaveOut(token)
            if let end = kept.indices.last {
                if token.endsSentence {
                    kept[end].marks = token.marks
                    last = []
                } else if token.marks == ",", kept[end].marks == "," {
                    kept[end].marks = ""
                }
            }
            position += 1
            return true
        }

        /// "th- the": a word that was begun and then said.
        private func isCutOff(_ token: Token) -> Bool {
            guard token.word.count > 1, token.word.hasSuffix("-"), token.marks.isEmpty,
                position + 1 < tokens.count
            else {
                return false
            }
            return tokens[position + 1].folded.hasPrefix(token.folded.dropLast())
        }

        private mutating func leavesOutRepetition() -> Bool {
            for length in stride(from: CleanUp.longestRepetition, through: 1, by: -1)
            where position + length <= tokens.count && last.count >= length {
                let again = tokens[position..<position + length]
                guard again.map(\.folded).elementsEqual(last.suffix(length)), isMistake(again) else {
                    continue
                }
                // The mark before it is of a text that may be final.
                guard let end = again.last, kept.count >= length || !end.endsSentence else { continue }
                for token in again { leaveOut(token) }
                if let index = kept.indices.last, kept.count >= length {
                    kept[index].marks = end.marks
                    if end.endsSentence { last = [] }
                }
                position += length
                return true
            }
            return false
        }

        private func isMistake(_ again: ArraySlice<Token>) -> Bool {
            guard let first = again.first, again.allSatisfy({ !$0.folded.isEmpty }),
                again.dropLast().allSatisfy({ $0.marks.isEmpty || $0.marks == "," })
            else {
                return false
            }
            guard again.count > 1 else { return rules.repeated.contains(first.folded) }
            // "On and on and on" goes on.
            let isJoined = again.last.map {
                rules.repeated.contains($0.folded) && !rules.repeatedBeginnings.contains($0.folded)
            }
            return rules.repeatedBeginnings.contains(first.folded) && isJoined == false
        }

        /// Its pause is that of the word before it.
        private mutating func leaveOut(_ token: Token) {
            if let index = kept.indices.last {
                kept[index].pause = max(kept[index].pause, token.pause)
            } else if token.pause != .none {
                result.pauseBefore = max(result.pauseBefore ?? .none, token.pause)
            }
        }
    }

    /// A word with the engine's marks after it.
    private struct Token: Hashable {
        var word: Substring
        var marks: Substring
        var pause: Pause
        /// In lower case; empty if it is longer than any word of a language's file.
        let folded: String

        /// In bytes.
        private static let longestWord = 64

        init(_ text: Substring, _ pause: Pause) {
            let end =
                text.lastIndex { !".,;:!?…".contains($0) }.map { text.index(after: $0) } ?? text.endIndex
            word = text[..<end]
            marks = text[end...]
            folded = word.utf8.count <= Self.longestWord ? word.lowercased() : ""
            self.pause = pause
        }

        var text: String { String(word + marks) }
        var endsSentence: Bool { marks.contains { ".!?…".contains($0) } }
        var isCapitalised: Bool { word.first?.isUppercase ?? false }
    }
}
