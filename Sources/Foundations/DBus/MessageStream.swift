/// Divides what a bus sends so that the header of a message with descriptors is separate from what comes before and after it.
struct MessageStream {
    struct Part {
        let bytes: ArraySlice<UInt8>
        /// Those of the message that begins here.
        var files: [Int32] = []
        var sender: BusName?
    }

    private var bytes: [UInt8] = []
    /// What comes before was passed on.
    private var first = 0
    /// How much of the present message is missing at `first`.
    private var rest = 0
    /// Descriptors whose message was not passed on.
    private var files: [Int32] = []

    var hasNoFiles: Bool { files.isEmpty }

    mutating func append(_ new: ArraySlice<UInt8>, _ newFiles: ArraySlice<Int32>) {
        bytes.removeFirst(first)
        first = 0
        bytes += new
        files += newFiles
    }

    /// Nil if more bytes are needed.
    mutating func next() -> Part? {
        var end = first
        while end < bytes.count {
            if rest > 0 {
                let size = min(rest, bytes.count - end)
                rest -= size
                end += size
                continue
            }
            // Before the first message there are lines of text, in capital letters.
            if bytes[end] != UInt8(ascii: "l"), bytes[end] != UInt8(ascii: "B") {
                guard let line = bytes[end...].firstIndex(of: UInt8(ascii: "\n")) else { break }
                end = line + 1
                continue
            }
            guard bytes.count - end >= HeaderFields.fixedBytes,
                let lengths = bytes[end...].withUnsafeBytes({ HeaderFields($0).lengths })
            else { break }
            guard !files.isEmpty else {
                rest = lengths.message
                continue
            }
            guard bytes.count - end >= lengths.header else { break }
            let fields = bytes[end..<end + lengths.header].withUnsafeBytes { bytes in
                var header = HeaderFields(bytes)
                return header.read()
            }
            // A bus passes only known fields on.
            let count = min(fields?.descriptors ?? files.count, files.count)
            if count == 0 {
                rest = lengths.message
                continue
            }
            // What comes before it goes first.
            if end > first { break }
            rest = lengths.message - lengths.header
            first += lengths.header
            defer { files.removeFirst(count) }
            return Part(
                bytes: bytes[end..<first], files: Array(files.prefix(count)),
                sender: fields?.sender.flatMap { BusName($0) })
        }
        guard end > first else { return nil }
        defer { first = end }
        return Part(bytes: bytes[first..<end])
    }
}
