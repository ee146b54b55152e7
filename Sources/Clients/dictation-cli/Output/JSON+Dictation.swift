import DictationClient

extension SessionEvent {
    /// `event` is the signal's name; the other members are its arguments.
    var json: JSON {
        let (name, members) = event.json
        let session: [(String, JSON)] = session.map { [("session", JSON($0))] } ?? []
        return .object([("event", .string(name))] + session + members)
    }
}

extension DictationEvent {
    fileprivate var json: (name: String, members: [(String, JSON)]) {
        switch self {
        case .partial(let partial):
            let offset = JSON(partial.offset)
            return (
                "partial",
                [
                    ("block", JSON(partial.block)), ("offset", offset), ("stable", .string(partial.stable)),
                    ("volatile", .string(partial.volatile)),
                ]
            )
        case .final(let final):
            return ("final", final.members)
        case .retracted(let retraction):
            return (
                "retracted",
                [
                    ("block", JSON(retraction.block)), ("offset", JSON(retraction.offset)),
                    ("scalars", JSON(retraction.scalars)),
                ]
            )
        case .command(let phrase): return ("command", [("phrase", .string(phrase))])
        case .stateChanged(let change):
            return (
                "state-changed",
                [
                    ("state", .string(change.state.rawValue)), ("reason", .string(change.cause)),
                    ("reasons", JSON(words: change.reasons)), ("pending", JSON(change.pending)),
                ]
            )
        case .problemsChanged(let problems):
            return ("problems-changed", [("problems", JSON(words: problems))])
        case .interrupted(let reason, let all):
            return ("interrupted", [("reason", .string(reason.rawValue)), ("reasons", JSON(words: all))])
        case .resumed(let reason, let all, let seconds):
            let members: [(String, JSON)] = [
                ("reason", .string(reason.rawValue)), ("reasons", JSON(words: all)),
            ]
            return ("resumed", members + [("duration", JSON(seconds))])
        case .routeChanged(let reason, let previous, let current):
            return (
                "route-changed",
                [
                    ("reason", .string(reason.rawValue)), ("previous", previous?.json ?? .null),
                    ("current", current?.json ?? .null),
                ]
            )
        case .segmentRecorded(let segment): return ("segment-recorded", segment.members)
        case .stopped(let reason):
            return ("stopped", [("reason", .string(reason.rawValue))])
        case .failed(let error):
            return ("error", [("name", .string(error.name)), ("message", .string(error.message))])
        case .level(let level):
            return ("level", [("rms_dbfs", .number(level.rms)), ("peak_dbfs", .number(level.peak))])
        case .permissionChanged(let resource, let status):
            return (
                "permission-changed",
                [("resource", .string(resource.rawValue)), ("status", .string(status.rawValue))]
            )
        case .restored(let status): return ("restored", [("status", status.json)])
        case .serviceVanished: return ("service-vanished", [])
        case .serviceAppeared: return ("service-appeared", [])
        }
    }
}

extension Final {
    var json: JSON { .object(members) }

    var members: [(String, JSON)] {
        [
            ("block", JSON(block)), ("text", .string(text)), ("spoken", JSON(spoken)),
            ("unfiltered", JSON(unfiltered)), ("filter-failure", JSON(filterFailure)),
            ("words", .array(words.map(\.json))), ("segments", .array(segments.map(\.json))),
            ("alternatives", .array(alternatives.map(\.json))), ("confidence", JSON(confidence)),
            ("duration", JSON(duration)), ("engine", JSON(engine)), ("language", JSON(language)),
            ("interruptions", JSON(interruptions)), ("dropouts", JSON(dropouts)),
            ("auto", .bool(isAutomatic)), ("problems", JSON(words: problems)),
        ]
    }
}

extension RecordedSegment {
    fileprivate var members: [(String, JSON)] {
        [
            ("name", .string(name)), ("start", .number(start)), ("duration", .number(duration)),
            ("block", block.map { JSON($0) } ?? .null), ("gaps", .array(gaps.map(\.json))),
        ]
    }
}

extension RecordedSegment.Gap {
    fileprivate var json: JSON {
        .object([
            ("position", .number(position)), ("duration", .number(duration)), ("reason", .string(reason)),
        ])
    }
}

extension Word {
    fileprivate var json: JSON {
        .object([
            ("word", .string(text)), ("start", .number(start)), ("end", .number(end)),
            ("confidence", JSON(confidence)),
        ])
    }
}

extension Segment {
    fileprivate var json: JSON {
        .object([("text", .string(text)), ("start", .number(start)), ("end", .number(end))])
    }
}

extension Alternative {
    fileprivate var json: JSON { .object([("text", .string(text)), ("score", .number(score))]) }
}

extension Route {
    var json: JSON {
        .object([
            ("name", .string(name)), ("description", .string(description)), ("bus", .string(bus)),
            ("bluetooth-profile", JSON(bluetoothProfile)), ("available", .bool(isAvailable)),
            ("default", .bool(isDefault)), ("muted", .bool(isMuted)), ("no-volume", .bool(hasNoVolume)),
            ("selected", .bool(isSelected)),
            ("in-use", .bool(isInUse)),
        ])
    }
}

extension SessionStatus {
    var json: JSON {
        guard let session else { return .object([("state", .string(state.rawValue))]) }
        let finals = finals.map { JSON.object([("block", JSON($0.block)), ("text", .string($0.text))]) }
        return .object([
            ("session", JSON(session)), ("state", .string(state.rawValue)), ("reasons", JSON(words: reasons)),
            ("locked-by", JSON(lockedBy)), ("pending", JSON(pending)),
            ("block", JSON(block)), ("text", .string(text)),
            ("finals", .array(finals)), ("route", route?.json ?? .null), ("dropouts", JSON(dropouts)),
            ("duration", .number(duration)), ("lag", .number(lag)), ("problems", JSON(words: problems)),
            ("linger", .bool(lingers)),
            ("owner", .bool(isOwner)),
        ])
    }
}
