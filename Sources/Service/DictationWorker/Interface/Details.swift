import DBus
import DictationBus
import DictationConfiguration
import DictationCore
import DictationInterface
import Recognition

// Converts values of the core to the interface's dictionaries. Unknown values are left out.

extension FinishedBlock {
    var details: [BusText: Value] {
        var details: [BusText: Value] = [
            FinalKey.duration: .double(duration),
            FinalKey.engine: .string(engine),
            FinalKey.language: .string(language),
            FinalKey.interruptions: .uint32(UInt32(clamping: interruptions)),
            FinalKey.dropouts: .uint64(UInt64(clamping: droppedFrames)),
            FinalKey.segments: .array(
                segments.map { .structure([.string($0.text), .double($0.start), .double($0.end)]) },
                of: "(sdd)"),
        ]
        let words = segments.flatMap(\.words)
        if !words.isEmpty {
            details[FinalKey.words] = .array(
                words.map {
                    .structure([
                        .string($0.text), .double($0.start), .double($0.end), .double($0.confidence ?? .nan),
                    ])
                }, of: "(sddd)")
        }
        let confidences = words.compactMap(\.confidence)
        if !confidences.isEmpty {
            details[FinalKey.confidence] = .double(confidences.reduce(0, +) / Double(confidences.count))
        }
        // A segment's alternatives are the block's only if it is the only segment.
        if let segment = segments.first, segments.count == 1, !segment.alternatives.isEmpty {
            details[FinalKey.alternatives] = .array(
                segment.alternatives.map { .structure([.string($0.text), .double($0.score)]) }, of: "(sd)")
        }
        if fallbacks > 0 { details[FinalKey.fallback] = .uint32(UInt32(clamping: fallbacks)) }
        if noises > 0 { details[FinalKey.noise] = .uint32(UInt32(clamping: noises)) }
        details[FinalKey.model] = model.map { .string($0) }
        details[FinalKey.unfiltered] = unfiltered.map { .string($0) }
        details[FinalKey.filterFailure] = filterFailure.map { .string($0) }
        details[FinalKey.spoken] = spoken.map { .string($0) }
        if hasInitialCapital { details[FinalKey.initialCapital] = .bool(true) }
        if isAutomatic { details[FinalKey.auto] = .bool(true) }
        if !problems.isEmpty { details[FinalKey.problems] = Value(problems) }
        details[FinalKey.recorded] = recorded.map {
            .structure([.double($0.startSeconds), .double($0.seconds)])
        }
        return details
    }
}

extension VolatileText {
    var details: [BusText: Value] {
        var details: [BusText: Value] = [:]
        if settled > 0 { details[PartialKey.settled] = .uint32(UInt32(clamping: settled)) }
        details[PartialKey.language] = language.map { .string($0) }
        return details
    }
}

extension RecordedSegment {
    var details: [BusText: Value] {
        var details: [BusText: Value] = [
            RecordingKey.frames: .uint64(UInt64(clamping: frames)),
            RecordingKey.rate: .uint32(UInt32(clamping: rate)),
        ]
        details[RecordingKey.block] = block.map { .uint64($0) }
        if !gaps.isEmpty {
            details[RecordingKey.gaps] = .array(
                gaps.map {
                    .structure([
                        .double(seconds($0.position)), .double($0.seconds), .string($0.cause.word),
                    ])
                }, of: "(dds)")
        }
        return details
    }
}

extension SoundLevel {
    var details: [BusText: Value] {
        guard !waveform.isEmpty else { return [:] }
        return [
            LevelKey.waveform: .array(
                waveform.map { .structure([.double($0.lowerBound), .double($0.upperBound)]) }, of: "(dd)")
        ]
    }
}

extension Route {
    var details: [BusText: Value] {
        var details: [BusText: Value] = [
            RouteKey.name: .string(source.name.rawValue),
            RouteKey.description: .string(source.description),
            RouteKey.bus: .string(source.bus),
            RouteKey.available: .bool(isAvailable),
            RouteKey.default: .bool(isDefault),
            RouteKey.muted: .bool(source.isMuted),
            RouteKey.noVolume: .bool(source.hasNoVolume),
            RouteKey.selected: .bool(isSelected),
            RouteKey.inUse: .bool(isInUse),
        ]
        details[RouteKey.bluetoothProfile] = source.bluetoothProfile.map { .string($0) }
        return details
    }
}

extension SessionReport {
    var details: [BusText: Value] {
        guard let session else { return [SessionKey.state: .string(state.rawValue)] }
        var details: [BusText: Value] = [
            SessionKey.session: .uint64(session.rawValue),
            SessionKey.state: .string(state.rawValue),
            SessionKey.reasons: Value(reasons.map(\.rawValue)),
            SessionKey.pending: .uint32(UInt32(clamping: pending)),
            SessionKey.block: .uint64(block),
            SessionKey.text: .string(text),
            SessionKey.finals: .array(
                finals.map { .structure([.uint64($0.number), .string($0.text)]) }, of: "(ts)"),
            SessionKey.dropouts: .uint64(UInt64(clamping: droppedFrames)),
            SessionKey.duration: .double(duration),
            SessionKey.lag: .double(lag),
            SessionKey.problems: Value(problems.map(\.rawValue)),
            SessionKey.language: .string(language),
            SessionKey.formatting: .string((isFormatted ? FormattingStyle.dictation : .plain).rawValue),
            SessionKey.linger: .bool(lingers),
            SessionKey.owner: .bool(isOwner),
        ]
        details[SessionKey.route] = route.map { Value($0.details) }
        details[SessionKey.lockedBy] = lockedBy.map { .string($0.name) }
        if !vocabulary.isEmpty {
            details[SessionKey.vocabulary] = .array(
                vocabulary.map { .structure([.string($0.word), .string($0.pronunciation ?? "")]) }, of: "(ss)"
            )
        }
        return details
    }
}

extension WorldProperties {
    /// Nil for a property that does not belong to the world.
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
    var details: [BusText: Value] {
        var details: [BusText: Value] = [
            EngineKey.languages: Value(languages),
            EngineKey.available: .bool(problem == nil),
            EngineKey.local: .bool(isLocal),
            EngineKey.live: .bool(isLive),
        ]
        if !program.isEmpty { details[EngineKey.program] = .string(program) }
        details[EngineKey.answer] = lastAnswer.map { .double($0) }
        details[EngineKey.message] = problem.map { .string($0) }
        return details
    }
}
