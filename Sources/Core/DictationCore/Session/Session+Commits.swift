// Commits in progress. Every commit has exactly one outcome.

extension Session {
    /// Ends the current block and begins the next.
    /// - Parameter waiter: the call that gets the text; nil for an automatic commit.
    mutating func commit(
        for waiter: Waiter?, at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        let block = block
        if commits.isEmpty { lastProgress = now }
        commits.append(Commit(block: block, waiter: waiter, isAutomatic: waiter == nil))
        cause = .committed
        beginNextBlock()
        if engine.isGone {
            settleCommits(
                Refusal(.engineFailed, "The engine failed and is being restarted."), context, &effects)
            record(.endBlock(block.number), &effects)
        } else {
            command(.endBlock(block.number), &effects)
            record(.endBlock(block.number), &effects)
        }
    }

    mutating func beginNextBlock() {
        block = Block(number: block.number + 1, formatting: options.formatting)
    }

    /// Refuses every commit in progress. Its text is not kept.
    mutating func abandonCommits(_ refusal: Refusal, _ effects: inout [Effect]) {
        for waiter in commits.compactMap(\.waiter) { effects.append(.refuse(waiter.call, refusal)) }
        commits = []
    }

    /// Refuses the commits in progress of callers that may no longer read the session's text.
    mutating func refuseUnpermittedReaders(_ context: SessionContext, _ effects: inout [Effect]) {
        for index in commits.indices {
            guard let waiter = commits[index].waiter,
                let refusal = refusal(of: .read, by: waiter.client, context)
            else { continue }
            effects.append(.refuse(waiter.call, refusal))
            commits[index].waiter = nil
        }
    }

    /// Finishes the commits in progress without the recogniser. Each gets the text so far, or this refusal if there was
    /// sound but no text.
    /// - Parameter isSent: the session has sent this refusal as an Error already.
    mutating func settleCommits(
        _ refusal: Refusal, isSent: Bool = false, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        let commits = commits
        self.commits = []
        for commit in commits { settle(commit, refusal, isSent: isSent, context, &effects) }
    }

    private mutating func settle(
        _ commit: Commit, _ refusal: Refusal, isSent: Bool = false, _ context: SessionContext,
        _ effects: inout [Effect]
    ) {
        var commit = commit
        let wasHeard = commit.block.wasHeard
        if wasHeard {
            takeBackEarlierText(commit.block.loseSegment())
            sendRetraction(of: &commit.block, context, &effects)
        }
        if wasHeard, commit.block.isEmpty {
            if let waiter = commit.waiter {
                effects.append(.refuse(waiter.call, refusal))
            } else if !isSent, isFinishing, interruption?.hasSentError != true {
                // No call waits: the Error says that the block has no Final.
                interruption?.hasSentError = true
                send(.error(refusal), context, &effects)
            }
        } else {
            finish(
                commit, duration: Double(commit.block.capturedFrames) / sampleRate, context, &effects)
        }
    }

    mutating func finish(
        _ number: BlockNumber, duration: Double, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        guard let position = commits.firstIndex(where: { $0.block.number == number }) else { return }
        // Events come in the order of the audio: blocks before this one will not be finished any more.
        let passedOver = commits[..<position]
        let commit = commits[position]
        commits.removeSubrange(...position)
        for commit in passedOver {
            settle(commit, Refusal(.engineFailed, "The recogniser lost this block."), context, &effects)
        }
        engineFailures = 0
        finish(commit, duration: duration, context, &effects)
    }

    private mutating func finish(
        _ commit: Commit, duration: Double, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        var commit = commit
        takeBackEarlierText(commit.block.close())
        sendRetraction(of: &commit.block, context, &effects)
        let block = FinishedBlock(commit, duration: duration, by: options.transcription)
        finals.append(block)
        if finals.count > Self.keptFinals { finals.removeFirst() }
        cause = .committed
        send(.final(block), context, &effects)
        if let waiter = commit.waiter { effects.append(.reply(waiter.call, .committed(block))) }
    }

    /// Runs `body` on the block of this number if it is the current one or is being committed.
    /// - Returns: nil if the block was cancelled or is finished.
    @discardableResult
    mutating func withBlock<Result>(_ number: BlockNumber, _ body: (inout Block) -> Result) -> Result? {
        if block.number == number { return body(&block) }
        guard let index = commits.firstIndex(where: { $0.block.number == number }) else { return nil }
        return body(&commits[index].block)
    }
}
