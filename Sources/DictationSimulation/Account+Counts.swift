import DictationCore

extension Account {
    /// What a session is told in numbers, counted from what went in.
    struct Counts: Hashable, Sendable {
        /// Frames of sound.
        var captured = 0
        var lag = 0.0
        /// Frames lost.
        private(set) var dropped = 0
        private var droppedBefore = 0
        private var droppedOf: [BlockNumber: Int] = [:]
        private var interruptionsOf: [BlockNumber: Int] = [:]
        /// The last streams, the newest behind: what one of them has lost may be told after it was closed.
        private var captures: [CaptureID] = []

        func has(_ capture: CaptureID) -> Bool { captures.contains(capture) }

        mutating func open(_ capture: CaptureID) { captures = (captures + [capture]).suffix(4) }

        /// - Parameter block: nil where it is not one that goes on.
        mutating func lose(_ frames: Int, of block: BlockNumber?) {
            dropped += frames
            if let block { droppedOf[block, default: 0] += frames }
        }

        mutating func interrupt(_ block: BlockNumber) {
            interruptionsOf[block, default: 0] += 1
            droppedBefore = dropped
        }

        var droppedInInterruption: Int { dropped - droppedBefore }

        mutating func forget(_ block: BlockNumber) {
            droppedOf[block] = nil
            interruptionsOf[block] = nil
        }

        func agree(with block: FinishedBlock) -> Bool {
            block.droppedFrames == droppedOf[block.number] ?? 0
                && block.interruptions == interruptionsOf[block.number] ?? 0
        }

        func agree(with report: SessionReport) -> Bool {
            report.droppedFrames == dropped && report.duration == Double(captured) / 16_000
                && report.lag == lag
        }
    }

    /// Which microphone a session was linked to, and what is to be told of it.
    struct Link: Hashable, Sendable {
        private(set) var source: NodeName?
        private(set) var previous: NodeName?
        private var isServerLost = false
        /// It is the first since the server was lost.
        private(set) var isAfterRestart = false
        /// RouteChanged is to be told in this event.
        var isOwed = false

        mutating func loseServer() { isServerLost = true }

        mutating func change(to name: NodeName) {
            previous = source
            source = name
            isAfterRestart = isServerLost
            isServerLost = false
            isOwed = previous != nil && (isAfterRestart || previous != name)
        }
    }
}
