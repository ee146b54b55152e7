import DictationClient
import EventLoop
import Foundation
import Glibc
import Localization

/// Learns how a word is said from a spoken example. The ways in which it may be said come from its spelling, from its letters,
/// and from what engines hear in the example; PocketSphinx aligns each of them with the sound, and the best one is the word's.
struct WordLesson {
    /// Where the word is said.
    struct Example {
        /// Of a sound file.
        var path: String
        /// The words around it, in lower case, if it is a sentence.
        var before: [String] = []
        var after: [String] = []
        /// What was recognised instead of the word; empty if that is not known.
        var heard: [String] = []
    }

    struct Result {
        /// For the settings: phones, or words that it sounds like.
        var sounds: [String]
        /// What the user's engine writes for the example with them.
        var text: String
    }

    /// A way in which the word may be said.
    private struct Candidate: Hashable {
        var phones: [String]
        /// Words in lower case that it sounds like; nil: its spelling.
        var words: String?
        var isSpelledOut = false
    }

    let client: DictationClient
    let word: String

    /// The engine whose aligner compares.
    private static let aligner = "pocketsphinx"
    /// The greatest distance of what was said from the spelling, per phone.
    private static let farthest = 0.7
    /// More letters are not said one by one.
    private static let longestInitials = 5
    private static let longestHeard = 4
    /// Further pronunciations of a word.
    private static let mostWays = 4

    // MARK: Without an example

    /// Throws if no engine could recognise the word.
    /// - Parameter sounds: how it is said; nil: by its spelling.
    func check(_ sounds: String?) async throws {
        _ = try await pronunciations([.init(word, pronunciation: sounds)])
    }

    /// The pronunciations of words, by word; none for those that the dictionary has as they are.
    private func pronunciations(_ words: [StartOptions.VocabularyEntry]) async throws -> [String: [String]] {
        // Nothing is ever written into it: the session waits until it is stopped.
        let (silence, writing) = try Descriptor.pipe()
        defer { withExtendedLifetime(writing) {} }
        var options = StartOptions()
        options.input = silence
        options.engine = Self.aligner
        options.vocabulary = words
        let session = try await client.start(options)
        let vocabulary = try await session.status().vocabulary
        try await session.stop()
        var found: [String: [String]] = [:]
        for entry in vocabulary {
            if let phones = entry.pronunciation, !phones.isEmpty {
                found[entry.word, default: []].append(phones)
            }
        }
        return found
    }

    // MARK: With an example

    func learn(from example: Example) async throws -> Result {
        let heard = example.heard.isEmpty ? try await recognised(in: example) : example.heard
        let candidates = try await candidates(heard)
        let best = try await best(of: candidates, in: example)
        let spelled = candidates.filter { $0.words == nil }.flatMap(\.phones)
        if let words = best.words, !best.isSpelledOut, !isNear(best.phones, to: spelled) {
            throw WordLessonError(
                translated(
                    "The example was understood as “\(words)”, which is far from “\(word)”. Say the word once, alone and clearly; if it is said in another way than it is spelled, add it with --sounds-like."
                ))
        }
        let way = best.words.map { [$0] } ?? Array(best.phones.prefix(1))
        // Other engines write these words, which become the word.
        let alike = heard.filter { $0.contains(" ") && !way.contains($0) }
        let all = candidates.flatMap(\.phones).filter { !way.contains($0) }
        var first: Result?
        // Further ways only if one is not enough.
        for sounds in [way + alike, way + alike + all.prefix(Self.mostWays)] {
            let result = Result(sounds: sounds, text: try await text(of: example, with: sounds))
            if result.text.localizedCaseInsensitiveContains(word) { return result }
            first = first ?? result
        }
        return first ?? Result(sounds: way, text: "")
    }

    private func isNear(_ phones: [String], to spelled: [String]) -> Bool {
        let distances = phones.flatMap { said in
            spelled.map { EditDistance.relative(said.split(separator: " "), $0.split(separator: " ")) }
        }
        return distances.min() ?? 0 <= Self.farthest
    }

