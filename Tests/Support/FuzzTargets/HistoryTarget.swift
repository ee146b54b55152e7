#if DEBUG
    @testable import DictationCore

    extension FuzzTarget {
        /// The file of a user's history. Its entries get valid checksums, which the fuzzer would not find.
        static let history = FuzzTarget("history", seeds: histories) { bytes in
            _ = HistoryContents(bytes, uid: 1000)
            guard let contents = HistoryContents(withChecksums(bytes), uid: 1000) else { return }
            let settings = History.Settings(lifetime: .seconds(86_400), keepsSound: true)
            var history = History(settings: settings, entries: contents.entries, lastID: contents.lastID)
            history.use(settings, at: 1_700_000_000)
            try require(history.entries.count <= History.countLimit, "too many texts")
            try require(history.entries.reduce(0) { $0 + $1.size } <= History.sizeLimit, "too long texts")
            try require(history.entries.reduce(0) { $0 + $1.frames } <= History.frameLimit, "too much sound")
            let ids = history.entries.map(\.id)
            try require(ids == ids.sorted() && Set(ids).count == ids.count, "a number is used twice")
            let written = HistoryContents(history).bytes
            let read = HistoryContents(written, uid: 1000)
            try require(read?.isDamaged == false, "what was written is damaged")
            try require(read?.entries == history.entries, "what was written is another history")
            let text = KeptText(
                session: SessionID(rawValue: 1), block: 1, identity: .unknown(ofUser: 1000),
                language: "en-US",
                engine: "fake", text: "new")
            try require(history.keep(text, at: 1_700_000_001) ?? 0 > ids.last ?? 0, "a number is used again")
            try require((read?.lastID ?? 0) >= ids.last ?? 0, "a number would be used again")
        }

        /// A length that is too large becomes that of the rest.
        private static func withChecksums(_ bytes: [UInt8]) -> [UInt8] {
            guard bytes.count > 16 else { return bytes }
            var valid = Array(bytes.prefix(16))
            var rest = bytes.dropFirst(16)
            while rest.count >= 8 {
                let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
                let payload = rest.dropFirst(8).prefix(length)
                for number in [UInt32(payload.count), Checksum.of(payload)] {
                    valid += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
                }
                valid += payload
                rest = rest.dropFirst(8 + payload.count)
            }
            return valid
        }

        private static var histories: [[UInt8]] {
            var history = History(settings: History.Settings(lifetime: .seconds(86_400), keepsSound: true))
            var histories = [HistoryContents(history).bytes]
            for (block, text) in ["one", "zwei\nZeilen", "drei 😀", "four"].enumerated() {
                let identity = Identity(uid: 1000, kind: .app, id: "org.example.\(block)")
                history.keep(
                    KeptText(
                        session: SessionID(rawValue: 1), block: UInt64(block), identity: identity,
                        application: block == 1 ? "org.example.Window" : nil, language: "en-US",
                        engine: "fake", text: text), frames: block, at: 1_700_000_000)
                histories.append(HistoryContents(history).bytes)
            }
            history.replace(2, by: "two", engine: "better", language: "de")
            return histories + [HistoryContents(history).bytes]
        }
    }
#endif
