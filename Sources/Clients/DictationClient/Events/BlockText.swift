/// The growing text of a block, assembled from ``PartialText``.
public struct BlockText: Hashable, Sendable {
    /// Number of the block; 0 at the beginning.
    public private(set) var block: UInt64 = 0
    /// Never changes and only grows, unless the user takes text back.
    public private(set) var stable = ""
    /// May still change.
    public private(set) var volatile = ""

    public init() {}

    public var text: String { stable + volatile }
    public var isEmpty: Bool { stable.isEmpty && volatile.isEmpty }

    /// A partial of another block starts a new text.
    public mutating func apply(_ partial: PartialText) {
        if partial.block != block {
            self = BlockText()
            block = partial.block
        }
        let scalars = stable.unicodeScalars
        if partial.offset < UInt64(scalars.count) {
            stable = String(scalars.prefix(Int(partial.offset)))
        }
        stable += partial.stable
        volatile = partial.volatile
    }

    /// Ignores other blocks.
    public mutating func apply(_ retraction: Retraction) {
        guard retraction.block == block, retraction.offset < UInt64(stable.unicodeScalars.count) else {
            return
        }
        stable = String(stable.unicodeScalars.prefix(Int(retraction.offset)))
    }

    /// Call when the block was committed or cancelled.
    public mutating func clear() {
        self = BlockText()
    }
}
