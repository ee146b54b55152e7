import DBus
import DictationTestKit
import Testing

/// Signals to a connection that reads, stops reading and reads again.
@Suite struct SignalQueueTests {
    private enum Signal: QueuedSignal, Hashable {
        case text(Int)
        case news(Int)
        case separator(Int)
        /// A signal of this many bytes.
        case large(Int, bytes: Int)

        var kind: String? { if case .text = self { "text" } else { nil } }
        var separated: Separated<String> { if case .separator = self { .kind("text") } else { .none } }
        var size: Int { if case .large(_, let bytes) = self { bytes } else { 100 } }
        var number: Int {
            switch self {
            case .text(let number), .news(let number), .separator(let number), .large(let number, _):
                number
            }
        }
        func merged(with earlier: Signal) -> Signal { self }
    }

    /// What was sent, and whether a ping is under way.
    private struct Bus {
        var queue = SignalQueue<Signal>()
        var sent: [Signal] = []
        var pings = 0
        var overflows = 0
        /// Its peer replies at once.
        var reads = true

        mutating func send(_ signal: Signal) { perform { $0.send(signal) } }

        mutating func perform(_ update: (inout SignalQueue<Signal>) -> [SignalQueue<Signal>.Effect]) {
            for effect in update(&queue) {
                switch effect {
                case .send(let signal): sent.append(signal)
                case .ping:
                    pings += 1
                    if reads { perform { $0.answered() } }
                case .overflow: overflows += 1
                }
            }
        }
    }

    private let limit = SignalQueue<Signal>.unreadLimit
    private let waitingLimit = SignalQueue<Signal>.waitingLimit

    @Test func aReaderGetsEverySignalAtOnce() {
        var bus = Bus()
        for number in 0..<1000 {
            bus.send(number % 2 == 0 ? .text(number) : .news(number))
            #expect(bus.sent.count == number + 1)
        }
        #expect(bus.pings == 1000 / (limit.count / 2))
    }

    @Test func sendsNoPingForFewSignals() {
        var bus = Bus()
        for number in 1..<limit.count / 2 { bus.send(.news(number)) }
        #expect(bus.pings == 0)
    }

    @Test func aStoppedReaderGetsOneWindowAndOnePing() {
        var bus = Bus()
        bus.reads = false
        for number in 0..<10_000 { bus.send(.text(number)) }
        #expect(bus.sent.count == limit.count)
        #expect(bus.pings == 1)
        #expect(bus.queue.waiting.count == 1)
        #expect(bus.overflows == 0)
    }

    @Test func doesNotMergeAcrossASeparator() {
        var bus = Bus()
        bus.reads = false
        for number in 0..<limit.count { bus.send(.news(number)) }
        bus.send(.text(1))
        bus.send(.text(2))
        bus.send(.separator(3))
        bus.send(.text(4))
        bus.send(.text(5))
        bus.sent = []
        bus.perform { $0.flush() }
        #expect(bus.sent == [.text(2), .separator(3), .text(5)])
    }

    @Test func theWindowIsBoundedInBytes() {
        var bus = Bus()
        bus.reads = false
        for number in 0..<100 { bus.send(.large(number, bytes: limit.bytes / 4)) }
        #expect(bus.sent.count == 4)
        #expect(bus.pings == 1)
    }

    @Test func aReaderThatContinuesGetsItsQueueInOrder() {
        var bus = Bus()
        bus.reads = false
        for number in 0..<limit.count { bus.send(.news(number)) }
        for number in 0..<200 {
            bus.send(.text(number))
            if number % 10 == 0 { bus.send(.news(1000 + number)) }
        }
        bus.sent = []
        bus.reads = true
        bus.perform { $0.answered() }
        let news = (0..<20).map { Signal.news(1000 + $0 * 10) }
        #expect(bus.sent == news + [.text(199)])
        bus.send(.text(200))
        #expect(bus.sent.last == .text(200))
    }