    /// What the user's engine hears in the example, without knowing the word: words in lower case. PocketSphinx is asked only
    /// where there is no better one.
    private func recognised(in example: Example) async throws -> [String] {
        for engine in [nil, Self.aligner] {
            var options = StartOptions()
            options.engine = engine
            options.formatting = .plain
            let words = Self.words(try await text(of: example, options))
            if (1...Self.longestHeard).contains(words.count) { return [words.joined(separator: " ")] }
        }
        return []
    }

    /// The words of a text, if they are ordinary letters.
    static func words(_ text: String) -> [String] {
        text.lowercased().split { !($0.isLetter || $0 == "'") }.map(String.init)
    }

    private func candidates(_ heard: [String]) async throws -> [Candidate] {
        let initials =
            word.count <= Self.longestInitials && word.allSatisfy(\.isLetter)
            ? word.lowercased().map(String.init).joined(separator: " ") : nil
        // Each under a name of its own: a word can be asked about in one way.
        let named = (([initials].compactMap(\.self)) + heard.filter { $0 != word.lowercased() }).enumerated()
            .map { (name: Self.name($0), words: $1) }
        let found = try await pronunciations(
            [.init(word)] + named.map { .init($0.name, pronunciation: $0.words) })
        var candidates = [Candidate(phones: found[word] ?? [], words: nil)]
        for (name, words) in named {
            guard let phones = found[name], !phones.isEmpty else { continue }
            candidates.append(Candidate(phones: phones, words: words, isSpelledOut: words == initials))
        }
        return candidates
    }

    /// A word that no dictionary has.
    private static func name(_ number: Int) -> String {
        "candidate" + String(repeating: "x", count: number + 1) + "q"
    }

    /// The candidate that fits the sound best.
    private func best(of candidates: [Candidate], in example: Example) async throws -> Candidate {
        var vocabulary: [StartOptions.VocabularyEntry] = (example.before + example.after).map { .init($0) }
        var alternatives: [(name: String, candidate: Candidate)] = []
        for candidate in candidates {
            guard !candidate.phones.isEmpty else {
                // The dictionary has it.
                alternatives.append((word.lowercased(), candidate))
                continue
            }
            for phones in candidate.phones {
                let name = Self.name(alternatives.count)
                vocabulary.append(.init(name, pronunciation: phones))
                alternatives.append(
                    (
                        name,
                        Candidate(
                            phones: [phones], words: candidate.words, isSpelledOut: candidate.isSpelledOut)
                    ))
            }
        }
        let choice = "(" + alternatives.map(\.name).joined(separator: " | ") + ")"
        let sentence = (example.before + [choice] + example.after).joined(separator: " ")
        var options = StartOptions()
        options.engine = Self.aligner
        options.grammar = "#JSGF V1.0;\ngrammar example;\npublic <example> = \(sentence);\n"
        options.vocabulary = vocabulary
        let words = try await text(of: example, options).split(separator: " ")
        guard let best = alternatives.first(where: { words.contains(Substring($0.name)) }) else {
            throw WordLessonError(
                translated("The word was not found in the example. Say it once, alone and clearly."))
        }
        return best.candidate
    }

    /// What is recognised in the example.
    private func text(of example: Example, _ options: StartOptions) async throws -> String {
        var options = options
        options.sendsPartials = false
        let sound = try ExampleSound(example.path)
        options.input = sound.descriptor
        var texts: [String] = []
        let session = try await client.start(options)
        let failure = try await session.read { event in
            if case .final(let final) = event { texts.append(final.text) }
        }
        withExtendedLifetime(sound) {}
        if let failure, texts.isEmpty { throw failure }
        return texts.joined(separator: " ")
    }

    /// What the user's engine writes for the example now, with the word.
    private func text(of example: Example, with sounds: [String]) async throws -> String {
        var options = StartOptions()
        options.vocabulary = sounds.map { .init(word, pronunciation: $0) }
        return try await text(of: example, options)
    }
}

/// Why a word could not be learned from its example; for people.
struct WordLessonError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Levenshtein's distance.
enum EditDistance {
    /// Divided by the greater length.
    static func relative<Element: Equatable>(_ one: [Element], _ other: [Element]) -> Double {
        guard !one.isEmpty, !other.isEmpty else { return 1 }
        var row = Array(0...other.count)
        for (index, element) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, wanted) in other.enumerated() {
                let replaced = diagonal + (element == wanted ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return Double(row[other.count]) / Double(max(one.count, other.count))
    }
}
