import DBus
import DictationCore

// The dictionaries of the interface, made from the values of the core. A value that is not known is left out.

extension FinishedBlock {
    var details: [String: Value] {
        var details: [String: Value] = [
            "duration": .double(duration),
            "engine": .string(engine),
            "language": .string(language),
            "interruptions": .uint32(UInt32(clamping: interruptions)),
            "dropouts": .uint64(UInt64(clamping: droppedFrames)),
            "segments": .array(
                segments.map { .structure([.string($0.text), .double($0.start), .double($0.end)]) }, of: "(sdd)"),
        ]
        let words = segments.flatMap(\.words)
        if !words.isEmpty {
            details["words"] = .array(
                words.map {
                    .structure([
                        .string($0.text), .double($0.start), .double($0.end), .double($0.confidence ?? -1),
                    ])
                }, of: "(sddd)")
        }
        let confidences = words.compactMap(\.confidence)
        if !confidences.isEmpty {
            details["confidence"] = .double(confidences.reduce(0, +) / Double(confidences.count))
        }
        // Readings of one segment are readings of the block only where it is the only one.
        if let segment = segments.first, segments.count == 1, !segment.alternatives.isEmpty {
            details["alternatives"] = .array(
                segment.alternatives.map { .structure([.string($0.text), .double($0.score)]) }, of: "(sd)")
        }
        if isAutomatic { details["auto"] = .bool(true) }
        if !problems.isEmpty { details["problems"] = Value(problems) }
        return details
    }
}

extension Route {
    var details: [String: Value] {
        var details: [String: Value] = [
            "name": .string(source.name.rawValue),
            "description": .string(source.description),
            "bus": .string(source.bus),
            "available": .bool(isAvailable),
            "default": .bool(isDefault),
            "muted": .bool(source.isMuted),
            "selected": .bool(isSelected),
            "in-use": .bool(isInUse),
        ]
        details["bluetooth-profile"] = source.bluetoothProfile.map { .string($0) }
        return details
    }
}

extension SessionReport {
    var details: [String: Value] {
        guard let session else { return ["state": .string(state.rawValue)] }
        var details: [String: Value] = [
            "session": .uint64(session.rawValue),
            "state": .string(state.rawValue),
            "reasons": Value(reasons.map(\.rawValue)),
            "pending": .uint32(UInt32(clamping: pending)),
            "block": .uint64(block),
            "text": .string(text),
            "finals": .array(
                finals.map { .structure([.uint64($0.number), .string($0.text)]) }, of: "(ts)"),
            "dropouts": .uint64(UInt64(clamping: droppedFrames)),
            "duration": .double(duration),
            "lag": .double(lag),
            "linger": .bool(lingers),
            "owner": .bool(isOwner),
        ]
        details["route"] = route.map { Value($0.details) }
        return details
    }
}

extension Permission {
    var statuses: [String: String] {
        Dictionary(uniqueKeysWithValues: Resource.allCases.map { ($0.rawValue, self[$0].rawValue) })
    }
}
