/// A key with a function in this program.
enum Key: Equatable {
    case space
    case enter
    case escape
    case undo
    case quit
}

/// Finds keys in what the terminal sends. Sequences that begin with Escape are function keys and ignored; Escape alone is a
/// key. The bytes of a sequence may arrive one by one, as over a slow connection.
struct KeyReader {
    /// How long the rest of a sequence may take. After that Escape was pressed.
    static let sequenceTimeout = Duration.milliseconds(50)
    /// Longer sequences are not keys.
    private static let sequenceLimit = 32

    /// The beginning of a sequence.
    private var sequence: [UInt8] = []

    /// Whether ``endSequence()`` is to be called after the timeout.
    var isWithinSequence: Bool { !sequence.isEmpty }

    mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        bytes.flatMap { keys(with: $0) }
    }

    /// The rest of the sequence has not come.
    mutating func endSequence() -> [Key] {
        let escapes = sequence.prefix { $0 == Self.escape }.count
        let isKey = escapes == sequence.count
        sequence = []
        return isKey ? Array(repeating: .escape, count: escapes) : []
    }

    private static let escape: UInt8 = 0x1B

    private mutating func keys(with byte: UInt8) -> [Key] {
        guard !sequence.isEmpty else { return key(byte) }
        sequence.append(byte)
        // Alt and a function key is Escape and its sequence.
        let body = sequence.drop { $0 == Self.escape }
        if body.isEmpty, sequence.count > 2 {
            sequence.removeLast()
            return [.escape]
        }
        if Self.isComplete(body) || sequence.count > Self.sequenceLimit { sequence = [] }
        return []
    }

    private mutating func key(_ byte: UInt8) -> [Key] {
        switch byte {
        case Self.escape: sequence = [byte]
        case UInt8(ascii: " "): return [.space]
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return [.enter]
        case UInt8(ascii: "u"), UInt8(ascii: "U"): return [.undo]
        case UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x03, 0x04: return [.quit]
        default: break
        }
        return []
    }

    /// ECMA-48: `[`, parameters, a final byte from 0x40; `O` and one byte; any other byte is a key with Alt.
    private static func isComplete(_ body: ArraySlice<UInt8>) -> Bool {
        switch body.first {
        case nil: false
        case UInt8(ascii: "["): body.dropFirst().contains { $0 >= 0x40 }
        case UInt8(ascii: "O"): body.count > 1
        default: true
        }
    }
}
