import DictationCore
import Testing

/// Which sound goes into which file.
@Suite struct RecordingTests {
    private static let second = RecordingQuality.low.rate

    private func folder(keepsCancelled: Bool = false) -> Recording {
        Recording(
            RecordingRequest(segmentSeconds: 5, keepsCancelled: keepsCancelled), in: .folder)
    }

    private func closed(_ steps: [RecordingStep]) -> [RecordedSegment] {
        steps.compactMap { if case .close(let segment) = $0 { segment } else { nil } }
    }

    private func written(_ steps: [RecordingStep]) -> Int {
        steps.reduce(0) { if case .write(let frames) = $1 { $0 + frames } else { $0 } }
    }

    @Test func aSegmentEndsAfterItsLengthToTheFrame() {
        var recording = folder()
        var steps: [RecordingStep] = []
        for _ in 0..<117 { steps += recording.append(frames: 1499) }
        let last = recording.finish()
        #expect(written(steps) == 117 * 1499)
        let segments = closed(steps + last)
        #expect(segments.map(\.start) == [0, 80_000, 160_000])
        #expect(segments.map(\.frames) == [80_000, 80_000, 117 * 1499 - 160_000])
        #expect(segments.map(\.number) == [1, 2, 3])
        #expect(recording.append(frames: 10).isEmpty)
    }

    @Test func aHigherQualityCountsItsOwnFrames() {
        var recording = Recording(RecordingRequest(quality: .high, segmentSeconds: 5), in: .folder)
        let steps = recording.append(frames: 5 * 44_100 + 441)
        #expect(closed(steps).map(\.frames) == [5 * 44_100])
        #expect(closed(steps).map { $0.seconds($0.frames) } == [5])
        #expect(recording.endBlock().stretch == RecordedStretch(start: 0, frames: 220_941, rate: 44_100))
    }

    @Test func aSegmentEndsWithItsBlock() {
        var recording = folder()
        _ = recording.append(frames: 1000)
        let (steps, stretch) = recording.endBlock()
        #expect(stretch == RecordedStretch(start: 0, frames: 1000))
        #expect(closed(steps).map(\.block) == [1])
        // A block without sound has no file.
        #expect(closed(recording.endBlock().steps).isEmpty)
        _ = recording.append(frames: 500)
        #expect(recording.endBlock().stretch == RecordedStretch(start: 1000, frames: 500))
    }

    @Test func cancelRemovesTheFilesOfItsBlockOnly() {
        var recording = folder()
        _ = recording.append(frames: 1000)
        _ = recording.endBlock()
        _ = recording.append(frames: 2 * 5 * Self.second + 10)
        let steps = recording.discardBlock()
        #expect(steps == [.remove(number: 2), .remove(number: 3), .remove(number: 4)])
        #expect(recording.position == 1000)
        let next = recording.append(frames: 10)
        #expect(next.first == .open(RecordedSegment(number: 5, block: 3, start: 1000)))
    }

    @Test func cancelCutsASingleFile() {
        var recording = Recording(RecordingRequest(segmentSeconds: 5), in: .file)
        _ = recording.append(frames: 1000)
        _ = recording.endBlock()
        recording.addGap(.paused, seconds: 2)
        _ = recording.append(frames: 7000)
        #expect(recording.discardBlock() == [.truncate(frames: 1000)])
        _ = recording.append(frames: 300)
        #expect(recording.endBlock().stretch == RecordedStretch(start: 1000, frames: 300))
        let whole = closed(recording.finish())
        #expect(whole.map(\.frames) == [1300])
        #expect(whole.first?.gaps == [])
    }

    @Test func keepsWhatIsCancelledOnRequest() {
        var recording = folder(keepsCancelled: true)
        _ = recording.append(frames: 1000)
        #expect(closed(recording.discardBlock()).map(\.frames) == [1000])
        #expect(recording.position == 1000)
    }

    @Test func gapsAreListedWhereTheyAreAndTakeNoRoom() {
        var recording = folder()
        recording.addGap(.reason(.noSource), seconds: 9)
        _ = recording.append(frames: 1000)
        recording.addGap(.paused, seconds: 1.5)
        recording.addGap(.reason(.call), seconds: 2)
        _ = recording.append(frames: 5 * Self.second - 1000)
        recording.addGap(.route, seconds: 0.5)
        let steps = recording.append(frames: 10) + recording.finish()
        let last = closed(steps).last
        #expect(last?.gaps == [RecordingGap(position: 0, seconds: 0.5, cause: .route)])
        #expect(last?.start == 5 * Self.second)
    }

