import DictationCore

/// Finds the answer among the messages of one exchange.
protocol AnswerReader: Sendable {
    associatedtype Answer: Sendable

    /// - Returns: nil if the message is not the answer.
    mutating func read(_ frame: Frame) throws(EngineFailure) -> Answer?
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
        var streams: Bool?
        var partials: Int?

        private enum CodingKeys: String, CodingKey {
            case name, version, installed, models
            case detectsSpeech = "detects_speech"
            case requiresExternalVAD = "requires_external_vad"
            case streams = "supports_transcript_streaming"
            case partials = "transcript_partials"
        }

        var kind: PassageEngineKind {
            if partials ?? 0 >= 1 { .revises } else if streams == true { .appends } else { .wholePassages }
        }
    }

    private struct Model: Decodable {
        var name: String
        var installed: Bool?
        var languages: [String]?
    }

    func read(_ frame: Frame) throws(EngineFailure) -> EngineDescription? {
        guard frame.type == "info" else { return nil }
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
            if LanguageCode.isPlausible(language), !languages.contains(language) {
                languages.append(language)
            }
        }
        return EngineDescription(
            program: [program.name, program.version].compactMap(\.self).map(Self.shown).joined(
                separator: " "),
            models: models.prefix(Self.listLimit).map { Self.shown($0.name) }, languages: languages,
            detectsSpeech: program.detectsSpeech ?? (program.partials != nil), kind: program.kind)
    }

    /// The printable ASCII of a name, with limited length: another program chose it.
    private static func shown(_ name: String) -> String {
        String(decoding: name.utf8.prefix(80).filter { (32...126).contains($0) }, as: UTF8.self)
    }
}

/// The code of a language as another program spells it.
enum LanguageCode {
    static func isPlausible(_ text: String) -> Bool {
        (1...35).contains(text.utf8.count) && text.utf8.allSatisfy(isTagByte)
    }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
        default: false
        }
    }
}
