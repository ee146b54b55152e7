import DictationCore

// What must hold after each event, and what must hold when nothing is left to do.

extension Checker {
    func check(_ record: SessionRecord, nextDeadline: Duration?) throws(Violation) {
        let id = record.id.rawValue
        try require(record.isAnnounced, .replyBeforeSignals, "\(id) is not announced")
        try require(
            record.owner != nil || record.options.lingers, .nothingForTheDead, "\(id) outlives its owner")
        try require(
            record.pending == record.commits.count, .truthfulState,
            "\(id): \(record.pending) pending, really \(record.commits.count)")
        try require(!ended.contains(record.id), .nothingForTheDead, "\(id) is back")
        if record.engine == .opening || record.engine == .ready {
            let isInStep =
                record.engineBlock == record.block
                || (record.isEnding && record.engineBlock == record.block + 1)
            try require(
                isInStep, .recogniserInStep, "\(id): \(record.engineBlock), session \(record.block)")
        }
        try require(record.link.owed == nil, .truthfulRoute, "\(id) is not told \(record.link)")
        let getsText = hasTextAudience(record)
        try require(record.owedCommand == nil || !getsText, .textGrows, "\(id): no Command")
        try require(
            record.owedRetractions.isDisjoint(with: record.finals.map(\.block)) || !getsText
                || !isPermitted(record), .textGrows, "\(id): no Retracted")
        try checkTime(record)
        try checkState(record)
        try checkText(record, nextDeadline: nextDeadline)
    }

    private func checkTime(_ record: SessionRecord) throws(Violation) {
        let id = record.id.rawValue
        if let block = record.dueCommit {
            try require(record.block > block, .commitsInTime, "\(id): \(block) is not committed")
        }
        try require(
            !record.wantsToListen || !isResumeLimitOver(record), .commitsInTime, "\(id) may not resume")
        guard record.options.lingers, !record.isEnding else { return }
        let left = now - record.lastActivity
        try require(left < settings.idleStop, .commitsInTime, "\(id) goes on after \(left)")
        try require(
            !record.wantsToListen || left < settings.idlePause, .commitsInTime, "\(id) listens after \(left)"
        )
    }

    private func checkState(_ record: SessionRecord) throws(Violation) {
        let id = record.id.rawValue
        guard record.wantsToListen else {
            return try require(
                record.state == .paused && record.reasons.isEmpty && !record.isInterrupted, .truthfulState,
                "\(id) is not wanted and \(record.state)")
        }
        let must = ownReasons(record)
        var allowed = must
        if record.hasStreamTrouble { allowed.formUnion([.noSource, .audioServerLost]) }
        let isPreempted =
            record.usesMicrophone && must.isEmpty && holder?.id != record.id
        if isPreempted { allowed.insert(.preempted) }
        try require(
            must.isSubset(of: record.reasons) && record.reasons.isSubset(of: allowed)
                && (!isPreempted || record.reasons.contains(.preempted)),
            .truthfulState, "\(id) is told \(record.reasons), holding \(must), perhaps \(allowed)")
        let flows =
            record.usesMicrophone
            ? capture.map { $0.session == record.id && $0.isFlowing } ?? false
            : record.isReading && record.hasRead
        let expected: Set<SessionState> =
            !record.reasons.isEmpty ? [.interrupted] : flows ? [.listening] : [.starting, .interrupted]
        try require(
            expected.contains(record.state), .truthfulState,
            "\(id) is \(record.state), should be \(expected)")
    }

    private func checkText(_ record: SessionRecord, nextDeadline: Duration?) throws(Violation) {
        guard record.options.sendsPartials, record.isFollowed, !record.isEnding, isPermitted(record),
            !isCongested, hasTextAudience(record)
        else { return }
        let sent = record.sentBlock == record.block ? record.sentText + record.sentVolatile : ""
        let heard = record.text(record.block) + record.volatile(record.block)
        for commit in record.commits {
            let (sent, text) = (record.sent(commit.block), record.text(commit.block))
            try require(
                text.unicodeScalars.starts(with: sent.unicodeScalars), .textGrows,
                "sent \(sent) of \(commit.block), heard \(text)")
        }
        let isDue = nextDeadline.map { $0 <= now + settings.partialInterval } ?? false
        try require(sent == heard || isDue, .textGrows, "sent \(sent), heard \(heard)")
    }

