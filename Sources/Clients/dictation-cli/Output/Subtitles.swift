import DictationClient

/// The subtitles of a file, whose blocks come one after the other.
struct SubtitleFile {
    enum Format {
        /// With numbers from 1.
        case subRip
        /// https://www.w3.org/TR/webvtt1/
        case webVTT
    }

    private let format: Format
    private var count = 0
    /// Where the next block begins, in seconds.
    private var offset = 0.0

    init(_ format: Format) { self.format = format }

    /// What the file begins with.
    var header: String { format == .webVTT ? "WEBVTT\n\n" : "" }

    /// The lines of the next block.
    mutating func lines(of final: Final) -> String {
        let cues = Subtitles(final).cues
        defer { offset += final.duration ?? cues.last?.end ?? 0 }
        return cues.map { cue in
            count += 1
            switch format {
            case .subRip: return "\(count)\n\(times(cue, ","))\n\(cue.text)\n\n"
            case .webVTT:
                let text = cue.text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
                    .replacing(">", with: "&gt;")
                return "\(times(cue, "."))\n\(text)\n\n"
            }
        }.joined()
    }

    private func times(_ cue: Subtitles.Cue, _ mark: String) -> String {
        "\(Self.time(offset + cue.start, mark)) --> \(Self.time(offset + cue.end, mark))"
    }

    /// `01:02:03,456`
    private static func time(_ seconds: Double, _ mark: String) -> String {
        let milliseconds = Int((max(0, min(seconds, 359_999)) * 1000).rounded())
        func padded(_ number: Int, _ digits: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let parts = [milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1000 % 60]
        return parts.map { padded($0, 2) }.joined(separator: ":") + mark + padded(milliseconds % 1000, 3)
    }
}

/// Subtitles of a block, from the times of its segments.
struct Subtitles {
    /// A text and when it is shown, in seconds.
    struct Cue: Equatable {
        var start: Double
        var end: Double
        var text: String
    }

    /// Two lines of 42 characters, as broadcasters have them.
    private static let cueLength = 84

    let cues: [Cue]

    init(_ final: Final) {
        let segments =
            final.segments.isEmpty
            ? [Segment(final.text, start: 0, end: final.duration ?? 0)] : final.segments
        cues = segments.flatMap(Self.cues)
    }

    /// A long segment becomes several cues, whose times follow from their lengths.
    private static func cues(of segment: Segment) -> [Cue] {
        var texts: [String] = []
        // A blank line would end a cue.
        for word in DisplayText.harmless(segment.text).split(separator: " ") {
            if let last = texts.last, last.count + 1 + word.count <= cueLength {
                texts[texts.count - 1] = "\(last) \(word)"
            } else {
                texts.append(String(word))
            }
        }
        let length = Double(texts.reduce(0) { $0 + $1.count })
        let duration = max(0, segment.end - segment.start)
        var start = segment.start
        return texts.map { text in
            let end = start + duration * Double(text.count) / length
            defer { start = end }
            return Cue(start: start, end: end, text: text)
        }
    }
}
