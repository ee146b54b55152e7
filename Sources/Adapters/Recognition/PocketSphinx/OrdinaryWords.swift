import EventLoop

/// The words of pronunciation dictionaries, by the dictionary's path. A megabyte for the 126,000 of en-US.
final class OrdinaryWords: Sendable {
    /// Sorted hashes.
    private let hashes = Lock<[String: [UInt64]]>([:])

    /// Reads a dictionary, once. Takes a twentieth of a second.
    func load(_ dictionary: String) throws(RecognitionError) {
        guard hashes.withLock({ $0[dictionary] == nil }) else { return }
        let read = try SphinxDictionary.hashes(in: dictionary).sorted()
        hashes.withLock { $0[dictionary] = read }
    }

    /// Nil if the dictionary was not read.
    func contains(in dictionary: String) -> (@Sendable (String) -> Bool)? {
        guard let hashes = hashes.withLock({ $0[dictionary] }) else { return nil }
        return { word in
            let wanted = FowlerHash.of(word)
            var low = 0
            var high = hashes.count
            while low < high {
                let middle = (low + high) / 2
                if hashes[middle] < wanted { low = middle + 1 } else { high = middle }
            }
            return low < hashes.count && hashes[low] == wanted
        }
    }
}
