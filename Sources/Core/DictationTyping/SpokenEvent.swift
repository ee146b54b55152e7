/// What a session reports of its text.
public enum SpokenEvent: Hashable, Sendable {
    /// The text of a block grew. `stable` begins at this Unicode scalar of the block; `volatile` follows it, and may change.
    case partial(block: UInt64, offset: Int, stable: String, volatile: String)
    /// A block is finished, and whether its text has a capital only because it begins.
    case final(block: UInt64, text: String, hasInitialCapital: Bool)
    /// A block is finished that was spoken while a secret field had the focus. Nobody gets its text.
    case withheld(block: UInt64)
    /// The user took back the end of a block, from this Unicode scalar on.
    case retracted(block: UInt64, offset: Int)
}

/// The growing text of a block.
struct GrowingText {
    /// 0 at the beginning.
    private(set) var block: UInt64 = 0
    private var stable = ""
    private var volatile = ""

    var text: String { stable + volatile }
    var isEmpty: Bool { stable.isEmpty && volatile.isEmpty }

    /// A text of another block replaces this one.
    mutating func grow(_ block: UInt64, at offset: Int, _ stable: String, _ volatile: String) {
        if block != self.block { self = GrowingText(block: block) }
        cut(at: offset)
        self.stable += stable
        self.volatile = volatile
    }

    mutating func cut(at offset: Int) {
        let scalars = stable.unicodeScalars
        if offset < scalars.count { stable = String(scalars.prefix(offset)) }
    }
}
