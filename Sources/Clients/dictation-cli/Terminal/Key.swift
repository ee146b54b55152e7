/// A key with a function in this program.
enum Key: Equatable {
    case space
    case enter
    case escape
    case quit

    /// The keys in the result of one read. Sequences that begin with Escape are function keys and ignored; Escape alone
    /// is the key.
    static func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        var rest = Array(bytes)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: " "): keys.append(.space)
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"): keys.append(.enter)
            case UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x03, 0x04: keys.append(.quit)
            case 0x1B: skipSequence(&rest) ? () : keys.append(.escape)
            default: break
            }
        }
        return keys
    }

    /// ECMA-48: `ESC [`, parameters, a final byte from 0x40; `ESC O` and one byte; `ESC` and a letter is Alt.
    private static func skipSequence(_ rest: inout ArraySlice<UInt8>) -> Bool {
        switch rest.first {
        case nil, 0x1B:
            return false
        case UInt8(ascii: "["):
            rest.removeFirst()
            while let byte = rest.popFirst(), byte < 0x40 {}
            return true
        case UInt8(ascii: "O"):
            rest = rest.dropFirst(2)
            return true
        default:
            rest.removeFirst()
            return true
        }
    }
}
