// What happens because nothing happened.

extension DictationMachine {
    /// When something is due; nil while nothing is. The caller comes back then with ``Event/tick``.
    public var nextDeadline: Duration? {
        sessions.flatMap { deadlines(of: $0) }.map(\.when).min()
    }

    /// Does what is due.
    mutating func expire(at now: Duration) {
        for id in sessions.map(\.id) {
            guard let index = index(of: id) else { continue }
            for deadline in deadlines(of: sessions[index]) where deadline.when <= now {
                expire(deadline.what, of: index, at: now)
            }
        }
    }

    private enum Due {
        /// Only to be looked at again: reconciling does it.
        case nothing
        case openTimeout, autoCommit, idlePause, idleStop, commitTimeout, resumeLimit, endOfGrace
    }

    private func deadlines(of session: Session) -> [(when: Duration, what: Due)] {
        var deadlines: [(when: Duration, what: Due)] = []
        if !session.commits.isEmpty {
            deadlines.append((session.lastProgress + settings.commitTimeout, .commitTimeout))
        }
        if let ending = session.ending {
            if let deadline = ending.deadline { deadlines.append((deadline, .endOfGrace)) }
            return deadlines
        }
        if session.wantsToListen, session.stream == .closed, let trouble = session.streamTrouble,
            worldReasons(of: session).isEmpty, microphoneHolder == session.id
        {
            deadlines.append((trouble.retryAt, .nothing))
        }
        if let trouble = session.engineTrouble, !session.isEngineOpening {
            deadlines.append((trouble.retryAt, .nothing))
        }
        if session.usesMicrophone, case .opening(_, let since) = session.stream {
            deadlines.append((since + settings.openTimeout, .openTimeout))
        }
        if let silence = session.options.autoCommit, let since = session.silentSince,
            session.stream.isFlowing,
            session.usesMicrophone
        {
            deadlines.append((since + silence, .autoCommit))
        }
        if session.options.sendsPartials, !isCongested, session.block.hasUntoldText {
            deadlines.append((session.nextPartial, .nothing))
        }
        if session.options.lingers {
            if session.wantsToListen {
                deadlines.append((session.lastActivity + settings.idlePause, .idlePause))
            }
            deadlines.append((session.lastActivity + settings.idleStop, .idleStop))
        }
        if session.wantsToListen, let episode = session.episode,
            let limit = episode.reasons.compactMap({ settings.resumeLimits[$0] }).min()
        {
            deadlines.append((episode.began + limit, .resumeLimit))
        }
        return deadlines
    }

    private mutating func expire(_ due: Due, of index: Int, at now: Duration) {
        switch due {
        case .nothing:
            break
        case .openTimeout:
            if let id = sessions[index].stream.id { handle(.stalled, of: id, at: now) }
        case .autoCommit:
            commit(index, for: nil, at: now)
        case .idlePause:
            if !sessions[index].block.isEmpty { commit(index, for: nil, at: now) }
            pause(index, because: .idle)
        case .idleStop:
            stop(index, because: .abandoned)
        case .commitTimeout:
            abandonCommits(
                of: index,
                Refusal(.timeout, "The recogniser gave no sign of life for \(settings.commitTimeout)."))
        case .resumeLimit:
            pause(index, because: .resumeLimit)
        case .endOfGrace:
            abandonCommits(of: index, Refusal(.cancelled, "The service is ending."))
        }
    }
}
