import CPipeWire
import Testing

/// Frames told as lost equal frames missing, whatever a stream goes through.
@Suite struct LossCountTests {
    private static let quantum = 320

    /// A stream that counts what it misses, and what it does miss.
    private struct Stream {
        var loss = dictation_loss()
        var position = 48_000
        var time = 1_000_000_000
        var heard = 0
        var told = 0
        var clockIsNew = true

        /// One cycle of the graph in which these buffers come.
        mutating func cycle(
            _ buffers: [Int], quantum: Int = LossCountTests.quantum, areEmpty: Bool = false
        ) {
            position += quantum
            time += quantum * 62_500
            take(buffers, areEmpty: areEmpty)
        }

        /// The stream is called, and gets these buffers.
        mutating func take(_ buffers: [Int], areEmpty: Bool = false) {
            guard let last = buffers.last else { return }
            let frames = buffers.reduce(0, +)
            heard += frames
            var cycle = dictation_loss_cycle(
                position: UInt64(position), time: Int64(time), frames: UInt64(frames),
                last_frames: UInt64(last), empty_frames: areEmpty ? UInt64(frames) : 0,
                clock_is_new: clockIsNew)
            clockIsNew = false
            told += Int(dictation_loss_take(&loss, &cycle))
        }

        /// Another source's clock, so many frames later by the machine's.
        mutating func changeClock(after frames: Int) {
            time += frames * 62_500
            position = 7
            clockIsNew = true
        }

        mutating func cycles(_ count: Int) {
            for _ in 0..<count { cycle([LossCountTests.quantum]) }
        }
    }

    @Test func missedCyclesAreReportedOnce() {
        for missed in 1...50 {
            var stream = Stream()
            stream.cycles(10)
            for _ in 0..<missed { stream.cycle([]) }
            stream.cycles(10)
            #expect(stream.told == missed * Self.quantum)
        }
    }

    @Test func aBufferThatIsLateByACycleIsNotLost() {
        var stream = Stream()
        stream.cycles(10)
        // It comes together with the next,
        stream.cycle([])
        stream.cycle([Self.quantum, Self.quantum])
        stream.cycles(5)
        #expect(stream.told == 0)
        // or in place of the next, which comes together with the one behind it,
        stream.cycle([])
        stream.cycle([Self.quantum])
        stream.cycle([Self.quantum, Self.quantum])
        stream.cycles(5)
        #expect(stream.told == 0)
        // or in a call of its own.
        stream.cycle([])
        stream.cycle([Self.quantum])
        stream.take([Self.quantum])
        stream.cycles(5)
        #expect(stream.told == 0)
    }

    /// It was told as lost. The next gap is told as so much smaller, so that the sum is right.
    @Test func aLaterBufferReducesTheNextGap() {
        var stream = Stream()
        stream.cycles(10)
        stream.cycle([])
        stream.cycles(3)
        #expect(stream.told == Self.quantum)
        stream.cycle([Self.quantum, Self.quantum])
        stream.cycles(5)
        for _ in 0..<3 { stream.cycle([]) }
        stream.cycles(5)
        #expect(stream.told == 3 * Self.quantum)
    }

    @Test func unreportedSoundDoesNotHideALaterGap() {
        var stream = Stream()
        stream.cycles(3)
        stream.cycle([Self.quantum, Self.quantum, Self.quantum])
        stream.cycles(3)
        stream.cycle([])
        stream.cycles(3)
        #expect(stream.told == Self.quantum)
    }

    @Test func aCycleInPartsIsComplete() {
        var stream = Stream()
        for _ in 0..<20 {
            stream.cycle([Self.quantum / 2])
            stream.take([Self.quantum / 2])
        }
        #expect(stream.told == 0)
    }

    @Test func aResamplersRoundingIsNoLoss() {
        var stream = Stream()
        for number in 0..<1_000 { stream.cycle([341 + number % 2], quantum: 341 + (number / 3) % 2) }
        #expect(stream.told == 0)
    }

    @Test func aGrowingOrShrinkingCycleIsNoLoss() {
        var stream = Stream()
        stream.cycle([320])
        // A cycle's position is where the cycle before ended.
        for (former, quantum) in [(320, 640), (640, 640), (640, 128), (128, 128), (128, 320)] {
            stream.cycle([quantum], quantum: former)
        }
        stream.cycles(3)
        #expect(stream.told == 0)
    }

    /// Another source's clock has nothing to do with the former one's: the machine's tells.
    @Test func theMachinesClockMeasuresLossesBetweenTwoSources() {
        var stream = Stream()
        stream.cycles(10)
        stream.time += 500_000_000
        stream.position = 7
        stream.clockIsNew = true
        stream.cycles(10)
        #expect(stream.told == 8_000)
    }

    /// The server has moved the stream to another source, and the stream still reads the former one's clock, which
    /// stands: a busy event loop hears of the other clock half a second later.
    @Test func soundHeardByTheFormerClockIsNotLost() {
        var stream = Stream()
        stream.cycles(10)
        for _ in 0..<25 { stream.take([Self.quantum]) }
        stream.changeClock(after: 26 * Self.quantum)
        stream.take([Self.quantum])
        stream.cycles(10)
        #expect(stream.told == 0)
    }

