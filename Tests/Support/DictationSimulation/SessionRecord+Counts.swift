import DictationCore

extension SessionRecord {
    /// What a session is told in numbers, counted from what went in.
    struct Counts: Hashable, Sendable {
        /// Frames of sound.
        private(set) var captured = 0
        var lag = 0.0
        /// Frames lost.
        private(set) var dropped = 0
        private(set) var droppedBefore = 0
        private var droppedOf: [BlockNumber: Int] = [:]
        private var capturedOf: [BlockNumber: Int] = [:]
        private var interruptionsOf: [BlockNumber: Int] = [:]
        /// In seconds, as the recogniser says, of blocks that it has finished.
        private var durationOf: [BlockNumber: Double] = [:]
        /// The last streams, the newest last: what one of them has lost may be told after it was closed.
        private var captures: [CaptureID] = []

        func has(_ capture: CaptureID) -> Bool { captures.contains(capture) }

        var hasOpened: Bool { !captures.isEmpty }

        mutating func open(_ capture: CaptureID) { captures = (captures + [capture]).suffix(4) }

        mutating func capture(_ frames: Int, of block: BlockNumber) {
            captured += frames
            capturedOf[block, default: 0] += frames
        }

        mutating func finish(_ block: BlockNumber, duration: Double) { durationOf[block] = duration }

        /// - Parameter block: nil where it is not one that goes on.
        mutating func lose(_ frames: Int, of block: BlockNumber?) {
            dropped += frames
            if let block { droppedOf[block, default: 0] += frames }
        }

        mutating func interrupt(_ block: BlockNumber) {
            interruptionsOf[block, default: 0] += 1
            droppedBefore = dropped
        }

        mutating func forget(_ block: BlockNumber) {
            droppedOf[block] = nil
            capturedOf[block] = nil
            interruptionsOf[block] = nil
            durationOf[block] = nil
        }

        func agree(with block: FinishedBlock) -> Bool {
            block.droppedFrames == droppedOf[block.number] ?? 0
                && block.interruptions == interruptionsOf[block.number] ?? 0
                && block.duration
                    == durationOf[block.number] ?? Double(capturedOf[block.number] ?? 0) / 16_000
        }

        func agree(with report: SessionReport) -> Bool {
            report.droppedFrames == dropped && report.duration == Double(captured) / 16_000
                && report.lag == lag
        }
    }

    /// An interruption, from Interrupted to its end.
    struct Interruption: Hashable, Sendable {
        /// On the clock that goes on while the computer sleeps.
        let began: Duration
        /// All that were told.
        var reasons: Set<Reason>
        var rebuilt: Set<RebuiltPart> = []
    }

    /// Which microphone a session was linked to, and what is to be told of it.
    struct Link: Hashable, Sendable {
        /// As it was when the session was linked to it, or when it changed since.
        private(set) var source: Source?
        private var isServerLost = false
        /// RouteChanged, which has to be told in this event.
        private(set) var owed: Change?

        struct Change: Hashable, Sendable {
            var reason: RouteChangeReason
            var previous: Source
            var current: Source
        }

        mutating func loseServer() { isServerLost = true }

        /// - Parameter why: of a change of microphone, where the server was not restarted.
        mutating func change(to new: Source, _ why: (NodeName) -> RouteChangeReason) {
            defer {
                source = new
                isServerLost = false
            }
            guard let source else { return }
            let isAnother = source.name != new.name
            guard isServerLost || isAnother || source.bluetoothProfile != new.bluetoothProfile else { return }
            let reason = isServerLost ? .serverRestarted : isAnother ? why(source.name) : .profileChanged
            owed = Change(reason: reason, previous: source, current: new)
        }

        mutating func settle() { owed = nil }
    }
}
