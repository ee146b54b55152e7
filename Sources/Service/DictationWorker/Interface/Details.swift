import DBus
import DictationBus
import DictationConfiguration
import DictationCore
import DictationInterface
import Recognition

// Converts values of the core to the interface's dictionaries. Unknown values are left out.

extension FinishedBlock {
    var details: [BusText: Value] {
        var details = FinalDetails()
        details.duration = duration
        details.engine = engine
        details.language = language
        details.interruptions = UInt32(clamping: interruptions)
        details.dropouts = UInt64(clamping: droppedFrames)
        details.segments = segments.map { .init(text: $0.text, start: $0.start, end: $0.end) }
        let words = segments.flatMap(\.words)
        if !words.isEmpty {
            details.words = words.map {
                .init(text: $0.text, start: $0.start, end: $0.end, confidence: $0.confidence ?? .nan)
            }
        }
        let confidences = words.compactMap(\.confidence)
        if !confidences.isEmpty {
            details.confidence = confidences.reduce(0, +) / Double(confidences.count)
        }
        // A segment's alternatives are the block's only if it is the only segment.
        if let segment = segments.first, segments.count == 1, !segment.alternatives.isEmpty {
            details.alternatives = segment.alternatives.map { .init(text: $0.text, score: $0.score) }
        }
        if fallbacks > 0 { details.fallback = UInt32(clamping: fallbacks) }
        if noises > 0 { details.noise = UInt32(clamping: noises) }
        details.model = model
        details.unfiltered = unfiltered
        details.filterFailure = filterFailure
        details.spoken = spoken
        if hasInitialCapital { details.initialCapital = true }
        if isAutomatic { details.auto = true }
        if isWithheld { details.withheld = true }
        if !problems.isEmpty { details.problems = problems }
        details.recorded = recorded.map { .init(start: $0.startSeconds, duration: $0.seconds) }
        return details.entries
    }
}

extension VolatileText {
    var details: [BusText: Value] {
        var details = PartialDetails()
        if settled > 0 { details.settled = UInt32(clamping: settled) }
        details.language = language
        return details.entries
    }
}

extension RecordedSegment {
    var details: [BusText: Value] {
        var details = RecordingDetails()
        details.frames = UInt64(clamping: frames)
        details.rate = UInt32(clamping: rate)
        details.block = block
        if !gaps.isEmpty {
            details.gaps = gaps.map {
                .init(position: seconds($0.position), duration: $0.seconds, reason: $0.cause.word)
            }
        }
        return details.entries
    }
}

extension SoundLevel {
    var details: [BusText: Value] {
        var details = LevelDetails()
        if !waveform.isEmpty {
            details.waveform = waveform.map { .init(minimum: $0.lowerBound, maximum: $0.upperBound) }
        }
        return details.entries
    }
}

extension Route {
    var details: [BusText: Value] {
        var details = RouteDetails()
        details.name = source.name.rawValue
        details.description = source.description
        details.bus = source.bus
        details.bluetoothProfile = source.bluetoothProfile
        details.available = isAvailable
        details.default = isDefault
        details.muted = source.isMuted
        details.noVolume = source.hasNoVolume
        details.selected = isSelected
        details.inUse = isInUse
        return details.entries
    }
}

extension SessionReport {
    var details: [BusText: Value] {
        var details = SessionDetails()
        details.state = state.rawValue
        guard let session else { return details.entries }
        details.session = session.rawValue
        details.reasons = reasons.map(\.rawValue)
        details.pending = UInt32(clamping: pending)
        details.block = block
        details.text = text
        details.finals = finals.map { .init(block: $0.number, text: $0.text) }
        details.dropouts = UInt64(clamping: droppedFrames)
        details.duration = duration
        details.lag = lag
        details.problems = problems.map(\.rawValue)
        details.language = language
        details.formatting = (isFormatted ? FormattingStyle.dictation : .plain).rawValue
        details.linger = lingers
        details.owner = isOwner
        details.route = route?.details
        details.lockedBy = lockedBy?.name
        if !vocabulary.isEmpty {
            details.vocabulary = vocabulary.map {
                .init(word: $0.word, pronunciation: $0.pronunciation ?? "")
            }
        }
        return details.entries
    }
}

extension ServiceProperties {
    /// Nil for a property that is not the state of dictation.
    func value(of property: DictationProperty) -> Value? {
        switch property {
        case .state: .string(state.rawValue)
        case .inUse: .bool(isInUse)
        case .route: Value(route?.details ?? [:])
        case .version, .engines, .languages: nil
        }
    }
}

extension EngineCatalog.Entry {
    /// - Parameter isPreferred: sessions use it whose Start names no engine.
    func details(isPreferred: Bool) -> [BusText: Value] {
        var details = EngineDetails()
        details.languages = languages
        details.available = problem == nil
        details.local = isLocal
        details.live = isLive
        if !program.isEmpty { details.program = program }
        details.answer = lastAnswer
        details.message = problem
        if isPreferred { details.preferred = true }
        return details.entries
    }
}