    @Test func gapsWithoutSoundBetweenThemAreOne() {
        var recording = folder()
        _ = recording.append(frames: 1000)
        recording.addGap(.paused, seconds: 1.5)
        recording.addGap(.reason(.call), seconds: 2)
        _ = recording.append(frames: 10)
        #expect(
            closed(recording.finish()).first?.gaps
                == [RecordingGap(position: 1000, seconds: 3.5, cause: .reason(.call))])
    }

    @Test func theListOfGapsIsBounded() {
        var recording = folder()
        for _ in 0..<1000 {
            recording.addGap(.paused, seconds: 1)
            _ = recording.append(frames: 1)
        }
        #expect(closed(recording.finish()).first?.gaps.count == Recording.gapLimit)
    }

    @Test func aSingleFileEndsAtItsLimit() {
        var recording = Recording(RecordingRequest(), in: .file, frameLimit: 5000)
        #expect(recording.append(frames: 4999).last == .write(frames: 4999))
        let steps = recording.append(frames: 100)
        #expect(written(steps) == 1)
        #expect(steps.last == .full)
        #expect(recording.append(frames: 1).isEmpty)
        #expect(closed(recording.finish()).map(\.frames) == [5000])
        #expect(recording.finish().isEmpty)
    }

    @Test func aFullFileIsStillCutByCancel() {
        var recording = Recording(RecordingRequest(), in: .file, frameLimit: 5000)
        _ = recording.append(frames: 1000)
        _ = recording.endBlock()
        _ = recording.append(frames: 9000)
        #expect(recording.discardBlock() == [.truncate(frames: 1000)])
        #expect(recording.append(frames: 1).isEmpty)
        #expect(closed(recording.finish()).map(\.frames) == [1000])
    }

    @Test func afterAFailureTheLengthIsThatOfTheFile() {
        var recording = folder()
        _ = recording.append(frames: 1000)
        recording.addGap(.paused, seconds: 1)
        _ = recording.append(frames: 1000)
        var part = RecordedSegment(number: 1, block: 1, start: 0)
        part.frames = 1200
        let kept = recording.fail(at: part)
        #expect(kept?.gaps.map(\.position) == [1000])
        #expect(recording.position == 1200)
        #expect(recording.append(frames: 10).isEmpty)
    }

    @Test func cancelAfterAFailureRemovesTheFilesOfItsBlock() {
        var recording = folder()
        _ = recording.append(frames: 1000)
        _ = recording.endBlock()
        _ = recording.append(frames: 5 * Self.second + 9000)
        // The disk was full before the loop sent the last samples.
        var part = RecordedSegment(number: 3, block: 2, start: 1000 + 5 * Self.second)
        part.frames = 700
        #expect(recording.fail(at: part) == part)
        #expect(recording.position == 1700 + 5 * Self.second)
        let steps = recording.discardBlock()
        #expect(steps == [.remove(number: 2), .remove(number: 3)])
        #expect(recording.position == 1000)
        #expect(recording.finish().isEmpty)
    }

    @Test func cancelAfterAFailureCutsASingleFile() {
        var recording = Recording(RecordingRequest(), in: .file)
        _ = recording.append(frames: 1000)
        _ = recording.endBlock()
        _ = recording.append(frames: 9000)
        var part = RecordedSegment(number: 1, block: nil, start: 0)
        part.frames = 6000
        #expect(recording.fail(at: part) == nil)
        #expect(recording.position == 6000)
        #expect(recording.discardBlock() == [.truncate(frames: 1000)])
        #expect(closed(recording.finish()).map(\.frames) == [1000])
    }

    /// The news of the failure comes after Cancel.
    @Test func aFileThatFailedAndWasCancelledIsNotTold() {
        var recording = folder()
        _ = recording.append(frames: 1000)
        #expect(recording.discardBlock() == [.remove(number: 1)])
        _ = recording.append(frames: 300)
        var part = RecordedSegment(number: 1, block: 1, start: 0)
        part.frames = 700
        #expect(recording.fail(at: part) == nil)
        #expect(recording.position == 0)
        #expect(recording.endBlock().stretch == RecordedStretch(start: 0, frames: 0))
    }

    @Test(arguments: [Recording.Place.file, .folder])
    func theGapOfACancelledBlockIsNotListed(place: Recording.Place) {
        var recording = Recording(RecordingRequest(segmentSeconds: 5), in: place)
        _ = recording.append(frames: 1000)
        _ = recording.endBlock()
        _ = recording.append(frames: 1000)
        recording.addGap(.paused, seconds: 2)
        _ = recording.discardBlock()
        _ = recording.append(frames: 500)
        #expect(closed(recording.finish()).last?.gaps == [])
    }
}

/// What a session tells of its recording.
@Suite struct RecordingSessionTests {
    private func recorded(_ scenario: inout Scenario) -> SessionID {
        scenario.listen { $0.recording = RecordingRequest() }
    }

