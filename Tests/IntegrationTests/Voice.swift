import DictationRig
import DictationTestKit
import Foundation

/// Something said, and its words.
struct Utterance {
    let samples: [Int16]
    let words: String
}

/// Says utterances over and over.
struct Voice {
    private let utterances: [Utterance]
    private var said = 0

    private init(_ utterances: [Utterance]) { self.utterances = utterances }

    mutating func next() -> Utterance {
        defer { said += 1 }
        return utterances[said % utterances.count]
    }

    /// Six different tones each time.
    static func tones() -> Voice {
        var random = SplitMix(seed: 1)
        return Voice(
            (0..<100).map { _ in
                let tones = (3...34).shuffled(using: &random).prefix(6).map { 100 * $0 }
                return Utterance(
                    samples: tones.flatMap { Speech.tones($0) },
                    words: tones.map { "t\($0)" }.joined(separator: " "))
            })
    }

    /// The shortest sentences of pocketsphinx-testdata, at most five.
    static func recordings(_ count: Int) throws -> Voice {
        let folder = "\(WaveFile.speech)/librivox"
        let transcription = try String(contentsOfFile: "\(folder)/transcription", encoding: .utf8)
        let lines = transcription.split(separator: "\n")
        let utterances = try lines.compactMap { $0.wholeMatch(of: /<s> (.+) <\/s> \((.+)\)/) }.map { line in
            Utterance(
                samples: try WaveFile.samples(of: "\(folder)/\(line.output.2).wav"),
                words: String(line.output.1))
        }
        return Voice(Array(utterances.sorted { $0.samples.count < $1.samples.count }.prefix(count)))
    }
}

/// How well a session recognises utterances.
struct RecognisedWords: CustomStringConvertible {
    private var rounds: [WordErrorRate] = []
    /// Utterances with another text.
    private(set) var lost: [String] = []
    private(set) var empty = 0
    private var utterances = 0

    var words: Int { rounds.map(\.words).reduce(0, +) }
    /// Of each round.
    var errorRates: [Double] { rounds.map(\.rate) }

    var description: String {
        "\(utterances) utterances, \(rounds.map(\.errors).reduce(0, +)) errors in \(words) words, \(empty) without text"
    }

    mutating func beginRound() { rounds.append(WordErrorRate()) }

    mutating func note(_ text: String, of utterance: Utterance) {
        utterances += 1
        if text.isEmpty { empty += 1 }
        if text != utterance.words { lost.append("\(utterance.words): \(text)") }
        if rounds.isEmpty { beginRound() }
        rounds[rounds.count - 1].add(text, reference: utterance.words)
    }
}
