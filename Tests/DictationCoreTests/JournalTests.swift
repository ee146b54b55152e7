import Testing

@testable import DictationCore

/// What a session's journal holds, and what is read from it.
@Suite struct JournalTests {
    static let session = JournalSession(
        id: SessionID(rawValue: 7), client: .editor, bus: "0123", lingers: false, options: [1, 2, 3])
    static let quantum = [Int16](repeating: 1000, count: 320)

    /// Carries out steps like a file.
    struct File {
        var bytes: [UInt8] = []
        var appends = 0
        var replacements = 0
        var reportedFull = 0

        mutating func perform(_ steps: [JournalStep]) {
            for step in steps {
                switch step {
                case .append(let new):
                    bytes += new.flatMap(\.bytes)
                    appends += 1
                case .replace(let new):
                    bytes = new.flatMap(\.bytes)
                    replacements += 1
                case .clear: bytes = []
                case .full: reportedFull += 1
                }
            }
        }

        var contents: JournalContents? { JournalContents(bytes) }
    }

    /// A journal, and the file that has what it wrote.
    struct Journal {
        var log = JournalLog(JournalTests.session)
        var file = File()
        var texts: [JournalText] = []
        var block: BlockNumber = 1

        mutating func addSound(_ seconds: Double) {
            for _ in 0..<Int(seconds * 50) {
                log.append(JournalTests.quantum)
                perform()
            }
        }

        mutating func perform() {
            file.perform(log.takeSteps())
            #expect(log.size == file.bytes.count)
        }

        mutating func record(_ event: RecognitionEvent) {
            log.record(event)
            if case .segment(_, let segment) = event, !segment.text.isEmpty {
                texts.append(JournalText(segment))
            }
            if case .passage(_, let text) = event, let segment = text.segment {
                texts.append(JournalText(segment))
            }
            follow([UncommittedBlock(number: block, texts: texts)])
        }

        mutating func follow(_ blocks: [UncommittedBlock]) {
            log.follow(blocks)
            perform()
        }

        mutating func say(_ text: String, from start: Double, to end: Double) {
            record(.speechBegan(block, at: start))
            addSound(end - start)
            record(.speechEnded(block, at: end))
            record(.segment(block, Segment(text: text, start: start, end: end)))
        }
    }

    @Test func silenceIsNotWritten() {
        var journal = Journal()
        journal.log.setFlowing(true)
        journal.addSound(60)
        #expect(journal.file.appends == 0)
    }

    @Test(arguments: [(4.8, 35_200), (4.02, 47_680)])
    func speechIsKeptFromASecondBeforeItsBeginning(_ begin: Double, _ frames: Int) throws {
        var journal = Journal()
        journal.log.setFlowing(true)
        journal.addSound(5)
        journal.record(.speechBegan(1, at: begin))
        journal.addSound(1)
        let contents = try #require(journal.file.contents)
        #expect(contents.sound.count == 1)
        #expect(contents.frames == frames)
        #expect(contents.session == Self.session)
        #expect(contents.isFlowing)
        // One write for each quantum.
        #expect(journal.file.appends <= 52)
    }

    /// Also in silence, which is not in the file yet.
    @Test func soundBeforeAndAfterABreakIsNotOne() throws {
        var journal = Journal()
        journal.log.setFlowing(true)
        journal.addSound(1)
        journal.log.setFlowing(false)
        journal.log.setFlowing(true)
        journal.addSound(0.5)
        journal.record(.speechBegan(1, at: 1.4))
        journal.addSound(1)
        #expect(try #require(journal.file.contents).sound.map(\.samples.count) == [9600, 24_000])
    }

    @Test func theTextReplacesTheSoundOfAFinishedSegment() throws {
        var journal = Journal()
        journal.addSound(1)
        journal.say("one", from: 1, to: 3)
        let contents = try #require(journal.file.contents)
        #expect(contents.texts.map(\.segment.text) == ["one"])
        #expect(contents.frames == 0)
        #expect(journal.file.bytes.count < 1000)
        journal.record(.speechBegan(1, at: 3))
        journal.addSound(1)
        // Not the second before it, which belongs to the text.
        #expect(journal.file.contents?.frames == 16_000)
    }

    /// Its engine may be slow.
    @Test func theTextOfAPassageReplacesOnlyItsOwnSound() throws {
        var journal = Journal()
        journal.record(.speechBegan(1, at: 0))
        journal.addSound(2)
        journal.record(.speechEnded(1, at: 2))
        journal.addSound(1)
        journal.record(.speechBegan(1, at: 3))
        journal.addSound(1)
        let text = Segment(text: "one", start: 0, end: 2)
        journal.record(.passage(1, PassageText(replaces: 0, segment: text, engine: "whisper")))
        let frames = try #require(journal.file.contents).frames
        #expect(frames >= 16_000 && frames <= 32_000)
    }

