import DictationCore

/// Assembles the answer from the messages of one exchange.
protocol AnswerReader: Sendable {
    associatedtype Answer: Sendable

    mutating func read(_ frame: Frame) throws(EngineFailure) -> AnswerProgress<Answer>

    /// The answer, if the peer sends nothing more.
    var answerAtEnd: Answer? { get }
}

enum AnswerProgress<Answer> {
    case more
    /// Complete, unless a last message comes within ``Exchange/lastMessageTimeout``.
    case almostDone
    case done(Answer)
}

/// Reads the text of a passage from `transcript`. The joined `transcript-chunk`s are used only if there is no `transcript`,
/// because servers do not send revised words again.
struct TranscriptReader: AnswerReader {
    /// Maximum length of the text in bytes. Speech of 28 s has less than a quarter of it.
    static let textLimit = 8 * 1024

    private var deltas = ""
    private var hasStopped = false

    private struct Text: Decodable { var text: String }

    mutating func read(_ frame: Frame) throws(EngineFailure) -> AnswerProgress<String> {
        switch frame.type {
        case "transcript":
            return .done(try Self.checked(frame.decode(Text.self).text))
        case "transcript-chunk":
            deltas = try Self.checked(deltas + frame.decode(Text.self).text)
            return .more
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

    var answerAtEnd: String? { hasStopped ? deltas : nil }

    private static func checked(_ text: String) throws(EngineFailure) -> String {
        guard text.utf8.count <= textLimit else {
            throw EngineFailure(.malformed, "The engine sent a text that is too long.")
        }
        return text
    }
}

/// Reads a server's description of itself.
struct InfoReader: AnswerReader {
    /// Maximum number of languages, and of models.
    private static let listLimit = 500

    private struct Info: Decodable { var asr: [Program]? }

    private struct Program: Decodable {
        var name: String
        var version: String?
        var installed: Bool?
        var models: [Model]?
        var requiresExternalVAD: Bool?
        /// Of this project: the program decides itself whether somebody spoke. A program with partial text does so too;
        /// see packaging/engine/wire.md.
        var detectsSpeech: Bool?
        var transcriptPartials: Int?

        private enum CodingKeys: String, CodingKey {
            case name, version, installed, models
            case detectsSpeech = "detects_speech"
            case transcriptPartials = "transcript_partials"
            case requiresExternalVAD = "requires_external_vad"
        }
    }

    private struct Model: Decodable {
        var name: String
        var installed: Bool?
        var languages: [String]?
    }

    func read(_ frame: Frame) throws(EngineFailure) -> AnswerProgress<EngineDescription> {
        guard frame.type == "info" else { return .more }
        let programs = try frame.decode(Info.self).asr ?? []
        guard let program = programs.first(where: { $0.installed != false }) else {
            throw EngineFailure(
                .unsuitable, "The server does not recognise speech: it lists no 'asr' program.")
        }
        if program.requiresExternalVAD == false {
            throw EngineFailure(
                .unsuitable,
                "The server ends at the first pause and drops the rest: start it without its own endpointing."
            )
        }
        let models = (program.models ?? []).filter { $0.installed != false }
        var languages: [String] = []
        for language in models.flatMap({ $0.languages ?? [] }) {
            guard languages.count < Self.listLimit else { break }
            let isTag = (1...35).contains(language.utf8.count) && language.utf8.allSatisfy(Self.isTagByte)
            if isTag, !languages.contains(language) { languages.append(language) }
        }
        return .done(
            EngineDescription(
                program: [program.name, program.version].compactMap(\.self).map(Self.shown).joined(
                    separator: " "),
                models: models.prefix(Self.listLimit).map { Self.shown($0.name) }, languages: languages,
                detectsSpeech: program.detectsSpeech ?? (program.transcriptPartials != nil)))
    }

    var answerAtEnd: EngineDescription? { nil }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
        default: false
        }
    }

    /// The printable ASCII of a name, with limited length: another program chose it.
    private static func shown(_ name: String) -> String {
        String(decoding: name.utf8.prefix(80).filter { (32...126).contains($0) }, as: UTF8.self)
    }
}
