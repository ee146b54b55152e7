import DictationCore
import DictationTestKit
import Testing

@testable import Recognition

struct SegmentQueueTests {
    private func speech(_ frames: Int) -> ArraySlice<Int16> { Array(repeating: 1, count: frames)[...] }

    /// Segments of 1000 frames with gaps of 1000 frames, from frame 0.
    private func queue(of segments: Int, block: BlockNumber = 1) -> SegmentQueue {
        var queue = SegmentQueue()
        for index in 0..<segments {
            queue.begin(block: block, at: index * 2000, acoustics: .once(0))
            queue.append(speech(1000))
            queue.end(at: index * 2000 + 1000, isCut: false)
        }
        return queue
    }

    private func text(_ text: String) -> SegmentOutcome { .segment(Segment(text: text)) }

    private func told(_ results: [SegmentQueue.Result]) -> [String] {
        results.map { result in
            switch result {
            case .segment(_, .segment(let segment)), .segment(_, .noise(let segment)): segment.text
            case .segment(_, .failed(let message)), .preview(_, .failed(let message)): message
            case .preview(let run, .segment(let segment)), .preview(let run, .noise(let segment)):
                "\(segment.text) of \(run.passage)"
            case .endOfPreview(let run): "preview of \(run.passage)"
            case .endOfPassage(let block, let sound): "passage of \(block) to \(sound.cut.end)"
            case .endOfBlock(let block, let frames): "end of \(block) at \(frames)"
            }
        }
    }

    /// Nothing is decoded again for each bit of audio, and nothing is lost.
    @Test func aSegmentThatWasGivenBackWaitsForItsEndOrMuchMoreAudio() throws {
        var queue = SegmentQueue()
        queue.begin(block: 1, at: 100, acoustics: .once(1))
        queue.append([Int16](repeating: 1, count: 20000)[...])
        let taken1 = queue.takeFirst()
        let first = try #require(taken1)
        guard case .sound(let heard) = queue.more(of: first.id) else { throw TestFailure("no sound") }
        let isGivenBack = queue.putBackUnfinished(first.id, heard)
        #expect(isGivenBack)
        #expect(!queue.hasWaitingSegment)
        #expect(queue.waitingFrames == 0)
        queue.append([Int16](repeating: 2, count: 15999)[...])
        #expect(!queue.hasWaitingSegment)
        queue.append([2])
        let taken2 = queue.takeFirst()
        let again = try #require(taken2)
        #expect(again.start == 100)
        guard case .sound(let all) = queue.more(of: again.id) else { throw TestFailure("no sound") }
        #expect(all.count == 36000)
        let isGivenBackAgain = queue.putBackUnfinished(again.id, all)
        #expect(isGivenBackAgain)
        queue.end(at: 36100, isCut: false)
        #expect(queue.hasWaitingSegment)
        let taken3 = queue.takeFirst()
        let last = try #require(taken3)
        guard case .sound(let whole) = queue.more(of: last.id) else { throw TestFailure("no sound") }
        #expect(whole == all)
        guard case .end = queue.more(of: last.id) else { throw TestFailure("no end") }
        #expect(queue.waitingFrames == 0)
    }

    @Test func aSegmentWithMoreToDecodeIsNotGivenBack() throws {
        var queue = SegmentQueue()
        queue.begin(block: 1, at: 0, acoustics: .once(1))
        let taken4 = queue.takeFirst()
        let first = try #require(taken4)
        queue.append([1])
        let hasMore = queue.putBackUnfinished(first.id, [])
        #expect(!hasMore)
        _ = queue.more(of: first.id)
        queue.end(at: 1, isCut: false)
        let hasEnded = queue.putBackUnfinished(first.id, [1])
        #expect(!hasEnded)
    }

