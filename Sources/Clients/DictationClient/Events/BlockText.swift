/// The text of a block as it grows, put together from ``PartialText``.
public struct BlockText: Hashable, Sendable {
    /// Number of the block; 0 before anything came.
    public private(set) var block: UInt64 = 0
    /// Never changes, only grows, unless the user takes text back.
    public private(set) var stable = ""
    /// May still change.
    public private(set) var volatile = ""

    public init() {}

    public var text: String { stable + volatile }
    public var isEmpty: Bool { stable.isEmpty && volatile.isEmpty }

    /// A partial of another block begins anew.
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

    /// Text of another block is not touched.
    public mutating func apply(_ retraction: Retraction) {
        guard retraction.block == block, retraction.offset < UInt64(stable.unicodeScalars.count) else {
            return
        }
        stable = String(stable.unicodeScalars.prefix(Int(retraction.offset)))
    }

    /// To be called when the block was committed or cancelled.
    public mutating func clear() {
        self = BlockText()
    }
}