    /// A source that was just linked gives empty buffers first, before or after the stream knows its clock.
    @Test func emptyBuffersOfANewSourceAreNotHeard() {
        var stream = Stream()
        stream.cycles(10)
        stream.take([Self.quantum], areEmpty: true)
        stream.changeClock(after: 3 * Self.quantum)
        stream.take([Self.quantum], areEmpty: true)
        stream.cycles(10)
        #expect(stream.told == 3 * Self.quantum)
    }

    /// The server has taken the stream off its former source, and the stream still reads that source's clock.
    @Test func silenceInPlaceOfTheFormerSourceIsNotHeard() {
        var stream = Stream()
        stream.cycles(10)
        stream.cycle([Self.quantum], areEmpty: true)
        stream.changeClock(after: 3 * Self.quantum)
        stream.take([Self.quantum])
        stream.cycles(10)
        #expect(stream.told == 3 * Self.quantum)
    }

    /// Some sources mark their own silence as empty.
    @Test func theSilenceOfASourceIsHeard() {
        var stream = Stream()
        stream.cycles(10)
        for _ in 0..<20 { stream.cycle([Self.quantum], areEmpty: true) }
        stream.changeClock(after: Self.quantum)
        stream.take([Self.quantum])
        stream.cycles(10)
        #expect(stream.told == 0)
    }

    /// It comes a cycle later, when it was told as lost. The next gap is told as so much smaller.
    @Test func aBufferThatIsLateAtAnotherClockIsSetOffAgainstTheNextGap() {
        var stream = Stream()
        stream.cycles(10)
        stream.changeClock(after: 2 * Self.quantum)
        stream.take([Self.quantum])
        stream.cycle([Self.quantum, Self.quantum])
        stream.cycles(3)
        #expect(stream.told == Self.quantum)
        for _ in 0..<3 { stream.cycle([]) }
        stream.cycles(5)
        #expect(stream.told == 3 * Self.quantum)
    }

    @Test func aGapBeforeAChangeOfTheClockIsReported() {
        var stream = Stream()
        stream.cycles(10)
        for _ in 0..<3 { stream.cycle([]) }
        stream.cycles(1)
        stream.changeClock(after: 2 * Self.quantum)
        stream.take([Self.quantum])
        stream.cycles(10)
        #expect(stream.told == 4 * Self.quantum)
    }

    /// Sound that was told as lost and came all the same is set off against what is lost between two clocks, and the rest
    /// of it against a later gap.
    @Test func excessIsSubtractedAfterAChangeOfTheClock() {
        var stream = Stream()
        stream.cycles(10)
        for _ in 0..<4 { stream.cycle([]) }
        stream.cycles(3)
        #expect(stream.told == 4 * Self.quantum)
        stream.cycle([4 * Self.quantum, Self.quantum])
        stream.changeClock(after: 2 * Self.quantum)
        stream.take([Self.quantum])
        stream.cycles(10)
        #expect(stream.told == 4 * Self.quantum)
        for _ in 0..<5 { stream.cycle([]) }
        stream.cycles(10)
        #expect(stream.told == 6 * Self.quantum)
    }

    /// The process was stopped for a second and got what its buffers held.
    @Test func aLongStopIsReportedWithoutBufferedSound() {
        var stream = Stream()
        stream.cycles(10)
        for _ in 0..<49 { stream.cycle([]) }
        stream.cycle([Self.quantum, Self.quantum, Self.quantum])
        stream.cycles(10)
        #expect(stream.told == 47 * Self.quantum)
    }

    /// PipeWire calls a stream that was late a second time in the same cycle, with a buffer of silence.
    @Test func silenceInPlaceOfAMissedCycleIsNotCountedAsSound() {
        var stream = Stream()
        stream.cycles(10)
        #expect(!dictation_loss_is_filler(&stream.loss, UInt64(stream.position)), "Nothing is missing.")
        stream.cycle([])
        stream.cycle([Self.quantum])
        #expect(dictation_loss_is_filler(&stream.loss, UInt64(stream.position)))
        #expect(
            !dictation_loss_is_filler(&stream.loss, UInt64(stream.position + Self.quantum)),
            "The next cycle's silence is the source's.")
        stream.cycles(2)
        #expect(stream.told == Self.quantum)
        #expect(!dictation_loss_is_filler(&stream.loss, UInt64(stream.position)), "It has been told.")
        var new = dictation_loss()
        #expect(!dictation_loss_is_filler(&new, 0), "There was no cycle yet.")
    }

    /// Every cycle is heard in time, late by one, or never.
    @Test(arguments: 0..<200 as Range<UInt64>) func reportedEqualsMissing(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func random(_ limit: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % limit
        }
        var stream = Stream()
        var missing = 0
        stream.cycles(3)
        for _ in 0..<300 {
            switch random(10) {
            case 0:
                let count = Int(random(5)) + 1
                for _ in 0..<count { stream.cycle([]) }
                missing += count * Self.quantum
            case 1:
                stream.cycle([])
                stream.cycle([Self.quantum, Self.quantum])
            case 2:
                stream.cycle([])
                stream.cycle([Self.quantum])
                stream.cycle([Self.quantum, Self.quantum])
            default: stream.cycle([Self.quantum])
            }
        }
        stream.cycles(3)
        #expect(stream.told == missing, "seed \(seed)")
    }
}
