import DictationCore

// Checks the signals of a session.

extension Checker {
    mutating func check(_ signal: SessionSignal, of id: SessionID, to audience: Audience) throws(Violation) {
        guard var record = records[id] else {
            return try noteLast(signal, of: id, to: audience)
        }
        try require(record.isAnnounced, .replyBeforeSignals, "\(signal) of \(id.rawValue)")
        try check(audience, self.audience(of: record, text: signal.hasText))
        defer { records[id] = record }
        switch signal {
        case .interrupted(let reason, let all): try noteInterrupted(reason, all, &record)
        case .resumed(let reason, let ended):
            try noteResumed(reason, ended, &record)
        case .stateChanged(let state, let cause, let reasons, let pending):
            try noteState(state, cause, Set(reasons), pending, &record)
        case .error(let refusal): try noteError(refusal, &record)
        case .partial(let block, let offset, let stable, let volatile):
            try notePartial(block, offset, stable, volatile.text, &record)
        case .final(let finished): try noteFinished(finished, of: &record)
        case .level:
            try require(
                record.options.sendsLevels && (capture?.isFlowing == true || record.isReading),
                .truthfulState,
                "a level without sound")
        case .problemsChanged(let problems):
            try require(problems != record.problems, .truthfulState, "the same problems again")
            try require(
                problems.isEmpty || capture?.isFlowing == true || record.isReading, .truthfulState,
                "\(problems) without sound")
            record.problems = problems
        case .routeChanged(let reason, let previous, let current):
            try require(
                current != nil && capture?.session == id, .truthfulState, "a route without a stream")
            try noteRoute(reason, from: previous, to: current, &record)
        case .retracted(let block, let offset, let scalars):
            try noteRetracted(block, offset, scalars, &record)
        case .command(let phrase): try noteCommand(phrase, &record)
        case .segmentRecorded:
            throw Violation(.truthfulState, "\(id.rawValue) records nothing")
        case .stopped:
            throw Violation(.episodeGrammar, "\(id.rawValue) is signalled as stopped and is not")
        }
    }

    /// Stopped, once, for a session that has ended.
    private mutating func noteLast(
        _ signal: SessionSignal, of id: SessionID, to audience: Audience
    ) throws(Violation) {
        guard case .stopped = signal, let expected = ending.removeValue(forKey: id) else {
            throw Violation(.nothingForTheDead, "\(signal) of \(id.rawValue)")
        }
        try check(audience, expected)
    }

    private func check(_ audience: Audience, _ expected: Set<ClientName>?) throws(Violation) {
        switch audience {
        case .everyone: try require(expected == nil, .rightAudience, "everyone, not \(expected ?? [])")
        case .clients(let clients):
            let gone = clients.filter(dead.contains)
            try require(gone.isEmpty, .nothingForTheDead, "a signal to \(gone)")
            try require(
                Set(clients) == expected && Set(clients).count == clients.count, .rightAudience,
                "\(clients), not \(expected.map { "\($0)" } ?? "everyone")")
        }
    }

    private func noteRoute(
        _ reason: RouteChangeReason, from previous: Route?, to current: Route?, _ record: inout SessionRecord
    ) throws(Violation) {
        guard let owed = record.link.owed, let previous, let current else {
            throw Violation(.truthfulRoute, "\(reason) without a change, or again")
        }
        record.link.settle()
        try require(reason == owed.reason, .truthfulRoute, "\(reason), not \(owed)")
        try require(
            microphones.agrees(previous, with: owed.previous, isInUse: false)
                && microphones.agrees(current, with: owed.current, isInUse: true),
            .truthfulRoute, "from \(previous) to \(current), not \(owed)")
    }

    private func noteInterrupted(
        _ reason: Reason, _ all: [Reason], _ record: inout SessionRecord
    ) throws(Violation) {
        try require(!record.isInterrupted, .episodeGrammar, "Interrupted within an interruption")
        try require(
            record.wantsToListen && all.contains(reason), .episodeGrammar, "\(reason) of \(all), or unwanted"
        )
        record.interruption = SessionRecord.Interruption(began: elapsed, reasons: Set(all))
        record.errors = 0
        record.counts.interrupt(record.block)
    }

    private func noteResumed(
        _ reason: Reason, _ ended: EndedInterruption, _ record: inout SessionRecord
    ) throws(Violation) {
        guard let interruption = record.interruption else {
            throw Violation(.episodeGrammar, "Resumed without Interrupted")
        }
        try require(
            ended.reasons.contains(reason) && interruption.reasons.isSubset(of: ended.reasons),
            .episodeGrammar, "\(reason) of \(ended), told \(interruption)")
        var rebuilt = interruption.rebuilt
        if ended.reasons.contains(.audioServerLost) { rebuilt.insert(.audioServer) }
        let duration = Double((elapsed - interruption.began) / .milliseconds(1)) / 1000
        try require(
            ended.droppedFrames == record.counts.dropped - record.counts.droppedBefore
                && abs(ended.duration - duration) < 0.001 && Set(ended.rebuilt) == rebuilt
                && Set(ended.rebuilt).count == ended.rebuilt.count,
            .truthfulNumbers,
            "\(ended), counted \(record.counts) in \(duration) s, rebuilt \(rebuilt)")
        let flows =
            record.usesMicrophone
            ? capture.map { $0.session == record.id && $0.isFlowing } ?? false
            : record.isReading && record.hasRead
        try require(flows, .episodeGrammar, "Resumed and no sound flows")
        record.interruption = nil
    }

