import Testing

@testable import DictationCore

/// What the service after a crash makes of a journal.
extension JournalTests {
    /// The service was asked to end while it decoded the sound: that is no failure.
    @Test func leavingEndsTheAttempt() throws {
        var journal = Journal()
        journal.say("one", from: 0, to: 2)
        journal.record(.speechBegan(1, at: 2.5))
        journal.addSound(2)
        let left = try #require(journal.file.contents)
        var log = JournalLog(restoring: left)
        var file = journal.file
        file.perform(log.takeSteps())
        #expect(file.contents?.attempts == 1)
        log.follow([UncommittedBlock(number: 1, texts: left.texts)])
        log.leave()
        file.perform(log.takeSteps())
        let again = try #require(file.contents)
        #expect(again.attempts == 0 && again.texts == left.texts && again.frames == left.frames)
    }

    /// Blocks of the present session, and many that were invented.
    @Test func tooManyBlocksAreNotRead() throws {
        var bytes = JournalEntry.session(Self.session).record(of: Self.session.id).bytes
        for number in 1...300 {
            bytes += JournalEntry.sound(UInt64(number), frame: 0, [1]).record(of: Self.session.id).bytes
        }
        #expect(JournalContents(bytes)?.frames == 256)
    }

    @Test func earlierLossesAreCounted() throws {
        var journal = Journal()
        journal.follow([UncommittedBlock(number: 1, texts: [], droppedFrames: 320)])
        #expect(journal.file.bytes.isEmpty)
        journal.say("one", from: 0, to: 2)
        let one = journal.texts
        journal.follow([UncommittedBlock(number: 1, texts: one, droppedFrames: 320)])
        #expect(journal.file.contents?.droppedFrames == 320)
        journal.follow([UncommittedBlock(number: 1, texts: one, droppedFrames: 960)])
        let left = try #require(journal.file.contents)
        #expect(left.droppedFrames == 960)
        let restored = RestoredSession(
            left, hasOwner: true,
            options: StartOptions(transcription: TranscriptionRequest(engine: "fake", language: "en-US")),
            idle: .zero, age: .zero)
        #expect(restored.lostFrames == 960)
    }

    @Test func theSoundIsDecodedOnceAndTheTextIsRestoredTwice() throws {
        var journal = Journal()
        journal.log.setFlowing(true)
        journal.say("one", from: 0, to: 2)
        journal.record(.speechBegan(1, at: 2.5))
        journal.addSound(2)
        let left = try #require(journal.file.contents)
        #expect(left.mayBeRestored && left.mayBeFormatted && left.soundToDecode.count == 1)
        #expect(left.lostFrames(idle: .milliseconds(20)) == 320)
        #expect(left.lostFrames(idle: .seconds(60)) == 16_000)

        // It is killed while it decodes.
        var log = JournalLog(restoring: left)
        var file = journal.file
        file.perform(log.takeSteps())
        let second = try #require(file.contents)
        #expect(second.texts == left.texts && second.frames == left.frames)
        #expect(second.mayBeRestored && !second.mayBeFormatted && second.soundToDecode.isEmpty)
        #expect(second.lostFrames(idle: .zero) == left.frames)

        // It is killed again, while it restores the text.
        log = JournalLog(restoring: second)
        file.perform(log.takeSteps())
        let third = try #require(file.contents)
        #expect(third.frames == 0 && !third.mayBeRestored)
    }

    /// Neither the engine nor the permission is there any more.
    @Test(arguments: [false, true]) func restoredSoundThatIsNotDecodedIsDropped(isPermitted: Bool) throws {
        var journal = Journal()
        journal.record(.speechBegan(1, at: 0))
        journal.addSound(2)
        journal.log = JournalLog(restoring: try #require(journal.file.contents))
        journal.perform()
        if isPermitted { journal.record(.engineLost(.failed, message: "")) } else { journal.follow([]) }
        #expect(journal.file.bytes.isEmpty)
    }

    @Test func decodingEndsTheAttempt() throws {
        var journal = Journal()
        journal.record(.speechBegan(1, at: 0))
        journal.addSound(2)
        let left = try #require(journal.file.contents)
        var log = JournalLog(restoring: left)
        journal.file.perform(log.takeSteps())
        #expect(journal.file.contents?.attempts == 1)
        journal.log = log
        journal.record(.ready)
        #expect(journal.file.contents?.attempts == 1)
        journal.record(.speechBegan(1, at: 0.1))
        journal.record(.speechEnded(1, at: 2))
        journal.log.restoredSoundWasHeard()
        journal.record(.segment(1, Segment(text: "again", end: 2)))
        let contents = try #require(journal.file.contents)
        #expect(contents.attempts == 0 && contents.frames == 0)
        #expect(contents.texts.map(\.segment.text) == ["again"])
    }

    /// The engine was lost and came back while restored sound waited.
    @Test func aRecogniserThatOpensLateCountsFromTheRestoredSound() throws {
        var journal = Journal()
        journal.say("one", from: 0, to: 2)
        journal.record(.speechBegan(1, at: 2.5))
        journal.addSound(2)
        let left = try #require(journal.file.contents)
        journal.log = JournalLog(restoring: left)
        journal.texts = left.texts
        journal.addSound(2)
        journal.log.recogniserOpened()
        journal.record(.segment(1, Segment(text: "two", end: 1)))
        #expect(try #require(journal.file.contents).frames >= 2 * 16_000)
    }

    /// A snapshot was written, but the process was killed before it became valid.
    @Test func repeatedEntriesHaveNoEffect() throws {
        var journal = Journal()
        journal.say("one", from: 0, to: 2)
        journal.record(.speechBegan(1, at: 2.5))
        journal.addSound(2)
        let bytes = journal.file.bytes
        let once = JournalContents(bytes)
        #expect(JournalContents(bytes + bytes) == once)
        #expect(JournalContents(bytes + bytes.dropLast(100)) == once)
    }

    /// Sound of a segment whose text is there already is not decoded again.
    @Test func soundBeforeTheTextsIsNotDecoded() throws {
        let bytes = [
            .session(Self.session), .sound(1, frame: 0, Array(repeating: 1, count: 100)),
            .text(1, number: 0, settled: 60, JournalText(Segment(text: "x"))),
        ].flatMap { (entry: JournalEntry) in entry.record(of: Self.session.id).bytes }
        let contents = try #require(JournalContents(bytes))
        #expect(contents.frames == 40)
    }
}
