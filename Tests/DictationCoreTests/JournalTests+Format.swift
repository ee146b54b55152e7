import Testing

@testable import DictationCore

/// The entries and records of a journal.
extension JournalTests {
    private static let entries: [JournalEntry] = [
        .session(session), .flow(true), .sound(1, frame: 320, [0, 1, -1, .max, .min]),
        .text(
            1, number: 0, settled: 325,
            JournalText(
                Segment(
                    text: "naïve 猫",
                    words: [
                        Word("naïve", start: 0.5, end: 1, confidence: 0.25), Word("猫", start: 1, end: 2),
                    ],
                    alternatives: [Alternative("native", score: 0.5)], start: 0.5, end: 2, isCut: true),
                isPunctuated: true)),
        .text(1, number: 1, settled: 400, JournalText(Segment(text: "lost"), isLost: true)),
        .sound(1, frame: 400, [5, 6]), .flow(false), .full, .attempt, .dropped(1, frames: 640),
        .field(1, "window"),
    ]

    @Test func entriesAreReadAsTheyWereWritten() throws {
        for entry in Self.entries {
            let record = try #require(JournalRecord(entry.record(of: Self.session.id).bytes[...]))
            #expect(JournalEntry(record) == entry)
            #expect(record.session == 7)
        }
        // RFC 3720, B.4.
        #expect(Checksum.of([UInt8](repeating: 0, count: 32)[...]) == 0x8a91_36aa)
        #expect(Checksum.of([UInt8](repeating: 0xff, count: 32)[...]) == 0x62a8_ab43)
    }

    /// A service was killed while it wrote.
    @Test func aTornTailIsIgnoredAtEveryByte() {
        let records = Self.entries.map { $0.record(of: Self.session.id).bytes }
        let bytes = records.flatMap { $0 }
        for count in 0..<bytes.count {
            var whole = 0
            var size = 0
            while size + records[whole].count <= count {
                size += records[whole].count
                whole += 1
            }
            let contents = JournalContents(Array(bytes.prefix(count)))
            #expect(contents?.texts.count ?? 0 == (whole > 4 ? 2 : whole > 3 ? 1 : 0), "\(count) bytes")
            #expect((contents == nil) == (whole < 3), "\(count) bytes")
        }
    }

    @Test func everyFlippedBitEndsTheReading() {
        let bytes = [Self.entries[0], Self.entries[2], Self.entries[3]].flatMap {
            $0.record(of: Self.session.id).bytes
        }
        let whole = JournalContents(bytes)
        for bit in 0..<(8 * bytes.count) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            let contents = JournalContents(damaged)
            #expect(contents != whole)
            if let contents {
                #expect(contents.texts == Array((whole?.texts ?? []).prefix(contents.texts.count)))
            }
        }
    }

    @Test func foreignKindsAndOtherSessionsArePassedOver() {
        var foreign = JournalRecord(.sound, of: Self.session.id, .bytes([1, 2, 3]))
        foreign.kind = 99
        let other = JournalEntry.sound(1, frame: 0, [9, 9]).record(of: SessionID(rawValue: 8)).bytes
        let odd = JournalRecord(.sound, of: Self.session.id, block: 1, frame: 0, .bytes([1])).bytes
        // The frames of two years are the limit.
        #expect(
            JournalEntry(
                JournalRecord(.sound, of: Self.session.id, block: 1, frame: 1 << 40, .bytes([1, 0]))) != nil)
        let huge = JournalRecord(.sound, of: Self.session.id, block: 1, frame: 1 << 41, .bytes([1, 0]))
        #expect(JournalEntry(huge) == nil)
        let bytes =
            JournalEntry.session(Self.session).record(of: Self.session.id).bytes + foreign.bytes + other + odd
            + huge.bytes
            + JournalEntry.sound(1, frame: 4, [7]).record(of: Self.session.id).bytes
        #expect(JournalContents(bytes)?.frames == 1)
        // The session comes first.
        #expect(JournalContents(Array(foreign.bytes + bytes)) == nil)
    }

    /// The microphone was closed meanwhile: what was said before and after it is not one sound.
    @Test func soundIsCutWhereItDidNotFlowAndNowhereElse() {
        let entries: [JournalEntry] = [
            .session(Self.session), .sound(1, frame: 0, [1]), .sound(1, frame: 1, [2]), .flow(false),
            .flow(true),
            .sound(1, frame: 2, [3]), .sound(1, frame: 3, [4]),
        ]
        let contents = JournalContents(entries.flatMap { $0.record(of: Self.session.id).bytes })
        #expect(contents?.sound.map(\.samples) == [[1, 2], [3, 4]])
    }

    @Test func theAnchorTellsWhereTheRecordsBegin() {
        let anchor = JournalContents.anchor(start: 4096)
        #expect(anchor.count == JournalContents.anchorSize)
        #expect(JournalContents.start(anchor: anchor) == 4096)
        #expect(JournalContents.start(anchor: JournalContents.anchor(start: 3)) == nil)
        #expect(JournalContents.start(anchor: Array(anchor.dropLast())) == nil)
    }
}
