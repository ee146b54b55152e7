#if DEBUG
    @testable import DictationCore

    extension FuzzTarget {
        /// The journal of a service that crashed. Its records get valid checksums, which the fuzzer would not find.
        static let journal = FuzzTarget("journal", seeds: journals) { bytes in
            _ = JournalContents(bytes)
            _ = JournalContents.start(anchor: bytes)
            let valid = withChecksums(bytes)
            guard let contents = JournalContents(valid) else { return }
            try checkSound(contents, of: valid.count)
            try require(contents.texts.count <= valid.count / 40, "more texts than records")
            let torn = JournalContents(valid.dropLast())
            try require((torn?.texts.count ?? 0) <= contents.texts.count, "a torn journal has more texts")
            try checkRestoring(contents)
        }

        /// Sound is in order, and no part of it is there twice.
        private static func checkSound(_ contents: JournalContents, of size: Int) throws(FuzzFailure) {
            try require(contents.frames <= size / 2, "\(contents.frames) frames of \(size) bytes")
            for (first, second) in zip(contents.sound, contents.sound.dropFirst()) {
                try require(
                    first.block < second.block || first.block == second.block && first.end <= second.frame,
                    "\(second.samples.count) frames at \(second.frame) after those to \(first.end)")
            }
        }

        /// A service that restores the session, and crashes before it has decoded the sound, leaves the same text.
        private static func checkRestoring(_ contents: JournalContents) throws(FuzzFailure) {
            let client = contents.session.client
            let request = TranscriptionRequest(engine: "fake", language: "en-US")
            let restored = RestoredSession(
                contents, hasOwner: true, options: StartOptions(transcription: request), idle: .seconds(1),
                age: .seconds(1))
            try require(restored.lostFrames >= 0 && restored.frames >= 0, "a negative number of frames")
            var machine = DictationMachine(world: World(permissions: [client.identity: .granted]))
            _ = machine.handle(.restore(restored), at: Moment(awake: .zero, elapsed: .zero))
            guard let block = machine.uncommitted(of: restored.id).first else { return }
            try require(block.number == contents.block, "another block")
            try require(
                block.texts.map(\.segment.text).filter { !$0.isEmpty }
                    == contents.texts.map(\.segment.text).filter { !$0.isEmpty }, "another text")
            _ = machine.handle(
                .call(CallID(rawValue: 1), from: client, .commit), at: Moment(awake: .zero, elapsed: .zero))
            _ = machine.handle(
                .recognition(restored.id, .blockEnded(contents.block, duration: 1)),
                at: Moment(awake: .zero, elapsed: .zero))
        }

        /// The records one behind the other, with valid checksums. A length that is too large becomes that of the rest.
        private static func withChecksums(_ bytes: [UInt8]) -> [UInt8] {
            var valid: [UInt8] = []
            var rest = bytes[...]
            while rest.count >= JournalRecord.headerSize {
                let length = Int(littleEndian(rest.prefix(4)))
                let size = JournalRecord.headerSize + min(length, rest.count - JournalRecord.headerSize)
                var record = Array(rest.prefix(size))
                record.replaceSubrange(0..<4, with: littleEndian(size - JournalRecord.headerSize))
                let checksum = Checksum.of(record[8...], after: Checksum.of(record[..<4]))
                record.replaceSubrange(4..<8, with: littleEndian(Int(checksum)))
                valid += record
                rest = rest.dropFirst(size)
            }
            return valid
        }

        private static func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }

        /// In four bytes.
        private static func littleEndian(_ number: Int) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }

        // MARK: Seeds

        private static var journals: [[UInt8]] {
            let identity = Identity(uid: 1000, kind: .app, id: "org.example.Editor")
            let session = JournalSession(
                id: SessionID(rawValue: 7), client: Client(name: ClientName(":1.5"), identity: identity),
                bus: "0123", lingers: false, options: [1, 2, 3])
            let words = [
                Word("one", start: 0.5, end: 1, confidence: 0.25), Word("two", start: 1, end: 2),
            ]
            let segment = Segment(
                text: "one two", words: words, alternatives: [Alternative("won", score: 0.5)], start: 0.5,
                end: 2)
            let spoken: [JournalEntry] = [
                .session(session), .flow(true), .sound(1, frame: 320, [0, 1, -1, .max, .min]),
                .text(1, number: 0, settled: 325, JournalText(segment, isPunctuated: true)),
                .text(1, number: 1, settled: 400, JournalText(Segment(text: "lost"), isLost: true)),
                .sound(1, frame: 400, [5, 6]), .flow(false),
            ]
            let later: [JournalEntry] = [
                .sound(1, frame: 500, [7]), .full, .dropped(1, frames: 640),
                .text(2, number: 0, settled: 0, JournalText(Segment(text: "three", end: 1))),
                .sound(2, frame: 16_000, [8, 9]),
            ]
            return [spoken, spoken + later, spoken + [.attempt], [spoken[0], spoken[2]]].map { entries in
                entries.flatMap { $0.record(of: session.id).bytes }
            }
        }
    }
#endif
