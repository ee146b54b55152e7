import DBus
import DictationBus
import DictationCore
import DictationInterface

extension DictationSignal {
    /// Converts signals of the core to the interface's.
    init(_ signal: SessionSignal, of session: SessionID) {
        let id = session.rawValue
        switch signal {
        case .partial(let block, let offset, let stable, let volatile):
            self = .partial(
                session: id, block: block, offset: UInt64(clamping: offset), stable: stable,
                volatile: volatile.text, details: volatile.details)
        case .final(let block):
            self = .final(session: id, block: block.number, text: block.text, details: block.details)
        case .retracted(let block, let offset, let scalars):
            self = .retracted(
                session: id, block: block, offset: UInt64(clamping: offset),
                scalars: UInt64(clamping: scalars),
                details: [:])
        case .command(let phrase): self = .command(session: id, phrase: phrase, details: [:])
        case .interrupted(let reason, let all):
            self = .interrupted(
                session: id, reason: reason.rawValue, details: StateDetails(reasons: all).entries)
        case .resumed(let reason, let interruption):
            var details = StateDetails(reasons: interruption.reasons)
            details.duration = interruption.duration
            details.rebuilt = interruption.rebuilt.map(\.rawValue)
            details.dropouts = UInt64(clamping: interruption.droppedFrames)
            self = .resumed(session: id, reason: reason.rawValue, details: details.entries)
        case .routeChanged(let reason, let previous, let current):
            self = .routeChanged(
                session: id, reason: reason.rawValue, previous: previous?.details ?? [:],
                current: current?.details ?? [:], details: [:])
        case .stateChanged(let state, let cause, let reasons, let pending):
            var details = StateDetails(reasons: reasons)
            details.pending = UInt32(clamping: pending)
            self = .stateChanged(
                session: id, state: state.rawValue, reason: cause.word, details: details.entries)
        case .stopped(let reason, let recorded):
            var details = StoppedDetails()
            details.recorded = recorded
            self = .stopped(session: id, reason: reason.rawValue, details: details.entries)
        case .segmentRecorded(let segment):
            self = .segmentRecorded(
                session: id, name: segment.name, start: segment.seconds(segment.start),
                duration: segment.seconds(segment.frames), details: segment.details)
        case .error(let refusal):
            self = .error(
                session: id, name: refusal.kind.errorName.rawValue, message: refusal.message, details: [:])
        case .problemsChanged(let problems):
            self = .problemsChanged(session: id, problems: problems.map(\.rawValue), details: [:])
        case .level(let level):
            self = .level(session: id, rmsDbfs: level.rms, peakDbfs: level.peak, details: level.details)
        }
    }
}

extension DictationReply {
    init(_ reply: Reply) {
        switch reply {
        case .started(let id): self = .start(session: id.rawValue)
        case .committed(let block):
            self = .commit(block: block.number, text: block.text, details: block.details)
        case .cancelled(let number): self = .cancel(block: number)
        case .stopping(let count): self = .stopAll(count: UInt32(clamping: count))
        case .session(let report): self = .getSession(session: report.details)
        case .permission(let permission):
            self = .checkPermission(
                status: permission.statuses(of: Resource.dictation), ready: permission.isReady)
        case .routes(let routes): self = .listRoutes(routes: routes.map(\.details))
        case .done: self = .done
        }
    }
}

extension StateDetails {
    fileprivate init(reasons: [Reason]) {
        self.init()
        self.reasons = reasons.map(\.rawValue)
    }
}