    @Test func returnsResultsInTheOrderOfTheAudio() throws {
        var queue = queue(of: 3)
        queue.endBlock(1, frames: 6000)
        let taken = (0..<3).compactMap { _ in queue.takeWhole()?.segment.id }
        #expect(taken.count == 3)
        queue.finish(taken[2], text("c"))
        let results1 = told(queue.takeResults())
        #expect(results1.isEmpty)
        queue.finish(taken[0], text("a"))
        let results2 = told(queue.takeResults())
        #expect(results2 == ["a"])
        queue.finish(taken[1], text("b"))
        let results3 = told(queue.takeResults())
        #expect(results3 == ["b", "c", "end of 1 at 6000"])
    }

    @Test func aSilentBlockEndsAtOnce() {
        var queue = SegmentQueue()
        queue.endBlock(1, frames: 500)
        let results4 = told(queue.takeResults())
        #expect(results4 == ["end of 1 at 500"])
    }

    @Test func dropsOneStretchOfTheOldestAudio() throws {
        var queue = queue(of: 4)
        let losses = queue.dropOldest(keeping: 2500)
        #expect(losses.map(\.frames) == [1500])
        #expect(queue.waitingFrames == 2500)
        let firstFound = queue.takeWhole()
        let first = try #require(firstFound)
        #expect(first.sound.count == 500 && first.segment.start == 2500)
        let secondFound = queue.takeWhole()
        let second = try #require(secondFound)
        #expect(second.sound.count == 1000 && second.segment.start == 4000)
        let last = queue.takeWhole()
        #expect(last?.sound.count == 1000)
        let none = queue.takeWhole()
        #expect(none == nil)
    }

    @Test func splitsASegmentAtADroppedStretch() throws {
        var queue = SegmentQueue()
        queue.begin(block: 1, at: 100, acoustics: .once(0))
        queue.append(speech(400))
        let decodedFound = queue.takeFirst()
        let decoded = try #require(decodedFound)
        guard case .sound(let heard) = queue.more(of: decoded.id) else {
            Issue.record("no sound")
            return
        }
        #expect(heard.count == 400)
        queue.append(speech(1000))
        let losses = queue.dropOldest(keeping: 300)
        #expect(losses.map(\.frames) == [700])
        guard case .end(let end) = queue.more(of: decoded.id) else {
            Issue.record("the segment goes on over the gap")
            return
        }
        #expect(end == SegmentQueue.End(frame: 500, isCut: true))
        queue.append(speech(100))
        queue.end(at: 1600, isCut: false)
        let restFound = queue.takeWhole()
        let rest = try #require(restFound)
        #expect(rest.segment.start == 1200 && rest.sound.count == 400 && rest.end.frame == 1600)
    }

    @Test func countsLossesByBlock() {
        var queue = queue(of: 1)
        queue.endBlock(1, frames: 2000)
        queue.begin(block: 2, at: 0, acoustics: .once(0))
        queue.append(speech(700))
        let losses = queue.dropAll()
        #expect(losses.map(\.block) == [1, 2])
        #expect(losses.map(\.frames) == [1000, 700])
    }

    @Test func aDiscardedBlockIsNotDecoded() throws {
        var queue = queue(of: 2)
        let takenFound = queue.takeWhole()
        let taken = try #require(takenFound)
        queue.discard(1)
        #expect(!queue.isWanted(taken.segment.id))
        let none = queue.takeWhole()
        #expect(none == nil)
        #expect(queue.waitingFrames == 0)
        queue.endBlock(2, frames: 10)
        queue.finish(taken.segment.id, text("late"))
        let results5 = told(queue.takeResults())
        #expect(results5 == ["end of 2 at 10"])
    }

    @Test func aReturnedSegmentIsDecodedByAnother() throws {
        var queue = queue(of: 1)
        let takenFound = queue.takeWhole()
        let taken = try #require(takenFound)
        let none = queue.takeWhole()
        #expect(none == nil)
        queue.putBack(taken.segment.id, taken.sound)
        let last = queue.takeWhole()
        #expect(last?.sound.count == 1000)
    }
}