    /// 4 s of new sound are 125 KiB.
    @Test func aMebibyteThatIsNotNeededIsRemoved() {
        var journal = Journal()
        journal.record(.speechBegan(1, at: 0))
        var most = 0
        for second in 1...200 {
            journal.addSound(1)
            journal.record(
                .segment(1, Segment(text: "word", start: 0, end: Double(max(0, second - 4)), isCut: true)))
            most = max(most, journal.file.bytes.count)
        }
        #expect((1 << 20...3 << 19).contains(most), "\(most)")
    }

    /// With continuous speech there is never a pause at which all segments are finished.
    @Test func finishedSoundIsDroppedDuringContinuousSpeech() throws {
        var journal = Journal()
        journal.record(.speechBegan(1, at: 0))
        for round in 1...20 {
            journal.addSound(20)
            journal.record(
                .segment(1, Segment(text: "\(round)", start: 0, end: Double(round * 20 - 1), isCut: true)))
        }
        let contents = try #require(journal.file.contents)
        #expect(contents.texts.count == 20)
        #expect(contents.frames == 16_000)
        #expect(journal.file.bytes.count < 4 << 20)
    }

    @Test func aSegmentWithoutWordsIsDropped() {
        var journal = Journal()
        journal.say("", from: 0, to: 2)
        #expect(journal.file.bytes.isEmpty)
    }

    /// Without a preview nothing tells the end of a passage that the engine lost.
    @Test func theSoundOfALostPassageIsDropped() {
        var journal = Journal()
        journal.record(.speechBegan(1, at: 0))
        journal.addSound(2)
        journal.record(.speechEnded(1, at: 2))
        #expect(journal.file.contents?.frames == 32_000)
        journal.record(
            .passageLost(1, PassageText(replaces: 0, segment: nil, engine: "whisper"), message: ""))
        #expect(journal.file.bytes.isEmpty)
        let appends = journal.file.appends
        journal.addSound(60)
        #expect(journal.file.appends == appends)
        // What comes next is not written twice.
        journal.record(.speechBegan(1, at: 63))
        journal.addSound(1)
        #expect(journal.file.replacements == 0)
    }

    /// A client may cancel again and again while the sound of a committed block waits.
    @Test func cancellingAnEmptyBlockWritesNothing() {
        var journal = Journal()
        journal.record(.speechBegan(1, at: 0))
        journal.addSound(2)
        journal.log.endBlock(1)
        journal.follow([
            UncommittedBlock(number: 1, texts: []), UncommittedBlock(number: 2, texts: []),
        ])
        let replacements = journal.file.replacements
        for number: BlockNumber in 2...10 {
            journal.log.discardBlock(number)
            journal.follow([
                UncommittedBlock(number: 1, texts: []), UncommittedBlock(number: number + 1, texts: []),
            ])
        }
        #expect(journal.file.replacements == replacements)
        #expect(journal.file.contents?.frames == 32_000)
    }

    @Test func commitAndCancelLeaveNothing() {
        var journal = Journal()
        journal.say("secret", from: 0, to: 2)
        // The commit is in progress.
        journal.log.endBlock(1)
        journal.follow([
            UncommittedBlock(number: 1, texts: journal.texts), UncommittedBlock(number: 2, texts: []),
        ])
        #expect(journal.file.contents?.texts.count == 1)
        journal.follow([UncommittedBlock(number: 2, texts: [])])
        #expect(journal.file.bytes.isEmpty)

        journal.texts = []
        journal.block = 2
        journal.record(.speechBegan(2, at: 0))
        journal.addSound(1)
        #expect(journal.file.contents?.block == 2)
        journal.log.discardBlock(2)
        journal.follow([UncommittedBlock(number: 3, texts: [])])
        #expect(journal.file.bytes.isEmpty)
    }

    @Test func theFieldOfAllBlocksIsKept() throws {
        var journal = Journal()
        journal.log.setField("first", of: 1)
        #expect(journal.log.takeSteps().isEmpty)
        journal.say("open", from: 0, to: 2)
        #expect(journal.file.contents?.field == "first")
        journal.log.endBlock(1)
        journal.log.setField("first", of: 2)
        let first = UncommittedBlock(number: 1, texts: journal.texts)
        journal.follow([first, UncommittedBlock(number: 2, texts: [])])
        journal.log.record(.speechBegan(2, at: 0))
        journal.addSound(1)
        #expect(journal.file.contents?.field == "first")
        journal.log.setField("second", of: 2)
        journal.perform()
        #expect(journal.file.contents?.field == "")
        journal.follow([UncommittedBlock(number: 2, texts: [])])
        let contents = try #require(journal.file.contents)
        #expect(contents.field == "second")
        var restored = JournalLog(restoring: contents)
        var file = File()
        file.perform(restored.takeSteps())
        #expect(file.contents?.field == "second")
    }

