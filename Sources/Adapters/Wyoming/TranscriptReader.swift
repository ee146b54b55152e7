import DictationCore

/// Reads the texts of a passage. `transcript-partial` replaces the text so far, `transcript-chunk` continues it, and
/// `transcript` is final. The joined chunks are final only if there is no `transcript`, because servers do not send revised
/// words again.
struct TranscriptReader {
    /// Maximum length of a text in bytes. Speech of 30 s has less than a quarter of it.
    static let textLimit = 8 * 1024

    enum Progress {
        case more
        /// The answer to a `ping`.
        case pong
        /// The text so far. Replaces the one before.
        case partial(PassagePartial)
        /// Complete, unless `transcript` comes within ``WyomingStream/lastMessageTimeout``.
        case almostDone
        case done(PassageAnswer)
    }

    private var chunks = ""
    private var hasStopped = false
    private var lastRevision = -1

    private struct Text: Decodable {
        var text: String
        var language: String?
        var speech: Bool?
    }

    private struct Partial: Decodable {
        var revision: Int?
        var settled: String?
        var volatile: String?
        var position: Double?
        var language: String?

        private enum CodingKeys: String, CodingKey {
            case revision, settled, volatile, language
            case position = "audio_ms"
        }
    }

    mutating func read(_ frame: Frame) throws(EngineFailure) -> Progress {
        switch frame.type {
        case "transcript":
            let text = try frame.decode(Text.self)
            return .done(
                PassageAnswer(
                    try Self.checked(text.text), language: Self.tag(text.language), isSpeech: text.speech))
        case "transcript-partial":
            return try read(frame.decode(Partial.self))
        case "transcript-chunk":
            chunks = try Self.checked(chunks + frame.decode(Text.self).text)
            return .partial(PassagePartial(text: chunks))
        case "pong":
            return .pong
        case "transcript-stop":
            hasStopped = true
            return .almostDone
        case "error":
            // Its text and its code are left out, because they may contain dictated text.
            throw EngineFailure(.failed, "The engine reported an error.")
        default:
            return .more
        }
    }

    private mutating func read(_ partial: Partial) throws(EngineFailure) -> Progress {
        let revision = partial.revision ?? lastRevision &+ 1
        guard revision > lastRevision else { return .more }
        lastRevision = revision
        let settled = partial.settled ?? ""
        let volatile = partial.volatile ?? ""
        let text = try Self.checked(settled + (settled.isEmpty || volatile.isEmpty ? "" : " ") + volatile)
        // A second of sound too many is out of range as well.
        let position = partial.position.flatMap { (0...60_000).contains($0) ? Int($0) * 16 : nil }
        return .partial(
            PassagePartial(
                text: text, settled: settled.unicodeScalars.count, samples: position,
                language: Self.tag(partial.language)))
    }

    /// The answer, if the peer sends nothing more.
    var answerAtEnd: PassageAnswer? { hasStopped ? PassageAnswer(chunks) : nil }

    private static func checked(_ text: String) throws(EngineFailure) -> String {
        guard text.utf8.count <= textLimit else {
            throw EngineFailure(.malformed, "The engine sent a text that is too long.")
        }
        return text
    }

    private static func tag(_ language: String?) -> String? {
        language.flatMap { LanguageCode.isPlausible($0) ? $0 : nil }
    }
}
