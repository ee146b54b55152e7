/// The keymap of a virtual keyboard. Any character gets a key when it is needed. Keys keep their characters as long as there
/// is room, because applications load a new keymap late.
struct VirtualKeymap {
    /// The keys of XKB: from 9, and for X11 at most 255.
    private static let firstCode = 9
    private static let capacity = 247
    /// A key's number in evdev is less than its number in XKB by this.
    private static let evdevOffset = 8

    private var scalars: [Unicode.Scalar] = []
    private var indices: [Unicode.Scalar: Int] = [:]
    private var next = 0

    /// Has keys for Latin-1 and the marks that dictation writes, because the compositor and applications take some
    /// hundredths of a second for a new keymap.
    init() {
        for value in Array(UInt8(0x20)...0x7E) + Array(0xA1...0xFF) {
            _ = assign(Unicode.Scalar(value), keeping: [])
        }
        for scalar in "\n\t–—‘’‚“”„…€Œœ".unicodeScalars { _ = assign(scalar, keeping: []) }
    }

    /// The keys of characters, as evdev numbers them.
    /// - Parameter text: no more different scalars than there are keys, ``capacity``.
    /// - Returns: the keys, and whether the keymap has changed.
    mutating func keys(for text: [Unicode.Scalar]) -> (keys: [UInt32], hasChanged: Bool) {
        let wanted = Set(text)
        var hasChanged = false
        for scalar in text where indices[scalar] == nil {
            hasChanged = assign(scalar, keeping: wanted) || hasChanged
        }
        let keys = text.compactMap { indices[$0] }
            .map { UInt32(Self.firstCode + $0 - Self.evdevOffset) }
        return (keys, hasChanged)
    }

    /// False if all keys are in use.
    private mutating func assign(_ scalar: Unicode.Scalar, keeping kept: Set<Unicode.Scalar>) -> Bool {
        if scalars.count < Self.capacity {
            indices[scalar] = scalars.count
            scalars.append(scalar)
            return true
        }
        for _ in 0..<Self.capacity {
            let index = next
            next = (next + 1) % Self.capacity
            guard !kept.contains(scalars[index]) else { continue }
            indices[scalars[index]] = nil
            scalars[index] = scalar
            indices[scalar] = index
            return true
        }
        return false
    }

    /// In XKB's text format.
    var text: String {
        let codes = scalars.indices.map { "<K\($0)> = \(Self.firstCode + $0);" }
        let symbols = scalars.indices.map { "key <K\($0)> { [ \(Self.symbol(scalars[$0])) ] };" }
        return """
            xkb_keymap {
            xkb_keycodes "dictation" { minimum = 8; maximum = 255; \(codes.joined(separator: " ")) };
            xkb_types "dictation" { include "complete" };
            xkb_compatibility "dictation" { include "complete" };
            xkb_symbols "dictation" { \(symbols.joined(separator: " ")) };
            };

            """
    }

    private static func symbol(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "Return"
        case "\t": return "Tab"
        default:
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "U" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
    }
}