    private func noteState(
        _ state: SessionState, _ cause: StateCause, _ reasons: Set<Reason>, _ pending: Int,
        _ record: inout SessionRecord
    ) throws(Violation) {
        try require(
            state != record.state || reasons != record.reasons || pending != record.pending,
            .truthfulState,
            "\(state) told twice")
        // The reason of the pause is sent again when a commit ends meanwhile.
        switch cause {
        case .idle where record.wants:
            try require(
                record.options.lingers && now - record.lastActivity >= settings.idlePause, .commitsInTime,
                "idle \(now - record.lastActivity) after somebody spoke or called")
            try noteLeftText(of: &record)
            record.wants = false
        case .resumeLimit where record.wants:
            try require(isResumeLimitOver(record), .commitsInTime, "\(record.id.rawValue) may still resume")
            record.wants = false
        case .stopped: record.isEnding = try mayEnd(record)
        default: break
        }
        switch state {
        case .paused: record.interruption = nil
        case .interrupted:
            try require(record.isInterrupted, .episodeGrammar, "interrupted without Interrupted")
        default: try require(!record.isInterrupted, .episodeGrammar, "\(state) within an interruption")
        }
        record.interruption?.reasons.formUnion(reasons)
        record.state = state
        record.reasons = reasons
        record.pending = pending
    }

    private func noteError(_ refusal: Refusal, _ record: inout SessionRecord) throws(Violation) {
        if [.permissionDenied, .permissionRequired].contains(refusal.kind) {
            try require(
                record.isEnding && !isPermitted(record), .oneOutcomePerCommit, "\(refusal) of a session")
            record.lossSent = true
        }
        guard record.isInterrupted, refusal.message != SimulatedWorld.segmentFailure,
            refusal.message != SimulatedWorld.engineFailure,
            refusal.kind != .unsupportedFormat, refusal.kind != .invalidArguments
        else { return }
        record.errors += 1
        try require(record.errors == 1, .oneErrorPerEpisode, "\(refusal)")
    }

    private func notePartial(
        _ block: BlockNumber, _ offset: Int, _ stable: String, _ volatile: String,
        _ record: inout SessionRecord
    ) throws(Violation) {
        try require(block == record.block, .textGrows, "of block \(block), not \(record.block)")
        let isBeginning = stable.isEmpty && volatile.isEmpty && offset == 0
        try require(
            record.options.sendsPartials && (isBeginning || (isPermitted(record) && !record.isEnding)),
            .rightAudience, "a Partial that may not be")
        record.beginSending(block)
        let text = record.text(block).unicodeScalars
        if !record.isFollowed {
            record.sentText = String(String.UnicodeScalarView(text.prefix(offset)))
            record.isFollowed = true
        }
        try require(
            offset == record.sentText.unicodeScalars.count, .textGrows,
            "offset \(offset) behind \(record.sentText)")
        record.sentText += stable
        record.sentVolatile = volatile
        try require(
            text.starts(with: record.sentText.unicodeScalars), .textGrows,
            "told \(record.sentText), heard \(record.text(block))")
    }

    /// The text of an unused lingering session is committed before it pauses.
    private func noteLeftText(of record: inout SessionRecord) throws(Violation) {
        let text = record.text(record.block) + record.volatile(record.block)
        guard !text.isEmpty, isPermitted(record) else { return }
        // A commit that ends at once and has no readers has no signal.
        try require(
            record.engine == .gone && !hasTextAudience(record), .commitsInTime,
            "\(record.id.rawValue) pauses with text")
        try expectAutomaticCommit(of: &record)
    }

    private func noteRetracted(
        _ block: BlockNumber, _ offset: Int, _ scalars: Int, _ record: inout SessionRecord
    ) throws(Violation) {
        try require(
            record.isWritten && scalars > 0 && isPermitted(record), .textGrows,
            "\(block) is taken back \(scalars)")
        guard record.knows(block) else {
            try require(
                record.owedRetractions.remove(block) != nil, .textGrows, "\(block) taken back unasked")
            let final = record.finals.last { $0.block == block }
            let text = final?.text.stable(isWritten: true).unicodeScalars.count
            return try require(
                text == offset, .textGrows, "\(block) taken back to \(offset), is \(String(describing: text))"
            )
        }
        guard record.isFollowed else { return }
        let sent = record.sent(block).unicodeScalars
        try require(
            sent.count == offset + scalars, .textGrows, "\(scalars) taken back of \(sent) to \(offset)")
        record.setSent(String(String.UnicodeScalarView(sent.prefix(offset))), of: block)
    }

    private func noteCommand(_ phrase: String, _ record: inout SessionRecord) throws(Violation) {
        try require(phrase == record.owedCommand, .textGrows, "Command \(phrase) was not said, or again")
        record.owedCommand = nil
        guard record.isFollowed, record.options.sendsPartials, record.sentBlock == record.block else {
            return
        }
        let text = record.text(record.block)
        try require(
            record.sentText == text, .textGrows, "Command before its text: told \(record.sentText) of \(text)"
        )
    }
}

extension SessionSignal {
    fileprivate var hasText: Bool {
        switch self {
        case .partial, .final, .retracted, .command, .level: true
        default: false
        }
    }
}
