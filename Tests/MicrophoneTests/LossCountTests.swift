import CPipeWire
import DictationTestKit
import Testing

/// Frames told as lost equal frames missing, whatever a stream goes through.
@Suite struct LossCountTests {
    private static let quantum = 320

    /// A stream that counts what it misses.
    private struct Stream {
        var loss = dictation_loss()
        var position = 48_000
        var time = 1_000_000_000
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
            var cycle = dictation_loss_cycle(
                position: UInt64(position), time: Int64(time), rate: 16_000, frames: UInt64(frames),
                last_frames: UInt64(last), empty_frames: areEmpty ? UInt64(frames) : 0,
                clock_is_new: clockIsNew)
            clockIsNew = false
            told += Int(dictation_loss_take(&loss, &cycle))
        }

        /// Another source's clock. Its first cycle ends so many frames later by the machine's.
        mutating func changeClock(after frames: Int) {
            time += frames * 62_500
            position = 7
            clockIsNew = true
        }

        mutating func cycles(_ count: Int) {
            for _ in 0..<count { cycle([LossCountTests.quantum]) }
        }
    }

    /// What happens to a stream. Fractions and numbers are of cycles, each of one buffer.
    enum Step {
        /// Cycles whose buffers come in time.
        case heard(Int)
        /// The stream is not called.
        case missed(Double)
        /// A cycle in which so many buffers come at once: its own, and late ones.
        case together(Int)
        /// Cycles whose buffers are marked as empty.
        case silent(Int)
        /// The stream is called again in the same cycle, with so many buffers,
        case again(Int)
        /// or with an empty one.
        case againSilent
        /// Another source. Its first cycle ends so much later by the machine's clock.
        case otherSource(Double)
        /// So much was told as lost until now.
        case lost(Double)
    }

    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]

        init(_ description: String, _ steps: [Step]) {
            testDescription = description
            self.steps = steps
        }
    }

    static let gaps = (1...50).map { count in
        Case(
            "\(count) missed cycles", [.heard(10), .missed(Double(count)), .heard(10), .lost(Double(count))])
    }

    static let lateBuffers = [
        Case("late, with the next", [.heard(10), .missed(1), .together(2), .heard(5), .lost(0)]),
        Case(
            "late, in place of the next, which comes with the one behind it",
            [.heard(10), .missed(1), .heard(1), .together(2), .heard(5), .lost(0)]),
        Case(
            "late, in a call of its own", [.heard(10), .missed(1), .heard(1), .again(1), .heard(5), .lost(0)]),
        Case(
            "told as lost, and then heard: the next gap is told as so much smaller",
            [
                .heard(10), .missed(1), .heard(3), .lost(1), .together(2), .heard(5), .missed(3), .heard(5),
                .lost(3),
            ]),
        Case(
            "the same, and the next gap is hardly larger",
            [.heard(10), .missed(2), .heard(3), .together(3), .missed(2.25), .heard(3), .lost(2.25)]),
        Case(
            "more than was missed: the next gap is told",
            [.heard(3), .together(3), .heard(3), .missed(1), .heard(3), .lost(1)]),
        Case(
            "a process that was stopped for a second gets what its buffers held",
            [.heard(10), .missed(49), .together(3), .heard(10), .lost(47)]),
    ]

    static let changes = [
        Case("between two sources", [.heard(10), .otherSource(26), .again(1), .heard(10), .lost(25)]),
        // The server has moved the stream to another source, and the stream still reads the former one's clock, which
        // stands: a busy event loop hears of the other clock half a second later.
        Case(
            "heard by the clock of the former source",
            [.heard(10), .again(25), .otherSource(26), .again(1), .heard(10), .lost(0)]),
        // A source that was just linked gives empty buffers first, before or after the stream knows its clock.
        Case(
            "empty buffers of a new source",
            [.heard(10), .againSilent, .otherSource(3), .againSilent, .heard(10), .lost(3)]),
        // The server has taken the stream off its former source, and the stream still reads that source's clock.
        Case(
            "silence in place of the former source",
            [.heard(10), .silent(1), .otherSource(3), .again(1), .heard(10), .lost(3)]),
        Case(
            "a source that marks its own silence as empty",
            [.heard(10), .silent(20), .otherSource(1), .again(1), .heard(10), .lost(0)]),
        Case(
            "late after the change, when it was told as lost: the next gap is told as so much smaller",
            [
                .heard(10), .otherSource(2), .again(1), .together(2), .heard(3), .lost(1), .missed(3),
                .heard(5),
                .lost(3),
            ]),
        Case(
            "a gap before the change",
            [.heard(10), .missed(3), .heard(1), .otherSource(2), .again(1), .heard(10), .lost(4)]),
        Case(
            "a gap before the change, and both sources at the same time",
            [.heard(10), .missed(3), .heard(1), .otherSource(0.25), .again(1), .heard(10), .lost(3)]),
        Case(
            "a gap before the change, of which a buffer comes with the first of the other source",
            [.heard(10), .missed(3), .heard(1), .otherSource(1), .again(2), .heard(10), .lost(2)]),
        Case(
            "told as lost, and then heard before the change: what is lost later is told as so much smaller",
            [
                .heard(10), .missed(4), .heard(3), .lost(4), .together(5), .otherSource(2), .again(1),
                .heard(10),
                .lost(4), .missed(5), .heard(10), .lost(6),
            ]),
    ]

    @Test(arguments: gaps + lateBuffers + changes) func reportsWhatIsMissing(_ example: Case) {
        func frames(_ cycles: Double) -> Int { Int(cycles * Double(Self.quantum)) }
        func buffers(_ count: Int) -> [Int] { [Int](repeating: Self.quantum, count: count) }
        var stream = Stream()
        for step in example.steps {
            switch step {
            case .heard(let count): stream.cycles(count)
            case .missed(let cycles): stream.cycle([], quantum: frames(cycles))
            case .together(let count): stream.cycle(buffers(count))
            case .silent(let count): for _ in 0..<count { stream.cycle(buffers(1), areEmpty: true) }
            case .again(let count): stream.take(buffers(count))
            case .againSilent: stream.take(buffers(1), areEmpty: true)
            case .otherSource(let cycles): stream.changeClock(after: frames(cycles))
            case .lost(let cycles): #expect(stream.told == frames(cycles))
            }
        }
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

    /// Every cycle is heard in time, late by one, or never, and sometimes the source is changed.
    @Test(arguments: 0..<200 as Range<UInt64>) func reportedEqualsMissing(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var stream = Stream()
        // Frames since the last that was heard, and those before it that were not.
        var gap = 0
        var missing = 0
        func heard() {
            missing += max(0, gap)
            gap = 0
        }
        stream.cycles(3)
        for _ in 0..<300 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                let frames = Int.random(in: 1...5, using: &random) * Self.quantum
                stream.cycle([], quantum: frames)
                gap += frames
            case 1:
                stream.cycle([])
                stream.cycle([Self.quantum, Self.quantum])
                heard()
            case 2:
                stream.cycle([])
                stream.cycle([Self.quantum])
                stream.cycle([Self.quantum, Self.quantum])
                heard()
            case 3:
                // Less than a cycle: both are heard for a while.
                let frames = Int.random(in: 1...4 * Self.quantum, using: &random)
                stream.changeClock(after: frames)
                stream.take([Self.quantum])
                gap += frames - Self.quantum
                heard()
            default:
                stream.cycle([Self.quantum])
                heard()
            }
        }
        stream.cycles(3)
        heard()
        #expect(stream.told == missing, "seed \(seed)")
    }
}