    /// A secret field has got the focus.
    @Test func nothingOfAWithheldBlockIsKept() throws {
        var journal = Journal()
        journal.say("open", from: 0, to: 2)
        journal.log.endBlock(1)
        let open = journal.texts
        journal.follow([
            UncommittedBlock(number: 1, texts: open), UncommittedBlock(number: 2, texts: []),
        ])
        journal.log.record(.speechBegan(2, at: 0))
        journal.addSound(1)
        #expect(journal.file.contents?.frames == 16_000)
        let text = JournalText(Segment(text: "secret", start: 0, end: 1))
        for _ in 0..<2 {
            journal.follow([
                UncommittedBlock(number: 1, texts: open),
                UncommittedBlock(number: 2, texts: [text], droppedFrames: 5, isWithheld: true),
            ])
            journal.log.record(.speechBegan(2, at: 1))
            journal.addSound(1)
        }
        let contents = try #require(journal.file.contents)
        #expect(contents.texts == open && contents.frames == 0 && contents.droppedFrames == 0)
        #expect(!journal.file.bytes.contains("secret"))
        journal.follow([UncommittedBlock(number: 2, texts: [text], isWithheld: true)])
        #expect(journal.file.bytes.isEmpty)
    }

    @Test func aCommittedBlockIsRemovedWhileTheNextIsSpoken() throws {
        var journal = Journal()
        journal.say("secret", from: 0, to: 2)
        journal.log.endBlock(1)
        let first = journal.texts
        let both = [UncommittedBlock(number: 1, texts: first), UncommittedBlock(number: 2, texts: [])]
        journal.follow(both)
        journal.addSound(1)
        journal.log.record(.speechBegan(2, at: 0.5))
        journal.follow(both)
        journal.addSound(1)
        var contents = try #require(journal.file.contents)
        #expect(contents.block == 1 && contents.texts == first && contents.frames > 0)
        journal.follow([UncommittedBlock(number: 2, texts: [])])
        contents = try #require(journal.file.contents)
        #expect(contents.block == 2 && contents.texts.isEmpty && contents.frames == 32_000)
        #expect(!journal.file.bytes.contains("secret"))
    }

    /// Its sound came into the file again when the first block was removed.
    @Test func theSoundOfARemovedBlockIsRemovedWhileTheNextIsSpoken() throws {
        var journal = Journal()
        journal.say("one", from: 0, to: 2)
        var blocks = [UncommittedBlock(number: 1, texts: journal.texts)]
        for number: BlockNumber in 2...3 {
            journal.log.endBlock(number - 1)
            blocks.append(UncommittedBlock(number: number, texts: []))
            journal.follow(blocks)
            journal.log.record(.speechBegan(number, at: 0))
            journal.addSound(1)
        }
        journal.follow([blocks[1], blocks[2]])
        #expect(journal.file.contents?.frames == 32_000)
        journal.follow([blocks[2]])
        let contents = try #require(journal.file.contents)
        #expect(contents.block == 3 && contents.frames == 16_000)
    }

    @Test func theSoundOfABlockWithoutTextIsRemovedWhileTheNextIsSpoken() throws {
        var journal = Journal()
        let blocks = [UncommittedBlock(number: 1, texts: []), UncommittedBlock(number: 2, texts: [])]
        journal.record(.speechBegan(1, at: 0))
        journal.addSound(2)
        journal.log.endBlock(1)
        journal.follow(blocks)
        journal.log.record(.speechBegan(2, at: 0))
        journal.addSound(1)
        #expect(journal.file.contents?.frames == 48_000)
        journal.follow([blocks[1]])
        let contents = try #require(journal.file.contents)
        #expect(contents.block == 2 && contents.frames == 16_000)
    }

    @Test func withoutPermissionNothingIsKept() {
        var journal = Journal()
        journal.say("one", from: 0, to: 2)
        journal.record(.speechBegan(1, at: 2))
        journal.addSound(1)
        journal.follow([])
        #expect(journal.file.bytes.isEmpty)
        journal.addSound(1)
        #expect(journal.file.bytes.isEmpty)
        // It returns.
        journal.follow([UncommittedBlock(number: 1, texts: journal.texts)])
        #expect(journal.file.contents?.texts == journal.texts)
    }

