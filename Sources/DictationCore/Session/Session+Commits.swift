// Blocks on their way to their text. Every commit has exactly one outcome.

extension Session {
    /// Ends the current block and begins the next. `waiter` is told its text; nil where nobody asked.
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
                Refusal(.engineFailed, "The engine is gone, and is being started anew."), context, &effects)
        } else {
            command(.endBlock(block.number), &effects)
        }
    }

    mutating func beginNextBlock() {
        block = Block(number: block.number + 1, formatting: options.formatting)
    }

    /// Every commit in progress is answered with this refusal; its text is not kept.
    mutating func abandonCommits(_ refusal: Refusal, _ effects: inout [Effect]) {
        for waiter in commits.compactMap(\.waiter) { effects.append(.refuse(waiter.call, refusal)) }
        commits = []
    }

    /// Who may no longer read the session's text is not told that of the commits in progress either.
    mutating func refuseReaders(_ context: SessionContext, _ effects: inout [Effect]) {
        for index in commits.indices {
            guard let waiter = commits[index].waiter,
                let refusal = refusal(of: .read, by: waiter.client, context)
            else { continue }
            effects.append(.refuse(waiter.call, refusal))
            commits[index].waiter = nil
        }
    }

    /// No recogniser will finish the commits in progress: each gets the text that there is, or, where sound was
    /// heard and nothing understood, this refusal.
    /// - Parameter isTold: the refusal was told to the session already.
    mutating func settleCommits(
        _ refusal: Refusal, isTold: Bool = false, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        let commits = commits
        self.commits = []
        for commit in commits { settle(commit, refusal, isTold: isTold, context, &effects) }
    }

    private mutating func settle(
        _ commit: Commit, _ refusal: Refusal, isTold: Bool = false, _ context: SessionContext,
        _ effects: inout [Effect]
    ) {
        var commit = commit
        let wasHeard = commit.block.wasHeard
        if wasHeard {
            tellRetractions(commit.block.loseSegment(), of: commit.block.number, context, &effects)
        }
        if wasHeard, commit.block.isEmpty {
            if let waiter = commit.waiter {
                effects.append(.refuse(waiter.call, refusal))
            } else if !isTold, isFinishing, episode?.hasToldError != true {
                // Nobody would learn otherwise that a block has no Final.
                episode?.hasToldError = true
                tell(.error(refusal), context, &effects)
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
        // The recogniser tells in the order of the sound: what it passed over it will not tell any more.
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
        tellRetractions(commit.block.close(), of: commit.block.number, context, &effects)
        let block = FinishedBlock(commit, duration: duration, by: options.transcription)
        finals.append(block)
        if finals.count > Self.keptFinals { finals.removeFirst() }
        cause = .committed
        tell(.final(block), context, &effects)
        if let waiter = commit.waiter { effects.append(.reply(waiter.call, .committed(block))) }
    }

    /// Runs `body` on the block of this number, current or on its way to its text; a block that was cancelled or
    /// is finished is not there.
    @discardableResult
    mutating func withBlock<Result>(_ number: BlockNumber, _ body: (inout Block) -> Result) -> Result? {
        if block.number == number { return body(&block) }
        guard let index = commits.firstIndex(where: { $0.block.number == number }) else { return nil }
        return body(&commits[index].block)
    }
}
