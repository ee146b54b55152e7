import DictationRig
import DictationTestKit

/// The hypotheses of the bare C loop during speech.
struct LiveLoop {
    /// Seconds from the onset of each recording to its first text.
    var first: Samples
    var revisions: Double
    /// The maximum of all recordings, in milliseconds.
    var lag: Double

    static func show(_ utterances: some Sequence<SpeechSet.Utterance>) async throws -> LiveLoop {
        let folder = try TemporaryDirectory()
        var firsts: [Double] = []
        var revisions = 0
        var words = 0
        var lag = 0.0
        for utterance in utterances {
            let silence = Speech.silence(1)
            let samples = silence + utterance.samples + Speech.silence(0.5)
            let file = try SpeechSet(name: "live", utterances: [.init(reference: "", samples: samples)])
                .write(into: folder)
            let result = try await Contender.liveLoop.decode(file)
            let onset = Double(silence.count + Partials.onset(of: utterance.samples)) / 16000
            let shown = Self.texts(in: result.output)
            if let first = shown.first { firsts.append(first.seconds - onset) }
            revisions += Partials.revisions(shown.map(\.text))
            words += shown.last?.text.split(separator: " ").count ?? 0
            guard let match = result.errors.firstMatch(of: /lag ([0-9.]+) ms/), let worst = Double(match.1)
            else {
                throw TestFailure("The C loop told no lag: \(result.errors.suffix(300))")
            }
            lag = max(lag, worst)
        }
        return LiveLoop(
            first: Samples(firsts), revisions: Double(revisions) / Double(max(words, 1)), lag: lag)
    }

    /// Each text, with the final text before it, and its time.
    private static func texts(in output: String) -> [(seconds: Double, text: String)] {
        var final = ""
        var texts: [(seconds: Double, text: String)] = []
        for line in output.split(separator: "\n") {
            let fields = line.split(separator: "\t")
            guard fields.count == 3, let milliseconds = Double(fields[1]) else { continue }
            let text = final + fields[2]
            texts.append((milliseconds / 1000, text))
            if fields[0] == "final" { final = text + " " }
        }
        return texts
    }
}
