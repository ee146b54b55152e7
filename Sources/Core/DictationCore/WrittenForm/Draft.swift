/// Text that is being written. It counts its scalars once, however often it is asked.
struct Draft {
    private(set) var text = ""
    private var countedBytes = 0
    private var countedScalars = 0

    init(capacity: Int = 0) { text.reserveCapacity(capacity) }

    var isEmpty: Bool { text.isEmpty }

    mutating func append(_ addition: some StringProtocol) { text.append(contentsOf: addition) }

    /// The number of Unicode scalars, counted by their first bytes.
    mutating func scalarCount() -> Int {
        let utf8 = text.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: countedBytes)
        countedScalars += utf8[start...].count { $0 & 0xC0 != 0x80 }
        countedBytes = utf8.count
        return countedScalars
    }
}