    /// Whether an interruption has lasted too long to resume by itself, for one of the present reasons.
    func isResumeLimitOver(_ record: SessionRecord) -> Bool {
        guard let interruption = record.interruption,
            let limit = record.reasons.compactMap({ settings.resumeLimits[$0] }).min()
        else { return false }
        return elapsed - interruption.began >= limit
    }

    func checkStream(nextDeadline: Duration?) throws(Violation) {
        if let capture {
            guard let record = records[capture.session], mayListen(record) else {
                throw Violation(.captureIffListening, "open for \(capture.session.rawValue)")
            }
            let wanted = wantedMicrophone(of: record)
            // A microphone that is used without a default stays when it becomes the default.
            let isDefault = wanted == nil && capture.target == microphones.defaultSource?.name
            try require(
                capture.target == wanted || isDefault, .rightMicrophone,
                "\(String(describing: capture.target)) is open, not \(String(describing: wanted))")
        }
        if let holder, mayListen(holder), capture?.session != holder.id {
            try require(holder.hasStreamTrouble, .latestHasTheMicrophone, "\(holder.id.rawValue) has none")
            let isTried = nextDeadline.map { $0 <= now + .seconds(5) } ?? false
            try require(isTried, .nothingOverdue, "nothing is tried for \(holder.id.rawValue)")
        }
        try require(ending.isEmpty, .episodeGrammar, "\(ending.keys) are over without a signal")
        for record in records.values where !record.usesMicrophone {
            try require(
                record.isReading == mayListen(record), .captureIffListening,
                "\(record.id.rawValue) reads: \(record.isReading)")
        }
    }

    func checkProperties(_ properties: ServiceProperties) throws(Violation) {
        try require(
            properties.isInUse == (capture != nil), .truthfulState, "InUse \(properties.isInUse)")
        try require(properties.isInUse || properties.route == nil, .truthfulState, "a route without a stream")
        let foremost =
            capture.flatMap { records[$0.session] }
            ?? records.values.filter { $0.usesMicrophone && !$0.isEnding }
            .max { ($0.wants ? 1 : 0, $0.stamp) < ($1.wants ? 1 : 0, $1.stamp) }
        try require(
            properties.state == foremost?.state ?? .idle, .truthfulState,
            "State \(properties.state), the session is \(String(describing: foremost?.state))")
    }

    /// Call after the checks of an event: clients that are not subscribed have missed its signals.
    mutating func endEvent() {
        for (id, record) in records {
            if !hasTextAudience(record) { records[id]?.isFollowed = false }
            records[id]?.beginSending(record.block)
            records[id]?.dueCommit = nil
            records[id]?.owedCommand = nil
            if isPermitted(record) { records[id]?.owedRetractions = [] }
            records[id]?.link.settle()
        }
    }

    /// Anything that differs from the desired state without a reason.
    var unsettledReason: String? {
        if let call = calls.first { return "call \(call.key.rawValue) \(call.value.request) is not answered" }
        for record in records.values.sorted(by: { $0.id < $1.id }) {
            let id = record.id.rawValue
            if record.isEnding { return "\(id) does not end" }
            if !record.commits.isEmpty { return "\(id) owes \(record.commits.count) commits" }
            guard record.wants else { continue }
            if record.usesMicrophone {
                let expected: SessionState = holder?.id == record.id ? .listening : .interrupted
                if record.state != expected { return "\(id) is \(record.state), not \(expected)" }
            } else if !record.isReading {
                return "\(id) does not read"
            }
        }
        return nil
    }
}
