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

    /// All messages of a recognition. There is at least one audio message before `audio-stop`, because servers fail without.
    static func recognition(of request: PassageRequest) throws(EngineFailure) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(request.samples.count * 2 + 4096)
        let terms = Array(request.vocabulary.prefix(vocabularyLimit))
        try write(
            "transcribe",
            Transcribe(
                language: request.language, names: terms.isEmpty ? nil : terms,
                terms: terms.isEmpty ? nil : terms), to: &buffer)
        try write("audio-start", Format(), to: &buffer)
        let format = try encoded(Format())
        var rest = request.samples[...]
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
        try write("audio-stop", to: &buffer)
        return buffer
    }

    private struct Transcribe: Encodable {
        var language: String
        var names: [String]?
        var terms: [String]?

        private enum CodingKeys: String, CodingKey {
            case language
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
