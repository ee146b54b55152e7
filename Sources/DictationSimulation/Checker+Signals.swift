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
        case .resumed(let reason, let ended): try noteResumed(reason, ended.reasons, &account)
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
        case .routeChanged(_, _, let current):
            try require(
                current != nil && capture?.session == id, .truthfulState, "a route without a stream")
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

    private func noteInterrupted(
        _ reason: Reason, _ all: [Reason], _ account: inout Account
    ) throws(Violation) {
        try require(!account.isInterrupted, .episodeGrammar, "Interrupted within an interruption")
        try require(
            account.wantsToListen && all.contains(reason), .episodeGrammar, "\(reason) of \(all), or unwanted"
        )
        account.isInterrupted = true
        account.errors = 0
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
        guard account.isInterrupted, refusal.message != Outside.segmentFailure,
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