    private func commands(_ scenario: Scenario) -> [RecorderCommand] {
        scenario.effects.compactMap { if case .recorder(_, let command) = $0 { command } else { nil } }
    }

    @Test func theRecorderCutsWhereTheRecogniserDoes() throws {
        var scenario = Scenario()
        let session = recorded(&scenario)
        scenario.call(.commit)
        scenario.call(.cancel)
        let found = scenario.effects.filter {
            switch $0 {
            case .recorder, .transcription: true
            default: false
            }
        }
        #expect(
            found == [
                .transcription(session, .endBlock(1)), .recorder(session, .endBlock(1)),
                .transcription(session, .discardBlock(2)), .recorder(session, .discardBlock(2)),
            ])
    }

    @Test func finalReportsItsPositionInTheRecording() {
        var scenario = Scenario()
        let session = recorded(&scenario)
        scenario.call(.commit)
        let stretch = RecordedStretch(start: 0, frames: 1600)
        scenario.handle(.recording(session, .blockEnded(1, stretch)))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 0.1)))
        #expect(scenario.finals(session).map(\.recorded) == [stretch])
    }

    @Test func stopWaitsForTheFilesAndReportsTheLength() {
        var scenario = Scenario()
        let session = recorded(&scenario)
        let call = scenario.call(.stop)
        #expect(commands(scenario).last == .finish)
        #expect(scenario.answers(to: call).isEmpty)
        var segment = RecordedSegment(number: 1, block: 1, start: 0)
        segment.frames = 1600
        scenario.handle(.recording(session, .segment(segment)))
        scenario.handle(.recording(session, .finished(seconds: 0.1)))
        #expect(scenario.answers(to: call) == [.reply(.done)])
        #expect(
            scenario.signals(session).suffix(2) == [
                .segmentRecorded(segment), .stopped(.stopped, recorded: 0.1),
            ])
    }

    @Test func theEndOfTheServiceDoesNotWaitForADisk() {
        var scenario = Scenario()
        let session = recorded(&scenario)
        scenario.handle(.shutdown)
        #expect(scenario.story(session).last != "Stopped shutdown")
        scenario.wait(.seconds(3))
        #expect(scenario.story(session).last == "Stopped shutdown")
    }

    @Test func aFailureIsToldOnceAndDictationGoesOn() {
        var scenario = Scenario()
        let session = recorded(&scenario)
        let refusal = Refusal(.fileWrite, "No space left on device.")
        scenario.handle(.recording(session, .failed(refusal)))
        scenario.handle(.recording(session, .failed(refusal)))
        #expect(scenario.signals(session) == [.error(refusal)])
        #expect(scenario.state()?.state == .listening)
        let kept = Refusal(.fileWrite, "The file cannot be removed.")
        scenario.handle(.recording(session, .notRemoved(kept)))
        #expect(scenario.signals(session) == [.error(refusal), .error(kept)])
    }

    @Test func aPauseIsListedWithItsLength() {
        var scenario = Scenario()
        let session = recorded(&scenario)
        scenario.call(.pause)
        scenario.wait(.seconds(7))
        scenario.call(.resume)
        scenario.flow(session)
        #expect(commands(scenario) == [.gap(.paused, seconds: 7)])
    }

    @Test func aPauseDuringAnInterruptionIsListedAsAPause() {
        var scenario = Scenario()
        let session = recorded(&scenario)
        scenario.handle(.audio(.noSource))
        scenario.wait(.seconds(3))
        scenario.call(.pause)
        scenario.handle(.audio(.desk))
        scenario.wait(.seconds(4))
        scenario.call(.resume)
        scenario.flow(session)
        #expect(commands(scenario) == [.gap(.paused, seconds: 7)])
    }

    /// Otherwise the next files would have the wrong block, and Cancel would remove those of a committed one.
    @Test func aCommitWithoutAnEngineEndsItsBlock() {
        var scenario = Scenario()
        let session = recorded(&scenario)
        scenario.handle(.recognition(session, .engineLost(.failed, message: "gone")))
        scenario.clear()
        scenario.call(.commit)
        #expect(commands(scenario) == [.endBlock(1)])
    }

    @Test func anInterruptionIsListedWithItsReasonAndTheTimeAsleep() {
        var scenario = Scenario()
        let session = recorded(&scenario)
        scenario.sleep(.seconds(60))
        scenario.flow(session)
        #expect(commands(scenario) == [.gap(.reason(.suspend), seconds: 60)])
    }

    @Test func aSessionWithoutARecordingHasNoRecorder() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.call(.pause)
        scenario.call(.resume)
        scenario.flow(session)
        scenario.call(.commit)
        scenario.call(.cancel)
        scenario.call(.stop)
        #expect(commands(scenario).isEmpty)
    }
}
