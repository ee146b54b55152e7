import DictationCore

// What is told of a session.

extension Checker {
    mutating func note(_ signal: SessionSignal, of id: SessionID, to audience: Audience) throws(Violation) {
        guard var account = accounts[id] else {
            return try noteLast(signal, of: id, to: audience)
        }
        try require(account.isAnnounced, .replyBeforeSignals, "\(signal) of \(id.rawValue)")
        try check(audience, self.audience(of: account, text: signal.tellsText))
        defer { accounts[id] = account }
        switch signal {
        case .interrupted(let reason, let all): try noteInterrupted(reason, all, &account)
        case .resumed(let reason, let ended):
            try noteResumed(reason, ended.reasons, &account)
            try require(
                ended.droppedFrames == account.counts.droppedInInterruption, .truthfulNumbers,
                "\(ended.droppedFrames) lost, counted \(account.counts)")
        case .stateChanged(let state, let cause, let reasons, let pending):
            try noteState(state, cause, Set(reasons), pending, &account)
        case .error(let refusal): try noteError(refusal, &account)
        case .partial(let block, let offset, let stable, let volatile):
            try notePartial(block, offset, stable, volatile, &account)
        case .final(let finished): try noteFinished(finished, of: &account)
        case .level:
            try require(
                account.options.sendsLevels && (capture?.isFlowing == true || account.isReading),
                .truthfulState,
                "a level without sound")
        case .routeChanged(let reason, let previous, let current):
            try require(
                current != nil && capture?.session == id, .truthfulState, "a route without a stream")
            try noteRoute(reason, from: previous, to: current, &account)
        case .retracted, .command:
            throw Violation(.textGrows, "\(signal) of a session whose words are text")
        case .stopped:
            throw Violation(.episodeGrammar, "\(id.rawValue) is told to be over and is not")
        }
    }

    /// Stopped, once, for a session that is over.
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
        _ reason: RouteChangeReason, from previous: Route?, to current: Route?, _ account: inout Account
    ) throws(Violation) {
        let (old, new) = (previous?.source.name, current?.source.name)
        try require(
            new == account.link.source, .truthfulRoute, "told \(String(describing: new)) of \(account.link)")
        if reason == .profileChanged {
            return try require(
                old == new && !account.link.isOwed, .truthfulRoute, "another microphone's profile")
        }
        try require(account.link.isOwed, .truthfulRoute, "\(reason) without a change, or again")
        account.link.isOwed = false
        try require(old == account.link.previous, .truthfulRoute, "from \(String(describing: old))")
        try require(
            (reason == .serverRestarted) == account.link.isAfterRestart, .truthfulRoute,
            "\(reason) after \(account.link)")
        guard reason != .serverRestarted else { return }
        let isThere = old.map { audio?.sources[$0] != nil } ?? false
        let isNew = new.flatMap { arrivals[$0] }.map { now - $0 < .seconds(2) } ?? false
        let isAsIs =
            switch reason {
            case .deviceRemoved: !isThere
            case .deviceFailed: isThere && account.hasEverFailed
            case .newDevice: isThere && isNew
            case .selected: isThere && !isNew && new.map { preferences(of: account).contains($0) } ?? false
            default: isThere && !isNew
            }
        try require(isAsIs, .truthfulRoute, "\(reason): \(isThere) \(isNew), \(account.link)")
    }

    private func noteInterrupted(
        _ reason: Reason, _ all: [Reason], _ account: inout Account
    ) throws(Violation) {
        try require(!account.isInterrupted, .episodeGrammar, "Interrupted within an interruption")
        try require(
            account.wantsToListen && all.contains(reason), .episodeGrammar, "\(reason) of \(all), or unwanted"
        )
        account.isInterrupted = true
        account.errors = 0
        account.counts.interrupt(account.block)
    }

    private func noteResumed(_ reason: Reason, _ all: [Reason], _ account: inout Account) throws(Violation) {
        try require(account.isInterrupted, .episodeGrammar, "Resumed without Interrupted")
        try require(all.contains(reason), .episodeGrammar, "\(reason) is none of \(all)")
        let flows =
            account.usesMicrophone
            ? capture.map { $0.session == account.id && $0.isFlowing } ?? false
            : account.isReading && account.hasRead
        try require(flows, .episodeGrammar, "Resumed and no sound flows")
        account.isInterrupted = false
    }

    private func noteState(
        _ state: SessionState, _ cause: StateCause, _ reasons: Set<Reason>, _ pending: Int,
        _ account: inout Account
    ) throws(Violation) {
        try require(
            state != account.state || reasons != account.reasons || pending != account.pending,
            .truthfulState,
            "\(state) told twice")
        switch cause {
        case .idle:
            try require(account.options.lingers, .truthfulState, "idle, and does not linger")
            account.wants = false
        case .resumeLimit:
            try require(!settings.resumeLimits.isEmpty, .truthfulState, "there is no limit")
            account.wants = false
        case .stopped: account.isEnding = try mayEnd(account)
        default: break
        }
        switch state {
        case .paused: account.isInterrupted = false
        case .interrupted:
            try require(account.isInterrupted, .episodeGrammar, "interrupted without Interrupted")
        default: try require(!account.isInterrupted, .episodeGrammar, "\(state) within an interruption")
        }
        account.state = state
        account.reasons = reasons
        account.pending = pending
    }

    private func noteError(_ refusal: Refusal, _ account: inout Account) throws(Violation) {
        guard account.isInterrupted, refusal.message != SimulatedWorld.segmentFailure,
            refusal.kind != .unsupportedFormat, refusal.kind != .invalidArguments
        else { return }
        account.errors += 1
        try require(account.errors == 1, .oneErrorPerEpisode, "\(refusal)")
    }

    private func notePartial(
        _ block: BlockNumber, _ offset: Int, _ stable: String, _ volatile: String, _ account: inout Account
    ) throws(Violation) {
        try require(block == account.block, .textGrows, "of block \(block), not \(account.block)")
        let isBeginning = stable.isEmpty && volatile.isEmpty && offset == 0
        try require(
            account.options.sendsPartials && (isBeginning || (isPermitted(account) && !account.isEnding)),
            .rightAudience, "a Partial that may not be")
        if block != account.toldBlock {
            account.toldBlock = block
            account.toldText = ""
        }
        let text = account.text(block).unicodeScalars
        if !account.isFollowed {
            account.toldText = String(String.UnicodeScalarView(text.prefix(offset)))
            account.isFollowed = true
        }
        try require(
            offset == account.toldText.unicodeScalars.count, .textGrows,
            "offset \(offset) behind \(account.toldText)")
        account.toldText += stable
        account.toldVolatile = volatile
        try require(
            text.starts(with: account.toldText.unicodeScalars), .textGrows,
            "told \(account.toldText), heard \(account.text(block))")
    }
}

extension SessionSignal {
    fileprivate var tellsText: Bool {
        switch self {
        case .partial, .final, .retracted, .command, .level: true
        default: false
        }
    }
}
