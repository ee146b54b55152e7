import DictationCore

extension SessionRecord {
    /// The numbers that a session should report, counted from the events.
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
        /// Seconds, from the recogniser, of finished blocks.
        private var durationOf: [BlockNumber: Double] = [:]
        /// The last streams, the newest last: losses may be reported after closing.
        private var captures: [CaptureID] = []

        func has(_ capture: CaptureID) -> Bool { captures.contains(capture) }

        var hasOpened: Bool { !captures.isEmpty }

        mutating func open(_ capture: CaptureID) { captures = (captures + [capture]).suffix(4) }

        mutating func capture(_ frames: Int, of block: BlockNumber) {
            captured += frames
            capturedOf[block, default: 0] += frames
        }

        mutating func finish(_ block: BlockNumber, duration: Double) { durationOf[block] = duration }

        /// - Parameter block: nil for another block than the present one.
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
        /// On the clock that continues while the computer sleeps.
        let began: Duration
        /// All reasons that were signalled.
        var reasons: Set<Reason>
        var rebuilt: Set<RebuiltPart> = []
    }

    /// The microphone that a session is linked to, and the RouteChanged that is due.
    struct Link: Hashable, Sendable {
        /// Its properties when the session was linked to it, or when it changed since.
        private(set) var source: Source?
        private var isServerLost = false
        /// The RouteChanged that must be sent in this event.
        private(set) var owed: Change?

        struct Change: Hashable, Sendable {
            var reason: RouteChangeReason
            var previous: Source
            var current: Source
        }

        mutating func loseServer() { isServerLost = true }

        /// - Parameter why: the reason of a change, unless the server was restarted.
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
