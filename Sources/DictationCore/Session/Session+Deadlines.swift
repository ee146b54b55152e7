// What happens because nothing happened.

extension Session {
    enum Due {
        /// Only to be looked at again: reconciling does it.
        case nothing
        /// Text was held back, and is told now.
        case partial
        case openTimeout, idlePause, idleStop, engineTimeout, resumeLimit, endOfGrace
    }

    func deadlines(holdsMicrophone: Bool, _ context: SessionContext) -> [(when: Duration, what: Due)] {
        let settings = context.settings
        var deadlines: [(when: Duration, what: Due)] = []
        if !waitsForDecoder, engine == .opening || !commits.isEmpty {
            deadlines.append((lastProgress + settings.commitTimeout, .engineTimeout))
        }
        if let ending {
            if let deadline = ending.deadline { deadlines.append((deadline, .endOfGrace)) }
            return deadlines
        }
        if stream == .closed, let trouble = streamTrouble,
            mayListen(holdsMicrophone: holdsMicrophone, context)
        {
            deadlines.append((trouble.retryAt, .nothing))
        }
        if wantsToListen, case .gone(let retryAt) = engine {
            deadlines.append((retryAt, .nothing))
        }
        if usesMicrophone, case .opening(_, let since) = stream {
            deadlines.append((since + settings.openTimeout, .openTimeout))
        }
        if mayTellPartial(context), block.hasUntoldText {
            deadlines.append((nextPartial, .partial))
        }
        if options.lingers {
            if wantsToListen {
                deadlines.append((lastActivity + settings.idlePause, .idlePause))
            }
            deadlines.append((lastActivity + settings.idleStop, .idleStop))
        }
        if wantsToListen, let episode,
            let limit = reasons.compactMap({ settings.resumeLimits[$0] }).min()
        {
            // Found out at the latest when the computer wakes up.
            deadlines.append((episode.began + limit - context.slept, .resumeLimit))
        }
        return deadlines
    }

    mutating func expire(
        _ due: Due, at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        switch due {
        case .nothing, .partial:
            break
        case .openTimeout:
            if stream.id != nil { failStream(.stalled, at: now, context, &effects) }
        case .idlePause:
            commitLeftText(at: now, context, &effects)
            pause(because: .idle)
        case .idleStop:
            commitLeftText(at: now, context, &effects)
            stop(because: .abandoned, &effects)
        case .engineTimeout:
            loseEngine(
                Refusal(
                    .timeout, "The recogniser gave no sign of life for \(context.settings.commitTimeout)."),
                at: now, context, &effects)
        case .resumeLimit:
            pause(because: .resumeLimit)
        case .endOfGrace:
            settleCommits(Refusal(.cancelled, "The service is ending."), context, &effects)
        }
    }

    private mutating func commitLeftText(
        at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        guard !block.isEmpty, isPermitted else { return }
        commit(for: nil, at: now, context, &effects)
    }
}
