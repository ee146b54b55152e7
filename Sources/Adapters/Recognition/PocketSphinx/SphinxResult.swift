import CPocketSphinx
import DictationCore

/// The result of a PocketSphinx decoder, without fillers (`<sil>`, `[NOISE]`) and numbers of pronunciation variants
/// (`the(2)`).
struct SphinxResult {
    private static let frameSeconds = 0.01
    private static let mostAlternatives = 3
    /// Most neighbours on the lattice differ only in fillers and in the times of words.
    private static let readingsTried = 30

    private let decoder: OpaquePointer
    /// Own words by their names in the decoder.
    private let ownWords: [String: String]

    init(_ decoder: SphinxDecoder) {
        self.decoder = decoder.pointer
        ownWords = decoder.ownWords
    }

    func segment() -> Segment {
        let words = words(withConfidence: true)
        let text = Self.text(words)
        return Segment(text: text, words: words, alternatives: alternatives(to: text))
    }

    /// Alternative texts of the lattice, best first, without duplicates that differ only in fillers.
    private func alternatives(to text: String) -> [Alternative] {
        let scale = ps_get_logmath(decoder)
        var found: [Alternative] = []
        var best: Int32?
        var seen: Set<String> = [text]
        var entry = ps_nbest(decoder)
        var tried = 0
        while let current = entry, tried < Self.readingsTried, found.count < Self.mostAlternatives {
            var score: Int32 = 0
            if let reading = ps_nbest_hyp(current, &score).map({ written(String(cString: $0)) }) {
                let top = best ?? score
                best = top
                if seen.insert(reading).inserted {
                    found.append(Alternative(reading, score: min(logmath_exp(scale, score - top), 1)))
                }
            }
            tried += 1
            entry = ps_nbest_next(current)
        }
        if let entry { ps_nbest_free(entry) }
        return found
    }

    /// The words without the last one, which is likely to change.
    func heldBack() -> String {
        let words = words(withConfidence: false)
        return Self.text(words.count > 1 ? Array(words.dropLast()) : words)
    }

    private static func text(_ words: [Word]) -> String {
        words.map(\.text).joined(separator: " ")
    }

    /// The text with own words in place of their names.
    private func written(_ reading: String) -> String {
        guard !ownWords.isEmpty else { return reading }
        return reading.split(separator: " ").map { ownWords[String($0)] ?? String($0) }.joined(separator: " ")
    }

    private func words(withConfidence: Bool) -> [Word] {
        var words: [Word] = []
        var entry = ps_seg_iter(decoder)
        let scale = ps_get_logmath(decoder)
        while let current = entry {
            if let name = ps_seg_word(current), let text = Self.plain(String(cString: name)) {
                var first: Int32 = 0
                var last: Int32 = 0
                ps_seg_frames(current, &first, &last)
                let confidence: Double? =
                    withConfidence
                    ? min(max(logmath_exp(scale, ps_seg_prob(current, nil, nil, nil)), 0), 1) : nil
                words.append(
                    Word(
                        ownWords[text] ?? text, start: Double(first) * Self.frameSeconds,
                        end: Double(last + 1) * Self.frameSeconds,
                        confidence: confidence))
            }
            entry = ps_seg_next(current)
        }
        return words
    }

    /// Nil for fillers and marks of the sentence.
    static func plain(_ name: String) -> String? {
        // The name of a transition without a word.
        if name == "(NULL)" { return nil }
        if name.hasPrefix("<") || name.hasPrefix("[") || name.hasPrefix("++") { return nil }
        guard name.hasSuffix(")"), let bracket = name.lastIndex(of: "("), bracket > name.startIndex else {
            return name
        }
        return String(name[..<bracket])
    }
}
