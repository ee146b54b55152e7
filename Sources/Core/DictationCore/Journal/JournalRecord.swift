/// A record of a journal, as bytes. Integers are little-endian.
///
/// | offset | size | |
/// |---|---|---|
/// | 0 | 4 | length of the payload |
/// | 4 | 4 | CRC-32C of all other bytes |
/// | 8 | 8 | kind |
/// | 16 | 8 | session |
/// | 24 | 8 | block |
/// | 32 | 8 | frame, or another number that the kind defines |
/// | 40 | | payload |
public struct JournalRecord: Hashable, Sendable {
    enum Kind: UInt64 {
        case anchor = 1
        case session, sound, text, flow, full, attempt, dropped, field
    }

    /// Sound is encoded where the record is written, so that a record shares the samples with who else holds them.
    enum Payload: Hashable {
        case bytes([UInt8])
        case samples([Int16])

        var size: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .samples(let samples): 2 * samples.count
            }
        }
    }

    var kind: UInt64
    var session: UInt64
    var block: UInt64 = 0
    var frame: UInt64 = 0
    var payload = Payload.bytes([])

    static let headerSize = 40

    init(
        _ kind: Kind, of session: SessionID, block: BlockNumber = 0, frame: Int = 0,
        _ payload: Payload = .bytes([])
    ) {
        self.kind = kind.rawValue
        self.session = session.rawValue
        self.block = block
        self.frame = UInt64(clamping: frame)
        self.payload = payload
    }

    /// Reads the record at the beginning of `bytes`.
    /// - Returns: nil if it is torn or damaged.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = JournalReader(bytes)
        guard let length = reader.uint32(), let checksum = reader.uint32(),
            Int(length) <= bytes.count - Self.headerSize
        else { return nil }
        let end = bytes.startIndex + Self.headerSize + Int(length)
        let rest = bytes[(bytes.startIndex + 8)..<end]
        guard Checksum.of(rest, after: Checksum.of(bytes.prefix(4))) == checksum,
            let kind = reader.uint64(), let session = reader.uint64(), let block = reader.uint64(),
            let frame = reader.uint64()
        else { return nil }
        self.kind = kind
        self.session = session
        self.block = block
        self.frame = frame
        payload = .bytes(Array(bytes[(bytes.startIndex + Self.headerSize)..<end]))
    }

    /// In bytes.
    public var size: Int { Self.headerSize + payload.size }

    /// Encoded.
    public var bytes: [UInt8] {
        var writer = JournalWriter()
        writer.put(self)
        return writer.bytes
    }
}

/// CRC-32C (Castagnoli), as in RFC 3720, appendix B.4.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        var value = UInt32(index)
        for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82f6_3b78 : value >> 1 }
        return value
    }

    /// - Parameter earlier: the checksum of the bytes before.
    static func of(_ bytes: ArraySlice<UInt8>, after earlier: UInt32 = 0) -> UInt32 {
        var value = ~earlier
        table.withUnsafeBufferPointer { table in
            bytes.withUnsafeBufferPointer { bytes in
                for byte in bytes { value = value >> 8 ^ table[Int((value ^ UInt32(byte)) & 0xff)] }
            }
        }
        return ~value
    }
}

/// Encodes records one behind the other.
public struct JournalWriter {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    public mutating func put(_ record: JournalRecord) {
        let start = bytes.count
        put(UInt32(record.payload.size))
        let checksum = bytes.count
        put(UInt32(0))
        let rest = bytes.count
        put(record.kind)
        put(record.session)
        put(record.block)
        put(record.frame)
        switch record.payload {
        case .bytes(let payload): bytes += payload
        case .samples(let samples): put(samples)
        }
        let value = Checksum.of(bytes[rest...], after: Checksum.of(bytes[start..<checksum]))
        for index in 0..<4 { bytes[checksum + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }

    /// Forgets the bytes, and keeps the memory for the next ones.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func put(_ byte: UInt8) { bytes.append(byte) }

    mutating func put(_ number: UInt32) {
        for shift in stride(from: 0, to: 32, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    mutating func put(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    mutating func put(_ number: Double) { put(number.bitPattern) }

    mutating func put(_ string: String) { put(Array(string.utf8)) }

    mutating func put(_ data: [UInt8]) {
        put(UInt32(data.count))
        bytes += data
    }

    mutating func put(_ samples: [Int16]) {
        for sample in samples {
            let bits = UInt16(bitPattern: sample)
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
        }
    }
}

/// Reads what ``JournalWriter`` wrote. Every value is nil where the bytes do not suffice.
struct JournalReader {
    private var rest: ArraySlice<UInt8>

    /// The frames of two years. Larger numbers are not valid, so that no sum of valid ones overflows.
    static let frameLimit = 1 << 40

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func uint32() -> UInt32? { number(4).map { UInt32(truncatingIfNeeded: $0) } }

    mutating func uint64() -> UInt64? { number(8) }

    mutating func double() -> Double? { uint64().map { Double(bitPattern: $0) } }

    /// In seconds; nil also if it is not a number, or too large to be counted in frames.
    mutating func time() -> Double? {
        double().flatMap { abs($0) <= Double(Self.frameLimit) / sampleRate ? $0 : nil }
    }

    mutating func data() -> [UInt8]? { uint32().flatMap { bytes(Int($0)) }.map(Array.init) }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func string() -> String? { data().flatMap { String(validating: $0, as: UTF8.self) } }

    /// A string without NUL, which no string on the bus may contain.
    mutating func text() -> String? {
        string().map {
            $0.utf8.contains(0)
                ? String(String.UnicodeScalarView($0.unicodeScalars.filter { $0 != "\0" })) : $0
        }
    }

    /// The rest, as samples; nil if it ends within one.
    mutating func samples() -> [Int16]? {
        guard rest.count.isMultiple(of: 2) else { return nil }
        defer { rest = [] }
        return stride(from: rest.startIndex, to: rest.endIndex, by: 2).map {
            Int16(bitPattern: UInt16(rest[$0]) | UInt16(rest[$0 + 1]) << 8)
        }
    }

    private mutating func number(_ size: Int) -> UInt64? {
        guard rest.count >= size else { return nil }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
