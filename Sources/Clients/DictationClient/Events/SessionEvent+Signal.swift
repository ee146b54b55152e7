import DBus
import DictationInterface

extension SessionEvent {
    init(_ signal: DictationSignal) {
        switch signal {
        case .partial(let session, let block, let offset, let stable, let volatile, _):
            let text = PartialText(block: block, offset: offset, stable: stable, volatile: volatile)
            self.init(session: session, event: .partial(text))
        case .final(let session, let block, let text, let details):
            self.init(session: session, event: .final(Final(block: block, text: text, details: details)))
        case .retracted(let session, let block, let offset, let scalars, _):
            let retraction = Retraction(block: block, offset: offset, scalars: scalars)
            self.init(session: session, event: .retracted(retraction))
        case .command(let session, let phrase, _):
            self.init(session: session, event: .command(phrase))
        case .interrupted(let session, let reason, let details):
            self.init(
                session: session,
                event: .interrupted(.init(rawValue: reason), all: StateDetails(details).allReasons))
        case .resumed(let session, let reason, let details):
            let details = StateDetails(details)
            self.init(
                session: session,
                event: .resumed(
                    .init(rawValue: reason), all: details.allReasons, seconds: details.duration))
        case .routeChanged(let session, let reason, let previous, let current, _):
            self.init(
                session: session,
                event: .routeChanged(
                    .init(rawValue: reason), previous: Route(previous), current: Route(current)))
        case .stateChanged(let session, let state, let reason, let details):
            let details = StateDetails(details)
            let change = StateChange(
                state: .init(rawValue: state), cause: reason, reasons: details.allReasons,
                pending: Int(details.pending ?? 0))
            self.init(session: session, event: .stateChanged(change))
        case .problemsChanged(let session, let problems, _):
            self.init(session: session, event: .problemsChanged(problems.map(SoundProblem.init)))
        case .stopped(let session, let reason, _):
            self.init(session: session, event: .stopped(.init(rawValue: reason)))
        case .error(let session, let name, let message, _):
            self.init(session: session, event: .failed(DictationError(name: name, message: message)))
        case .segmentRecorded(let session, let name, let start, let duration, let details):
            let segment = RecordedSegment(name: name, start: start, duration: duration, details: details)
            self.init(session: session, event: .segmentRecorded(segment))
        case .level(let session, let rms, let peak, let details):
            let waveform = LevelDetails(details).waveform?.compactMap { part in
                part.minimum <= part.maximum ? part.minimum...part.maximum : nil
            }
            let level = Level(rms: rms, peak: peak, waveform: waveform ?? [])
            self.init(session: session, event: .level(level))
        case .permissionChanged(let resource, let status, _):
            self.init(
                session: nil,
                event: .permissionChanged(.init(rawValue: resource), .init(rawValue: status)))
        }
    }
}

extension StateDetails {
    fileprivate var allReasons: [InterruptionReason] { reasons?.map(InterruptionReason.init) ?? [] }
}
