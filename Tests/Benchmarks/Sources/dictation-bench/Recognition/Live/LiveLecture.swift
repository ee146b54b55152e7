import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop

/// Twenty minutes of fluent speech in one block: the delay of the words must not grow.
struct LiveLecture {
    let model: String
    let seconds: Double

    func run() async throws {
        let letters = try await EngineSets.letters().utterances
        let readings = try await DirectReading.all(of: letters, model: model)
        // No pause but those within the letters.
        let samples = letters.flatMap { $0.samples.dropLast(16000) }
        let repeats = Int((seconds * 16000 / Double(samples.count)).rounded(.up))
        var words: [(word: Substring, end: Double)] = []
        var start = 0.0
        for _ in 0..<repeats {
            for (letter, reading) in zip(letters, readings) {
                let said = countedWords(of: letter.reference).split(separator: " ")
                guard said.count == reading.ends.count else { throw TestFailure("Words without a time.") }
                words += zip(said, reading.ends).map { ($0, start + $1) }
                start += Double(letter.samples.count - 16000) / 16000
            }
        }
        let scene = try await LiveScene(model: model)
        let (client, microphone) = (scene.dictation.client, scene.microphone.driver)
        var delays: [Int: [Double]] = [:]
        var costs: [Double] = []
        var text = ""
        var fallback = 0
        var commit = 0.0
        try await scene.listening {
            let all = (0..<repeats).flatMap { _ in samples }
            let begin = microphone.played
            microphone.play(all + Speech.silence(1))
            while microphone.played - begin < all.count {
                let now = Double(microphone.played - begin) / 16000
                let minute = Int(now / 60)
                if costs.count == minute {
                    costs.append(try scene.engineTime())
                    note("minute \(minute)")
                }
                if let delay = Self.delay(of: client.tail, words, at: now) {
                    delays[minute, default: []].append(delay)
                }
                try await Task.sleep(for: .seconds(1))
            }
            let clock = ContinuousClock()
            let called = clock.now
            let final = try await client.dictation.commit(timeout: .seconds(60))
            commit = (clock.now - called) / .microseconds(1) / 1000
            text = final.text
            fallback = final.details["fallback"].flatMap { UInt32($0) }.map { Int($0) } ?? 0
        }
        costs.append(try scene.engineTime())
        var table = Table(
            "\(repeats * Int(samples.count / 16000)) s of fluent speech in one block, Whisper \(model)",
            columns: "minutes", "the screen is behind the speech by, median", "worst",
            "processor time of the engine")
        for begin in stride(from: 0, to: costs.count - 1, by: 5) {
            let end = min(begin + 5, costs.count - 1)
            let all = (begin..<end).flatMap { delays[$0] ?? [] }
            guard !all.isEmpty else { continue }
            table.add(
                "\(begin)–\(end)", Samples(all).median.written(2, "s"), Samples(all).maximum.written(2, "s"),
                "\(((costs[end] - costs[begin]) / Double(60 * (end - begin))).written(2)) of a core")
        }
        table.print()
        let errors = WordErrorRate(
            of: countedWords(of: text), reference: words.map { String($0.word) }.joined(separator: " "))
        var bar = Bar("At its end")
        bar.add("word errors", reference: "", "\(errors.errors) of \(errors.words), \(errors.rate.percent)")
        bar.add("commit", reference: "", commit.written(0, "ms"))
        bar.add("passages without the engine", reference: "", "\(fallback)")
        bar.add(
            "memory of the engine, most", reference: "",
            try scene.engine?.peakMemory().written(0, "MiB") ?? "")
        bar.print()
        try await scene.end()
    }

    /// Seconds since the last word of the screen was said; nil if it is not found where it may be.
    private static func delay(
        of text: String, _ words: [(word: Substring, end: Double)], at now: Double
    ) -> Double? {
        let shown = Array(countedWords(of: text).split(separator: " ").suffix(12))
        guard shown.count == 12, let last = words.lastIndex(where: { $0.end <= now }) else { return nil }
        let first = max(0, last - 80)
        let window = words[first...last]
        // The errors of the shown words against what ends here and begins anywhere.
        var row = [Int](repeating: 0, count: window.count + 1)
        for (index, word) in shown.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in window.enumerated() {
                let substituted = diagonal + (word == other.word ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
            }
        }
        guard let least = row.min(), least <= 6, let place = row.lastIndex(of: least), place > 0 else {
            return nil
        }
        return now - words[first + place - 1].end
    }
}

extension TestClient {
    /// The end of the block's text.
    fileprivate var tail: String {
        var stable = ""
        var volatile = ""
        for case .partial(_, _, _, let addition, let rest, _) in signals.suffix(200) {
            stable += addition
            volatile = rest
        }
        return stable + volatile
    }
}
