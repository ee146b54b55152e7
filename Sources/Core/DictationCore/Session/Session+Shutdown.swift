// The end of the service.

extension Session {
    /// The service ends: the block is committed and the session stops. What nobody would read waits for the next service
    /// instead, as after a crash.
    /// - Parameter deadline: commits that are not finished by then get the text so far.
    mutating func shutDown(
        by deadline: Duration, at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        if ending == nil {
            closeStream(&effects)
            if isPermitted, isWorthLeaving, !hasReader(context) {
                ending = Ending(reason: .shutdown, isLeft: true)
                cause = .stopped
                record(.finish, &effects)
            } else {
                // Whether the sound that waits is speech is not known yet.
                let mayHoldSpeech = block.holdsSpeech || engine == .unsettled && block.wasHeard
                if isPermitted, mayHoldSpeech { commit(for: nil, at: now, context, &effects) }
                stop(because: .shutdown, &effects)
            }
        }
        ending?.waitsForPermission = false
        ending?.deadline = deadline
    }

    /// There is text, or speech, that is in the journal.
    private var isWorthLeaving: Bool {
        usesMicrophone && (block.holdsSpeech || commits.contains { $0.waiter == nil })
    }

    /// Whether anybody gets the session's text now. The owner of a restored session does not know yet that it is back.
    private func hasReader(_ context: SessionContext) -> Bool {
        guard unclaimedUntil == nil else { return false }
        return options.broadcasts || owner != nil
            || context.subscriptions.contains { mayFollowText($0, context) }
    }

    /// The time for commits at shutdown is over.
    mutating func endGrace(_ context: SessionContext, _ effects: inout [Effect]) {
        recording?.isOpen = false
        guard ending?.isLeft == true else {
            return finishCommits(Refusal(.cancelled, "The service is ending."), context, &effects)
        }
        let refusal = Refusal(
            .cancelled, "The service is ending, and keeps the text for its next start.")
        for index in commits.indices {
            guard let waiter = commits[index].waiter else { continue }
            effects.append(.refuse(waiter.call, refusal))
            commits[index].waiter = nil
        }
    }

    /// Whether nothing remains to be done before the session can end.
    var isDone: Bool {
        guard let ending, recording?.isOpen != true else { return false }
        if ending.isLeft { return commits.allSatisfy { $0.waiter == nil } }
        // Without permission, finished commits wait.
        let isWaiting = hasUndecodedCommits || commits.contains(where: \.isFiltering)
        return commits.isEmpty || (!isWaiting && !ending.waitsForPermission)
    }

    /// The blocks that must survive the end of the service.
    var uncommitted: [UncommittedBlock] {
        guard usesMicrophone, isPermitted else { return [] }
        let isOpen = ending.map(\.isLeft) ?? true
        return (commits.map(\.block) + (isOpen ? [block] : [])).map { block in
            UncommittedBlock(
                number: block.number, texts: block.taken, droppedFrames: block.droppedFrames,
                isWithheld: block.isWithheld)
        }
    }
}