    @Test func aLostEngineLeavesTheText() throws {
        var journal = Journal()
        journal.record(.speechBegan(1, at: 0))
        journal.addSound(2)
        journal.texts = [JournalText(Segment(text: "half"), isLost: true)]
        journal.record(.engineLost(.failed, message: ""))
        let contents = try #require(journal.file.contents)
        #expect(contents.texts == journal.texts && contents.frames == 0)
        // The next recogniser's clock begins here.
        journal.log.recogniserOpened()
        journal.addSound(1)
        journal.record(.speechBegan(1, at: 0.5))
        #expect(journal.file.contents?.frames == 16_000)
    }

    @Test func saysOnceThatItIsFull() throws {
        var journal = Journal()
        journal.log = JournalLog(Self.session, byteLimit: 100_000)
        journal.record(.speechBegan(1, at: 0))
        journal.addSound(10)
        #expect(journal.file.reportedFull == 1)
        #expect(journal.file.bytes.count <= 101_000)
        let contents = try #require(journal.file.contents)
        #expect(contents.isFull)
        #expect(contents.lostFrames(idle: .seconds(5)) == 80_000)
        // When others make room, that has no effect on the missing sound.
        journal.log.byteLimit = 200_000
        journal.addSound(1)
        journal.log.byteLimit = 50_000
        journal.addSound(1)
        #expect(journal.file.bytes.count <= 101_000)
        #expect(journal.file.replacements == 1)
        journal.log.byteLimit = 100_000
        // When the sound is recognised there is room again.
        journal.record(.segment(1, Segment(text: "all", end: 9.9)))
        journal.addSound(0.1)
        #expect(journal.file.contents?.isFull == false)
    }

    /// The journals of other sessions may make room too.
    @Test func takesSoundAgainAfterItWasFull() throws {
        var journal = Journal()
        journal.log = JournalLog(Self.session, byteLimit: 100_000)
        journal.record(.speechBegan(1, at: 0))
        journal.addSound(10)
        journal.record(.speechEnded(1, at: 10))
        journal.record(.segment(1, Segment(text: "all", end: 10)))
        journal.record(.speechBegan(1, at: 11))
        journal.addSound(2)
        let contents = try #require(journal.file.contents)
        #expect(!contents.isFull && contents.frames >= 16_000)
        // The next time is reported too.
        journal.addSound(10)
        #expect(journal.file.reportedFull == 2)
    }

    /// The disk was full, or somebody has removed the file.
    @Test func everythingIsWrittenAgainToANewFile() throws {
        var journal = Journal()
        journal.log.setFlowing(true)
        journal.say("one", from: 0, to: 2)
        journal.record(.speechBegan(1, at: 2.5))
        journal.addSound(2)
        let before = try #require(journal.file.contents)
        journal.log.fileLost()
        #expect(journal.log.size == 0)
        journal.file = File()
        journal.addSound(0.1)
        let after = try #require(journal.file.contents)
        #expect(after.texts == before.texts && after.frames == before.frames + 1600)
        #expect(after.isFlowing && journal.file.bytes.count == journal.log.size)

        // Without anything to keep, nothing is written.
        journal = Journal()
        journal.addSound(1)
        journal.log.fileLost()
        journal.addSound(1)
        #expect(journal.file.bytes.isEmpty)
        journal.say("two", from: 2, to: 3)
        #expect(journal.file.contents?.texts.map(\.segment.text) == ["two"])
    }

    @Test func whatWaitedForALostFileIsNotWrittenIfItIsOver() {
        var journal = Journal()
        journal.log.record(.speechBegan(1, at: 0))
        journal.log.append(Self.quantum)
        journal.log.record(.speechEnded(1, at: 0.02))
        journal.log.record(
            .passageLost(1, PassageText(replaces: 0, segment: nil, engine: "whisper"), message: ""))
        journal.log.fileLost()
        #expect(journal.log.takeSteps().isEmpty)
    }

    /// Else a service that crashes while it decodes the sound would do so again and again.
    @Test func attemptsAreWrittenToANewFile() throws {
        var journal = Journal()
        journal.record(.speechBegan(1, at: 0))
        journal.addSound(2)
        var log = JournalLog(restoring: try #require(journal.file.contents))
        _ = log.takeSteps()
        log.fileLost()
        var file = File()
        file.perform(log.takeSteps())
        #expect(file.contents?.attempts == 1 && file.contents?.frames == 32_000)
    }

    /// No string on the bus may have them.
    @Test func textIsReadWithoutNUL() throws {
        var journal = Journal()
        journal.say("o\0n\0e", from: 0, to: 2)
        let contents = try #require(journal.file.contents)
        #expect(contents.texts.map(\.segment.text) == ["one"])
    }
}

extension [UInt8] {
    func contains(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return indices.contains { self[$0...].starts(with: wanted) }
    }
}
