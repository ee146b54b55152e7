import DictationCore
import FoundationEssentials
import NIOCore

/// One message of the Wyoming protocol: a line of JSON, and the blocks that follow it.
struct Frame: Equatable {
    var type: String
    /// The line of JSON. It may contain the data as its member `data`.
    var header: [UInt8]
    /// A JSON object; empty if the line contains the data.
    var data: [UInt8]

    /// Decodes the message's data.
    func decode<Body: Decodable>(_ body: Body.Type) throws(EngineFailure) -> Body {
        do {
            if !data.isEmpty { return try JSONDecoder().decode(Body.self, from: Data(data)) }
            return try JSONDecoder().decode(Inline<Body>.self, from: Data(header)).data
        } catch {
            throw EngineFailure(.malformed, "The engine's message '\(type.prefix(32))' has unexpected data.")
        }
    }

    private struct Inline<Body: Decodable>: Decodable {
        var data: Body
    }
}

/// Splits a stream of bytes into messages. Checks every length before it keeps data of that length.
struct FrameDecoder {
    /// Maximum length of a line in bytes, the same as in the reference implementation.
    static let headerLimit = 64 * 1024
    /// Maximum length of a data block in bytes. A description with a hundred languages and models has less than a tenth.
    static let dataLimit = 1 << 20
    /// Maximum length of a payload in bytes. No message to a client needs one.
    static let payloadLimit = 1 << 20
    /// Maximum number of bytes in one exchange.
    static let totalLimit = 8 << 20
    /// Maximum number of messages in one exchange.
    static let countLimit = 3000

    private var buffer = ByteBuffer()
    /// Bytes at the beginning of the buffer that contain no end of line.
    private var searched = 0
    private var header: (line: [UInt8], fields: Header)?
    private var total = 0
    private var count = 0

    private struct Header: Decodable {
        var type: String
        var dataLength: Int?
        var payloadLength: Int?

        private enum CodingKeys: String, CodingKey {
            case type
            case dataLength = "data_length"
            case payloadLength = "payload_length"
        }
    }

    mutating func append(_ bytes: inout ByteBuffer) throws(EngineFailure) {
        total += bytes.readableBytes
        guard total <= Self.totalLimit else { throw Self.malformed("too many bytes") }
        buffer.discardReadBytes()
        buffer.writeBuffer(&bytes)
    }

    /// The next complete message; nil if there is none yet.
    mutating func next() throws(EngineFailure) -> Frame? {
        if header == nil { header = try readHeader() }
        guard let (line, fields) = header else { return nil }
        let data = fields.dataLength ?? 0
        let payload = fields.payloadLength ?? 0
        guard buffer.readableBytes >= data + payload else { return nil }
        header = nil
        count += 1
        guard count <= Self.countLimit else { throw Self.malformed("too many messages") }
        let bytes = buffer.readBytes(length: data) ?? []
        buffer.moveReaderIndex(forwardBy: payload)
        return Frame(type: fields.type, header: line, data: bytes)
    }

    private mutating func readHeader() throws(EngineFailure) -> (line: [UInt8], fields: Header)? {
        let view = buffer.readableBytesView
        guard let end = view[view.index(view.startIndex, offsetBy: searched)...].firstIndex(of: 10) else {
            searched = view.count
            guard searched <= Self.headerLimit else { throw Self.malformed("a line that does not end") }
            return nil
        }
        searched = 0
        let length = end - view.startIndex
        guard length <= Self.headerLimit, let line = buffer.readBytes(length: length) else {
            throw Self.malformed("a line that is too long")
        }
        buffer.moveReaderIndex(forwardBy: 1)
        let fields: Header
        do {
            fields = try JSONDecoder().decode(Header.self, from: Data(line))
        } catch {
            throw Self.malformed("a line that is not a Wyoming header")
        }
        guard (0...Self.dataLimit).contains(fields.dataLength ?? 0),
            (0...Self.payloadLimit).contains(fields.payloadLength ?? 0)
        else { throw Self.malformed("a length that is out of range") }
        return (line, fields)
    }

    private static func malformed(_ what: String) -> EngineFailure {
        EngineFailure(.malformed, "The engine sent \(what).")
    }
}
