import DictationCore
import FoundationEssentials
import NIOCore

/// The messages that a client sends.
enum Requests {
    /// Number of samples in an audio message: 256 ms.
    private static let chunk = 4096
    /// Maximum number of words that are sent as vocabulary.
    private static let vocabularyLimit = 20

    static func describe() throws(EngineFailure) -> ByteBuffer {
        var buffer = ByteBuffer()
        try write("describe", to: &buffer)
        return buffer
    }

    /// The beginning of a passage.
    static func beginning(_ options: PassageOptions) throws(EngineFailure) -> ByteBuffer {
        var buffer = ByteBuffer()
        let terms = Array(options.vocabulary.prefix(vocabularyLimit))
        try write(
            "transcribe",
            Transcribe(
                language: options.languages.count == 1 ? options.languages[0] : nil,
                languages: options.languages.count > 1 ? options.languages : nil,
                partials: options.wantsPartials ? true : nil, names: terms.isEmpty ? nil : terms,
                terms: terms.isEmpty ? nil : terms), to: &buffer)
        try write("audio-start", Format(), to: &buffer)
        return buffer
    }

    /// Sound of a passage: at least one message, also without samples.
    static func sound(_ samples: [Int16]) throws(EngineFailure) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(samples.count * 2 + 1024)
        let format = try encoded(Format())
        var rest = samples[...]
        repeat {
            let part = rest.prefix(chunk)
            rest = rest.dropFirst(chunk)
            write("audio-chunk", data: format, payloadLength: part.count * 2, to: &buffer)
            #if _endian(little)
                _ = part.withUnsafeBytes { buffer.writeBytes($0) }
            #else
                for sample in part { buffer.writeInteger(sample, endianness: .little) }
            #endif
        } while !rest.isEmpty
        return buffer
    }

    /// Asks whether the server is there. It answers with `pong`.
    static func ping() throws(EngineFailure) -> ByteBuffer {
        var buffer = ByteBuffer()
        try write("ping", to: &buffer)
        return buffer
    }

    /// The end of a passage.
    static func end() throws(EngineFailure) -> ByteBuffer {
        var buffer = ByteBuffer()
        try write("audio-stop", to: &buffer)
        return buffer
    }

    private struct Transcribe: Encodable {
        /// The one to recognise. Absent if there are several.
        var language: String?
        /// Those to detect the spoken one among.
        var languages: [String]?
        var partials: Bool?
        var names: [String]?
        var terms: [String]?

        private enum CodingKeys: String, CodingKey {
            case language, languages, partials
            case names = "transcript_names"
            case terms = "transcript_terms"
        }
    }

    private struct Format: Encodable {
        var rate = 16000
        /// Bytes of a sample.
        var width = 2
        var channels = 1
    }

    private static func write(_ type: String, to buffer: inout ByteBuffer) throws(EngineFailure) {
        write(type, data: [], payloadLength: 0, to: &buffer)
    }

    private static func write(
        _ type: String, _ body: some Encodable, to buffer: inout ByteBuffer
    ) throws(EngineFailure) {
        write(type, data: try encoded(body), payloadLength: 0, to: &buffer)
    }

    private static func write(_ type: String, data: [UInt8], payloadLength: Int, to buffer: inout ByteBuffer)
    {
        buffer.writeString("{\"type\": \"\(type)\"")
        if !data.isEmpty { buffer.writeString(", \"data_length\": \(data.count)") }
        if payloadLength > 0 { buffer.writeString(", \"payload_length\": \(payloadLength)") }
        buffer.writeString("}\n")
        buffer.writeBytes(data)
    }

    private static func encoded(_ body: some Encodable) throws(EngineFailure) -> [UInt8] {
        do {
            return [UInt8](try JSONEncoder().encode(body))
        } catch {
            throw EngineFailure(.failed, "A request could not be encoded: \(error)")
        }
    }
}
