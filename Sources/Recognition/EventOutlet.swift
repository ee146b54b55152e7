import DictationCore
import EventLoop

/// Where events leave: nothing of a discarded block and nothing after closing passes, even when the
/// decoder's thread is just about to tell it.
final class EventOutlet: Sendable {
    private struct State {
        var isClosed = false
        var discarded: Set<BlockNumber> = []
    }

    private let state = Lock(State())
    private let sink: @Sendable (RecognitionEvent) -> Void

    init(_ sink: @escaping @Sendable (RecognitionEvent) -> Void) {
        self.sink = sink
    }

    /// Whether it is in vain to decode for this block.
    func isDeaf(to block: BlockNumber) -> Bool {
        state.withLock { $0.isClosed || $0.discarded.contains(block) }
    }

    /// - Parameter block: the block that the event belongs to, nil where it belongs to the session.
    func tell(_ event: RecognitionEvent, of block: BlockNumber? = nil) {
        state.withLock { state in
            if state.isClosed { return }
            if let block, state.discarded.contains(block) { return }
            sink(event)
        }
    }

    func discard(_ block: BlockNumber) {
        state.withLock { state in _ = state.discarded.insert(block) }
    }

    /// The decoder's thread has passed the block's end: no event of it can come any more.
    func forget(_ block: BlockNumber) {
        state.withLock { state in _ = state.discarded.remove(block) }
    }

    func close() {
        state.withLock { $0.isClosed = true }
    }
}
