// Timeouts.

extension Session {
    enum DeadlineKind {
        /// Nothing to do except to reconcile: a retry is due.
        case recheck
        /// A delayed Partial is sent by reconciling.
        case partial
        /// The silence after a number is long enough to end it.
        case endOfPhrase
        /// Nobody uses a restored session.
        case unclaimed
        case openTimeout, idlePause, idleStop, engineTimeout, resumeLimit, endOfGrace
    }

    func deadlines(holdsMicrophone: Bool, _ context: SessionContext) -> [(when: Duration, what: DeadlineKind)]
    {
        let settings = context.settings
        var deadlines: [(when: Duration, what: DeadlineKind)] = []
        if engine == .unsettled {
            // What settles the options has its own timeouts.
        } else if !waitsForDecoder, engine == .opening || hasUndecodedCommits {
            deadlines.append((lastProgress + settings.commitTimeout, .engineTimeout))
        } else if waitsForDecoder, hasUndecodedCommits {
            // Other sessions have all decoders. A commit has a limit nevertheless.
            deadlines.append((lastProgress + settings.commitTimeout * 2, .engineTimeout))
        }
        if let ending {
            if let deadline = ending.deadline { deadlines.append((deadline, .endOfGrace)) }
            return deadlines
        }
        if stream == .closed, let retry = streamRetry,
            mayListen(holdsMicrophone: holdsMicrophone, context)
        {
            deadlines.append((retry.retryTime, .recheck))
        }
        if wantsToListen, case .gone(let retryTime) = engine {
            deadlines.append((retryTime, .recheck))
        }
        if usesMicrophone, case .opening(_, let since) = stream {
            deadlines.append((since + settings.openTimeout, .openTimeout))
        }
        if maySendPartial(context), block.hasUnsentText {
            deadlines.append((nextPartial, .partial))
        }
        if let phraseEnd { deadlines.append((phraseEnd, .endOfPhrase)) }
        if let unclaimedUntil { deadlines.append((unclaimedUntil, .unclaimed)) }
        if options.lingers || options.outlastsConnection {
            if wantsToListen {
                deadlines.append((lastActivity + settings.idlePause, .idlePause))
            }
            deadlines.append((lastActivity + settings.idleStop, .idleStop))
        }
        if wantsToListen, let interruption,
            let limit = reasons.compactMap({ settings.resumeLimits[$0] }).min()
        {
            // During sleep no timeout fires: this one is then late until the computer wakes up.
            deadlines.append((interruption.began + limit - context.slept, .resumeLimit))
        }
        return deadlines
    }

    /// When the silence is long enough to end a number: nil during speech, and while its text is missing.
    private var phraseEnd: Duration? {
        guard let speechEnd, speechEnd.block == block.number, block.hasHeldWords,
            block.hasText(until: speechEnd.seconds)
        else { return nil }
        return max(speechEnd.time, lastProgress) + .milliseconds(Int(Pause.closing * 1000))
    }

    mutating func expire(
        _ due: DeadlineKind, at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        switch due {
        case .recheck, .partial:
            break
        case .endOfPhrase:
            let events = block.endPhrase()
            carryOut(events, said: block.number, at: now, context, &effects)
        case .unclaimed:
            stop(because: .abandoned, &effects)
        case .openTimeout:
            if stream.id != nil { failStream(.stalled, at: now, context, &effects) }
        case .idlePause:
            commitRemainingText(at: now, context, &effects)
            pause(because: .idle)
        case .idleStop:
            commitRemainingText(at: now, context, &effects)
            stop(because: .abandoned, &effects)
        case .engineTimeout:
            loseEngine(
                Refusal(
                    .timeout, "The recogniser has not responded for \(context.settings.commitTimeout)."),
                at: now, context, &effects)
        case .resumeLimit:
            pause(because: .resumeLimit)
        case .endOfGrace:
            endGrace(context, &effects)
        }
    }

    private mutating func commitRemainingText(
        at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        guard !block.isEmpty, isPermitted else { return }
        commit(for: nil, at: now, context, &effects)
    }
}
