import DictationCore

// What has to be so when an event has been dealt with, and what when nothing is left to do.

extension Checker {
    func check(_ account: Account, nextDeadline: Duration?) throws(Violation) {
        let id = account.id.rawValue
        try require(account.isAnnounced, .replyBeforeSignals, "\(id) is not announced")
        try require(
            account.owner != nil || account.options.lingers, .nothingForTheDead, "\(id) outlives its owner")
        try require(
            account.pending == account.commits.count, .truthfulState,
            "\(id): \(account.pending) pending, really \(account.commits.count)")
        try require(!ended.contains(account.id), .nothingForTheDead, "\(id) is back")
        if account.engine == .opening || account.engine == .ready {
            let isInStep =
                account.engineBlock == account.block
                || (account.isEnding && account.engineBlock == account.block + 1)
            try require(
                isInStep, .recogniserInStep, "\(id): \(account.engineBlock), session \(account.block)")
        }
        try require(!account.link.isOwed, .truthfulRoute, "\(id) is not told \(account.link)")
        try checkTime(account)
        try checkState(account)
        try checkText(account, nextDeadline: nextDeadline)
    }

    private func checkTime(_ account: Account) throws(Violation) {
        let id = account.id.rawValue
        if let block = account.silentBlock {
            try require(account.block > block, .commitsInTime, "\(id): silence did not commit \(block)")
        }
        guard account.options.lingers, !account.isEnding else { return }
        let left = now - account.lastActivity
        try require(left < settings.idleStop, .commitsInTime, "\(id) goes on after \(left)")
        try require(
            !account.wantsToListen || left < settings.idlePause, .commitsInTime, "\(id) listens after \(left)"
        )
    }

    private func checkState(_ account: Account) throws(Violation) {
        let id = account.id.rawValue
        guard account.wantsToListen else {
            return try require(
                account.state == .paused && account.reasons.isEmpty && !account.isInterrupted, .truthfulState,
                "\(id) is not wanted and \(account.state)")
        }
        let (must, may) = ownReasons(account)
        var allowed = must.union(may)
        if account.hasStreamTrouble { allowed.formUnion([.noSource, .audioServerLost]) }
        let isPreempted =
            account.usesMicrophone && ownReasonsTold(account).isEmpty && holder?.id != account.id
        if isPreempted || isAmbiguous { allowed.insert(.preempted) }
        try require(
            must.isSubset(of: account.reasons) && account.reasons.isSubset(of: allowed)
                && (!isPreempted || isAmbiguous || account.reasons.contains(.preempted)),
            .truthfulState, "\(id) is told \(account.reasons), holding \(must), perhaps \(allowed)")
        let flows =
            account.usesMicrophone
            ? capture.map { $0.session == account.id && $0.isFlowing } ?? false
            : account.isReading && account.hasRead
        let expected: Set<SessionState> =
            !account.reasons.isEmpty ? [.interrupted] : flows ? [.listening] : [.starting, .interrupted]
        try require(
            expected.contains(account.state), .truthfulState,
            "\(id) is \(account.state), should be \(expected)")
    }

    private func checkText(_ account: Account, nextDeadline: Duration?) throws(Violation) {
        guard account.options.sendsPartials, account.isFollowed, !account.isEnding, isPermitted(account),
            !isCongested, hasTextAudience(account)
        else { return }
        let told = account.toldBlock == account.block ? account.toldText + account.toldVolatile : ""
        let heard = account.text(account.block) + account.volatile(account.block)
        let isDue = nextDeadline.map { $0 <= now + settings.partialInterval } ?? false
        try require(told == heard || isDue, .textGrows, "told \(told), heard \(heard)")
    }

    func checkStream(nextDeadline: Duration?) throws(Violation) {
        if let capture {
            let account = accounts[capture.session]
            try require(
                isAmbiguous || account.map { mayListen($0) } ?? false, .captureIffListening,
                "open for \(capture.session.rawValue)")
        }
        if let holder, !isAmbiguous, mayListen(holder), capture?.session != holder.id {
            try require(holder.hasStreamTrouble, .latestHasTheMicrophone, "\(holder.id.rawValue) has none")
            let isTried = nextDeadline.map { $0 <= now + .seconds(5) } ?? false
            try require(isTried, .nothingOverdue, "nothing is tried for \(holder.id.rawValue)")
        }
        try require(ending.isEmpty, .episodeGrammar, "\(ending.keys) are over and nobody was told")
        for account in accounts.values where !account.usesMicrophone {
            try require(
                account.isReading == mayListen(account), .captureIffListening,
                "\(account.id.rawValue) reads: \(account.isReading)")
        }
    }

    func checkProperties(_ properties: WorldProperties) throws(Violation) {
        try require(
            properties.isInUse == (capture != nil), .truthfulState, "InUse \(properties.isInUse)")
        try require(properties.isInUse || properties.route == nil, .truthfulState, "a route without a stream")
        let foremost =
            capture.flatMap { accounts[$0.session] }
            ?? accounts.values.filter { $0.usesMicrophone && !$0.isEnding }
            .max { ($0.wants ? 1 : 0, $0.stamp) < ($1.wants ? 1 : 0, $1.stamp) }
        try require(
            properties.state == foremost?.state ?? .idle, .truthfulState,
            "State \(properties.state), the session is \(String(describing: foremost?.state))")
    }

    /// To be called at the end of an event, after the checks: who was not listening has missed what was told.
    mutating func turnPage() {
        for (id, account) in accounts {
            if !hasTextAudience(account) { accounts[id]?.isFollowed = false }
            if account.toldBlock != account.block {
                accounts[id]?.toldBlock = account.block
                accounts[id]?.toldText = ""
                accounts[id]?.toldVolatile = ""
            }
        }
    }

    /// What is not as it is wanted though nothing stands in the way.
    var unsettledReason: String? {
        if let call = calls.first { return "call \(call.key.rawValue) \(call.value.request) is not answered" }
        for account in accounts.values.sorted(by: { $0.id < $1.id }) {
            let id = account.id.rawValue
            if account.isEnding { return "\(id) does not end" }
            if !account.commits.isEmpty { return "\(id) owes \(account.commits.count) commits" }
            guard account.wants else { continue }
            if account.usesMicrophone {
                let expected: SessionState = holder?.id == account.id ? .listening : .interrupted
                if account.state != expected { return "\(id) is \(account.state), not \(expected)" }
            } else if !account.isReading {
                return "\(id) does not read"
            }
        }
        return nil
    }
}
