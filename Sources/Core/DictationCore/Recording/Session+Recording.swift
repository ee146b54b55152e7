// The recording of the session's sound.

extension Session {
    /// The state of the recording; nil if Start asked for none.
    struct RecordingState: Hashable, Sendable {
        /// The files are open, or are being finished.
        var isOpen = true
        var hasFailed = false
        /// The length of the whole, once it is finished.
        var seconds: Double?
        /// Since when no sound flows, on the clock of ``Moment/elapsed``; nil while it flows and before it first flows.
        var silentSince: Duration?
        /// The session was paused since then.
        var wasPaused = false
    }

    func record(_ command: RecorderCommand, _ effects: inout [Effect]) {
        guard recording?.isOpen == true || options.keepsSound else { return }
        effects.append(.recorder(id, command))
    }

    /// The stream is closed.
    mutating func beginRecordingGap(at now: Duration, _ context: SessionContext) {
        guard recording != nil, recording?.silentSince == nil else { return }
        recording?.silentSince = now + context.slept
        recording?.wasPaused = intention == .pause
    }

    /// Sound flows again.
    mutating func endRecordingGap(at now: Duration, _ context: SessionContext, _ effects: inout [Effect]) {
        guard let began = recording?.silentSince else { return }
        recording?.silentSince = nil
        let cause: RecordingGap.Cause =
            if recording?.wasPaused == true {
                .paused
            } else if let reason = interruption?.reasons.first {
                .reason(reason)
            } else {
                .route
            }
        record(.gap(cause, seconds: (now + context.slept - began).seconds), &effects)
    }

    mutating func handle(
        _ event: RecordingEvent, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        guard recording?.isOpen == true else { return }
        switch event {
        case .blockEnded(let number, let stretch):
            withBlock(number) { $0.recorded = stretch }
        case .segment(let segment):
            send(.segmentRecorded(segment), context, &effects)
        case .failed(let refusal):
            guard recording?.hasFailed == false else { return }
            recording?.hasFailed = true
            send(.error(refusal), context, &effects)
        case .notRemoved(let refusal):
            send(.error(refusal), context, &effects)
        case .finished(let seconds):
            recording?.isOpen = false
            recording?.seconds = seconds
        }
    }
}
