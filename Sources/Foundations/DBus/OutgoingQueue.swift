/// The memory of messages that were sent and wait for the other end to read. libdbus counts their bytes, but not the messages.
struct OutgoingQueue {
    /// Of each message, in the order of sending. Those before `first` were read.
    private var sizes: [Int] = []
    private var first = 0
    private var bytes = 0

    /// Of a message in addition to its bytes.
    private static let overhead = 1024

    /// A message was sent.
    /// - Parameter waiting: the bytes in libdbus's queue after that.
    mutating func add(_ size: Int, waiting: Int) {
        sizes.append(size)
        bytes += size
        while bytes > waiting, first < sizes.count {
            bytes -= sizes[first]
            first += 1
        }
        if first > sizes.count / 2 {
            sizes.removeFirst(first)
            first = 0
        }
    }

    var memory: Int { bytes + (sizes.count - first) * Self.overhead }
}