    /// An answer shows that everything before the ping was read, and nothing about later signals.
    @Test func aPingReplyAcknowledgesSignalsSentBeforeIt() {
        var bus = Bus()
        bus.reads = false
        for number in 0..<limit.count * 3 { bus.send(.news(number)) }
        #expect(bus.sent.count == limit.count)
        bus.perform { $0.answered() }
        #expect(bus.sent.count == limit.count * 3 / 2)
        #expect(bus.pings == 2)
    }

    /// A program that makes blocking calls reads its socket but sends no replies.
    @Test func aMethodCallCountsAsReading() {
        var bus = Bus()
        bus.reads = false
        for number in 0..<limit.count * 2 { bus.send(.news(number)) }
        bus.perform { $0.called() }
        #expect(bus.sent.count == limit.count * 2)
        #expect(bus.pings == 1)
        // The late answer says nothing about later signals, so another ping is sent.
        bus.perform { $0.answered() }
        bus.send(.news(-1))
        #expect(bus.sent.count == limit.count * 2)
        #expect(bus.pings == 2)
        bus.perform { $0.answered() }
        #expect(bus.sent.last == .news(-1))
    }

    @Test func aConnectionThatCannotBePingedCountsAsAReader() {
        var bus = Bus()
        for number in 0..<500 {
            let effects = bus.queue.send(.news(number))
            for case .ping in effects { bus.perform { $0.pingFailed() } }
        }
        #expect(bus.queue.waiting.count == 0)
    }

    @Test func aReplyIsSentAfterAllQueuedSignals() {
        var bus = Bus()
        bus.reads = false
        for number in 0..<500 { bus.send(.news(number)) }
        bus.perform { $0.flush() }
        #expect(bus.sent == (0..<500).map { .news($0) })
    }

    /// In any order of events, a ping is under way while a signal waits.
    @Test(arguments: 0..<4 as Range<UInt64>) func pingRepliesEmptyTheQueue(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var bus = Bus()
        bus.reads = false
        for number in 0..<20_000 {
            switch Int.random(in: 0..<60, using: &random) {
            case 0: bus.perform { $0.answered() }
            case 1: bus.perform { $0.called() }
            case 2: bus.perform { $0.flush() }
            case 3: bus.perform { $0.pingFailed() }
            default: bus.send(.news(number))
            }
        }
        // Each of these is an answer to a ping, or nothing.
        for _ in 0..<200 { bus.perform { $0.answered() } }
        #expect(bus.queue.waiting.count == 0)
        #expect(bus.sent.map(\.number) == bus.sent.map(\.number).sorted())
    }

    @Test(arguments: [100, 4000])
    func overflowIsReportedOnceAndThenBounded(bytes: Int) {
        var bus = Bus()
        bus.reads = false
        for number in 0..<20_000 { bus.send(.large(number, bytes: bytes)) }
        let reserve = SignalQueue<Signal>.reserve
        #expect(bus.overflows == 1)
        #expect(bus.queue.waiting.count <= waitingLimit.count + reserve.count)
        #expect(bus.queue.waiting.bytes <= waitingLimit.bytes + reserve.bytes + bytes)
        // Signals wait in order and are delivered.
        bus.reads = true
        bus.perform { $0.answered() }
        #expect(bus.queue.waiting.count == 0)
        #expect(bus.sent == (0..<bus.sent.count).map { .large($0, bytes: bytes) })
        #expect(bus.sent.count > limit.count)
        bus.send(.news(0))
        #expect(bus.sent.last == .news(0))
        // The next time is reported too.
        bus.reads = false
        for number in 0..<20_000 { bus.send(.large(number, bytes: bytes)) }
        #expect(bus.overflows == 2)
    }

    /// Merged signals leave gaps, which are removed once there are many.
    @Test func doesNotMergeAcrossASeparatorAfterGapsAreRemoved() {
        var bus = Bus()
        bus.reads = false
        for number in 0..<limit.count { bus.send(.news(number)) }
        for number in 1...64 { bus.send(.text(number)) }
        bus.send(.separator(65))
        bus.send(.text(66))
        bus.sent = []
        bus.perform { $0.flush() }
        #expect(bus.sent == [.text(64), .separator(65), .text(66)])
    }
}
