import EventLoop

/// Reads facts that other programs have, and passes them on: one reading after the other. If a fact changes meanwhile, what was read
/// is not passed on, and all is read again.
@EventLoopActor
final class FactReader<Facts> {
    private let read: @EventLoopActor () async -> Facts
    private let show: @EventLoopActor (Facts) -> Void
    private var reading: Task<Void, Never>?
    private var mustReadAgain = false
    private var hasEnded = false

    nonisolated init(
        _ read: @escaping @EventLoopActor () async -> Facts, show: @escaping @EventLoopActor (Facts) -> Void
    ) {
        self.read = read
        self.show = show
    }

    /// Something has changed.
    func update() {
        mustReadAgain = true
        guard reading == nil, !hasEnded else { return }
        reading = Task {
            while mustReadAgain {
                mustReadAgain = false
                let facts = await read()
                if !mustReadAgain { show(facts) }
            }
            reading = nil
        }
    }

    /// Returns when the reading in progress has ended.
    func wait() async { await reading?.value }

    /// Begins no further reading.
    func end() {
        hasEnded = true
        reading?.cancel()
    }
}
