// Commits in progress. Every commit has exactly one outcome: Final, with the reply to the call that waits for it, or a
// refusal of that call, or an Error if no call waits. Without permission the outcome waits until the permission returns.

extension Session {
    /// Ends the current block and begins the next.
    /// - Parameter waiter: the call that gets the text; nil for an automatic commit.
    mutating func commit(
        for waiter: Waiter?, at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        let block = block
        if !hasUndecodedCommits { lastProgress = now }
        commits.append(Commit(block: block, waiter: waiter, isAutomatic: waiter == nil))
        cause = .committed
        beginNextBlock()
        if engine.isGone {
            finishCommits(
                Refusal(.engineFailed, "The engine failed and is being restarted."), context, &effects)
            record(.endBlock(block.number), &effects)
        } else {
            command(.endBlock(block.number), &effects)
            record(.endBlock(block.number), &effects)
        }
    }

    mutating func beginNextBlock() {
        block = Block(
            number: block.number + 1, formatting: options.formatting, cleanUp: options.cleanUp,
            isFiltered: options.filter != nil)
        block.isSecret = !keepsTexts
        block.isWithheld = hasSecretField
    }

    /// The recogniser works on a commit.
    var hasUndecodedCommits: Bool { commits.contains { $0.outcome == nil } }

    /// Refuses every commit in progress, because nobody reads their text.
    mutating func abandonCommits(_ refusal: Refusal, _ effects: inout [Effect]) {
        for waiter in commits.compactMap(\.waiter) { effects.append(.refuse(waiter.call, refusal)) }
        commits = []
    }

    /// The session ends without permission: an Error says that commits are lost whose callers do not know it.
    mutating func abandonUnpermittedCommits(_ context: SessionContext, _ effects: inout [Effect]) {
        let isTextLost = commits.contains { !$0.wasRefused && !$0.block.isEmpty }
        commits = []
        guard isTextLost, let refusal = permission.refusal(of: options.resources) else { return }
        send(
            .error(
                Refusal(refusal.kind, "The session ended without permission: committed text was not sent.")),
            context, &effects)
    }

    /// Refuses the calls of those who may no longer read the session's text. The commits continue: the owner and the
    /// subscribers get Final, now or when the permission returns.
    mutating func refuseUnpermittedReaders(_ context: SessionContext, _ effects: inout [Effect]) {
        for index in commits.indices {
            guard let waiter = commits[index].waiter,
                let refusal = refusal(of: .read, by: waiter.client, context)
            else { continue }
            effects.append(.refuse(waiter.call, refusal))
            commits[index].waiter = nil
            commits[index].wasRefused = true
        }
    }

    /// Finishes the commits in progress without the recogniser. Each gets the text so far, or this refusal if there was
    /// sound but no text.
    /// - Parameter isSent: the session sends this refusal as an Error anyway.
    mutating func finishCommits(
        _ refusal: Refusal, isSent: Bool = false, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        for index in commits.indices { commits[index].useUnfilteredText() }
        sendOutcomes(context, &effects)
        while let index = nextUndecodedCommit {
            finishCommit(index, refusal, isSent: isSent, context, &effects)
        }
    }

    private var nextUndecodedCommit: Int? { commits.firstIndex { $0.outcome == nil } }

    private mutating func finishCommit(
        _ index: Int, _ refusal: Refusal, isSent: Bool = false, _ context: SessionContext,
        _ effects: inout [Effect]
    ) {
        let wasHeard = commits[index].block.wasHeard
        if wasHeard {
            let events = commits[index].block.loseSegment()
            takeBackEarlierText(events)
            sendRetractions(ofCommit: index, context, &effects)
        }
        if wasHeard, commits[index].block.isEmpty {
            commits[index].outcome = .failed(refusal, isSent: isSent)
            sendOutcomes(context, &effects)
        } else {
            let duration = Double(commits[index].block.capturedFrames) / sampleRate
            finish(index, duration: duration, context, &effects)
        }
    }

    mutating func finish(
        _ number: BlockNumber, duration: Double, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        guard commits.contains(where: { $0.block.number == number && $0.outcome == nil }) else { return }
        // Events come in the order of the audio: blocks before this one will not be finished any more.
        while let index = nextUndecodedCommit, commits[index].block.number != number {
            finishCommit(index, Refusal(.engineFailed, "The recogniser lost this block."), context, &effects)
        }
        engineFailures = 0
        if let index = nextUndecodedCommit { finish(index, duration: duration, context, &effects) }
    }

    private mutating func finish(
        _ index: Int, duration: Double, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        let events = commits[index].block.close()
        takeBackEarlierText(events)
        sendRetractions(ofCommit: index, context, &effects)
        let block = FinishedBlock(commits[index], duration: duration, by: options.transcription)
        if let filter = options.filter, !block.text.isEmpty {
            commits[index].outcome = .filtering(block)
            effects.append(.filter(id, block.number, block.text, by: filter, language: block.language))
        } else {
            commits[index].outcome = .finished(block)
        }
        sendOutcomes(context, &effects)
    }

    /// The user's program has answered.
    mutating func filtered(
        _ number: BlockNumber, _ text: FilteredText, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        guard let index = commits.firstIndex(where: { $0.block.number == number }),
            case .filtering(var block) = commits[index].outcome
        else { return }
        block.apply(text)
        commits[index].outcome = .finished(block)
        sendOutcomes(context, &effects)
    }

    /// Sends the outcomes of the oldest commits that are finished, if the session may send text.
    mutating func sendOutcomes(_ context: SessionContext, _ effects: inout [Effect]) {
        while isPermitted, let commit = commits.first, let outcome = commit.outcome, !commit.isFiltering {
            commits.removeFirst()
            switch outcome {
            case .filtering: break
            case .finished(let block):
                finals.append(block)
                if finals.count > Self.keptFinals { finals.removeFirst() }
                cause = .committed
                send(.final(block), context, &effects)
                if !block.text.isEmpty { keep(block, &effects) }
                if let waiter = commit.waiter { effects.append(.reply(waiter.call, .committed(block))) }
            case .failed(let refusal, let isSent):
                if let waiter = commit.waiter {
                    effects.append(.refuse(waiter.call, refusal))
                } else if !isSent, queuedError == nil, interruption?.hasSentError != true {
                    // No call waits: the Error says that the block has no Final.
                    interruption?.hasSentError = true
                    send(.error(refusal), context, &effects)
                }
            }
        }
    }

    /// Runs `body` on the block of this number if it is the current one or is being committed.
    /// - Returns: nil if the block was cancelled or is finished.
    @discardableResult
    mutating func withBlock<Result>(_ number: BlockNumber, _ body: (inout Block) -> Result) -> Result? {
        if block.number == number { return body(&block) }
        guard
            let index = commits.firstIndex(where: { $0.block.number == number && $0.outcome == nil })
        else { return nil }
        return body(&commits[index].block)
    }
}
