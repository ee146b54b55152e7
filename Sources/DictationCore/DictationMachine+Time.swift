// What happens because nothing happened.

extension DictationMachine {
    /// Does what is due.
    mutating func expire(at now: Duration) {
        world.expire(at: now)
        let holder = findMicrophoneHolder()
        for id in sessions.map(\.id) {
            guard let index = index(of: id) else { continue }
            for deadline in deadlines(of: sessions[index], holder: holder) where deadline.when <= now {
                expire(deadline.what, of: index, at: now)
            }
        }
    }

    enum Due {
        /// Only to be looked at again: reconciling does it.
        case nothing
        /// Text was held back, and is told now.
        case partial
        case openTimeout, idlePause, idleStop, engineTimeout, resumeLimit, endOfGrace
    }

    func deadlines(of session: Session, holder: SessionID?) -> [(when: Duration, what: Due)] {
        var deadlines: [(when: Duration, what: Due)] = []
        if !session.waitsForDecoder, session.engine == .opening || !session.commits.isEmpty {
            deadlines.append((session.lastProgress + settings.commitTimeout, .engineTimeout))
        }
        if let ending = session.ending {
            if let deadline = ending.deadline { deadlines.append((deadline, .endOfGrace)) }
            return deadlines
        }
        if session.stream == .closed, let trouble = session.streamTrouble, mayListen(session, holder: holder)
        {
            deadlines.append((trouble.retryAt, .nothing))
        }
        if session.wantsToListen, case .gone(let retryAt) = session.engine {
            deadlines.append((retryAt, .nothing))
        }
        if session.usesMicrophone, case .opening(_, let since) = session.stream {
            deadlines.append((since + settings.openTimeout, .openTimeout))
        }
        if mayTellPartial(session), session.block.hasUntoldText {
            deadlines.append((session.nextPartial, .partial))
        }
        if session.options.lingers {
            if session.wantsToListen {
                deadlines.append((session.lastActivity + settings.idlePause, .idlePause))
            }
            deadlines.append((session.lastActivity + settings.idleStop, .idleStop))
        }
        if session.wantsToListen, let episode = session.episode,
            let limit = session.reasons.compactMap({ settings.resumeLimits[$0] }).min()
        {
            // Found out at the latest when the computer wakes up.
            deadlines.append((episode.began + limit - slept, .resumeLimit))
        }
        return deadlines
    }

    private mutating func expire(_ due: Due, of index: Int, at now: Duration) {
        switch due {
        case .nothing, .partial:
            break
        case .openTimeout:
            if let id = sessions[index].stream.id { handle(.stalled, of: id, at: now) }
        case .idlePause:
            commitLeftText(of: index, at: now)
            pause(index, because: .idle)
        case .idleStop:
            commitLeftText(of: index, at: now)
            stop(index, because: .abandoned)
        case .engineTimeout:
            loseEngine(
                of: index,
                Refusal(.timeout, "The recogniser gave no sign of life for \(settings.commitTimeout)."),
                at: now)
        case .resumeLimit:
            pause(index, because: .resumeLimit)
        case .endOfGrace:
            settleCommits(of: index, Refusal(.cancelled, "The service is ending."))
        }
    }

    private mutating func commitLeftText(of index: Int, at now: Duration) {
        guard !sessions[index].block.isEmpty, isPermitted(sessions[index]) else { return }
        commit(index, for: nil, at: now)
    }
}
