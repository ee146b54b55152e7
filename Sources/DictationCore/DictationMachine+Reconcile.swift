// What should be, what is, and the difference.

extension DictationMachine {
    /// Brings streams, signals and the inhibitor in line with what the sessions want and the world allows.
    mutating func reconcile(at now: Duration) {
        if !world.isAsleep { holdInhibitor(true) }
        for index in sessions.indices { finishInput(of: index, at: now) }
        let holder = findMicrophoneHolder()
        for index in sessions.indices {
            sessions[index].setReasons(reasons(of: sessions[index], holder: holder))
        }
        for index in sessions.indices where !mayKeepStream(sessions[index], holder: holder) {
            closeStream(of: index)
        }
        for index in sessions.indices where wantsStream(sessions[index], holder: holder, at: now) {
            openStream(of: index, at: now)
        }
        for index in sessions.indices { reopenEngine(of: index, at: now) }
        for index in sessions.indices { tellChanges(of: index, at: now) }
        for id in sessions.map(\.id) { endIfDone(id) }
        if world.isAsleep { holdInhibitor(false) }
    }

    /// The same for what an event of its recogniser can change of a session. Returns true where it is over, so that the
    /// others have to be looked at.
    mutating func reconcile(_ index: Int, at now: Duration) -> Bool {
        tellChanges(of: index, at: now)
        let count = sessions.count
        endIfDone(sessions[index].id)
        return sessions.count != count
    }

    /// Every reason that keeps this session from listening though it wants to, in a fixed order.
    func reasons(of session: Session, holder: SessionID?) -> [Reason] {
        guard session.wantsToListen else { return [] }
        var reasons = worldReasons(of: session)
        if reasons.isEmpty, session.usesMicrophone, holder != session.id {
            reasons.append(isBeingMoved(session) ? .noSource : .preempted)
        }
        if let trouble = session.streamTrouble, trouble.isReason, !reasons.contains(trouble.reason) {
            reasons.append(trouble.reason)
        }
        return reasons
    }

    /// The reasons that lie in the world; a stream that failed is none of them, because trying again is how it
    /// gets well.
    func worldReasons(of session: Session) -> [Reason] {
        var reasons: [Reason] = []
        if !isPermitted(session) { reasons.append(.permissionLost) }
        if session.hasEngineTrouble { reasons.append(.engineLost) }
        guard session.usesMicrophone else { return reasons }
        var optional: [Reason] = []
        if world.isAsleep { reasons.append(.suspend) }
        if world.isLocked { optional.append(.sessionLocked) }
        if world.seat?.isActive == false { optional.append(.sessionInactive) }
        if let audio = world.audio {
            if isInCall { optional.append(.call) }
            let source = world.available(target(of: session)) ?? world.defaultSource
            if !audio.isServerAvailable {
                reasons.append(.audioServerLost)
            } else if source == nil {
                reasons.append(.noSource)
            }
            if source?.isMuted == true { optional.append(.sourceMuted) }
        }
        reasons += optional.filter(settings.interruptingReasons.contains)
        return reasons == [.noSource] && isBeingMoved(session) ? [] : reasons
    }

    /// The default has gone, the session manager moves what follows it, and names the next one a moment later.
    private func isBeingMoved(_ session: Session) -> Bool {
        session.stream.isFlowing && session.target == nil && target(of: session) == nil
            && world.defaultDeadline != nil
    }

    /// The microphone that a stream of this session is to be opened on; nil follows the default.
    func target(of session: Session) -> NodeName? {
        (preferences(of: session) + world.standIns)
            .first { world.available($0) != nil && !session.refusedTargets.contains($0) }
    }

    /// The microphones that somebody wants for this session, the most wanted first, whether or not they are there.
    func preferences(of session: Session) -> [NodeName] {
        [session.options.route, world.selectedSource, settings.route, preferredSource].compactMap { $0 }
    }

    private var preferredSource: NodeName? {
        guard settings.prefersBluetooth, let audio = world.audio else { return nil }
        return audio.sources.values.filter(\.isBluetooth).map(\.name).min()
    }

    /// Among the sessions that want to listen and that nothing in the world keeps from it, the one whose owner
    /// said so last.
    func findMicrophoneHolder() -> SessionID? {
        var latest: (id: SessionID, wantedSince: UInt64)?
        for index in sessions.indices
        where sessions[index].wantsToListen && sessions[index].usesMicrophone
            && sessions[index].wantedSince > latest?.wantedSince ?? 0
            && worldReasons(of: sessions[index]).isEmpty
        {
            latest = (sessions[index].id, sessions[index].wantedSince)
        }
        return latest?.id
    }

    func mayListen(_ session: Session, holder: SessionID?) -> Bool {
        if session.usesMicrophone { return world.isKnown && holder == session.id }
        return session.wantsToListen && !session.hasInputEnded && worldReasons(of: session).isEmpty
    }

    private func mayKeepStream(_ session: Session, holder: SessionID?) -> Bool {
        guard session.stream.id != nil else { return true }
        guard mayListen(session, holder: holder) else { return false }
        if !session.usesMicrophone || session.target == target(of: session) { return true }
        // What served for want of a default has become it: to open it again would lose what is said meanwhile.
        return target(of: session) == nil && session.target == world.defaultSource?.name
    }

    private func wantsStream(_ session: Session, holder: SessionID?, at now: Duration) -> Bool {
        guard session.stream.id == nil, mayListen(session, holder: holder) else { return false }
        return session.streamTrouble.map { now >= $0.retryAt } ?? true
    }

    private mutating func openStream(of index: Int, at now: Duration) {
        let capture = nextCapture()
        let session = sessions[index]
        if session.usesMicrophone, session.hasOpenedStream {
            sessions[index].episode?.rebuilt.insert(.capture)
        }
        sessions[index].open(capture, at: now)
        if session.usesMicrophone {
            sessions[index].target = target(of: session)
            emit(.openCapture(capture, for: session.id, target: sessions[index].target))
        } else {
            emit(.runInput(session.id, true))
        }
    }

    mutating func closeStream(of index: Int) {
        guard let capture = sessions[index].stream.id else { return }
        sessions[index].stream = .closed
        if sessions[index].usesMicrophone {
            emit(.closeCapture(capture, for: sessions[index].id))
            command(.cut, index)
        } else {
            emit(.runInput(sessions[index].id, false))
        }
    }

    private mutating func reopenEngine(of index: Int, at now: Duration) {
        guard sessions[index].wantsToListen, case .gone(let retryAt) = sessions[index].engine, now >= retryAt
        else { return }
        sessions[index].engine = .opening
        sessions[index].waitsForDecoder = false
        sessions[index].episode?.rebuilt.insert(.recogniser)
        sessions[index].lastProgress = now
        let session = sessions[index]
        emit(.openTranscriber(session.id, session.transcription, session.block.number))
        tellAcoustics(of: index)
    }

    /// Tells what has become different: the beginning or end of an interruption, the state, the text, errors.
    private mutating func tellChanges(of index: Int, at now: Duration) {
        guard sessions[index].ending == nil || !sessions[index].commits.isEmpty else { return }
        if sessions[index].episode == nil, sessions[index].state == .interrupted {
            beginEpisode(of: index, at: now)
        }
        if let error = sessions[index].untoldError {
            sessions[index].untoldError = nil
            sessions[index].episode?.hasToldError = true
            tell(.error(error), of: sessions[index])
        }
        if sessions[index].episode != nil, sessions[index].state != .interrupted {
            endEpisode(of: index, at: now)
        }
        tellState(of: index)
        tellPartial(of: index, at: now)
    }

    private mutating func beginEpisode(of index: Int, at now: Duration) {
        let reasons = sessions[index].reasons
        guard let first = reasons.first else { return }
        sessions[index].episode = Session.Episode(
            began: now + slept, reasons: reasons, lastCleared: first,
            droppedFramesBefore: sessions[index].droppedFrames)
        sessions[index].block.interruptions += 1
        tell(.interrupted(first, all: reasons), of: sessions[index])
    }

    private mutating func endEpisode(of index: Int, at now: Duration) {
        guard let episode = sessions[index].episode else { return }
        sessions[index].episode = nil
        guard sessions[index].state == .listening else { return }
        sessions[index].cause = .flowing
        let rebuilt =
            episode.rebuilt.union(episode.reasons.contains(.audioServerLost) ? [.audioServer] : [])
        let interruption = EndedInterruption(
            reasons: episode.reasons, duration: (now + slept - episode.began).seconds,
            rebuilt: RebuiltPart.allCases.filter(rebuilt.contains),
            droppedFrames: sessions[index].droppedFrames - episode.droppedFramesBefore)
        tell(.resumed(episode.lastCleared, interruption), of: sessions[index])
    }

    private mutating func tellState(of index: Int) {
        let session = sessions[index]
        let current = Session.Told(
            state: session.state, reasons: session.reasons, pending: session.commits.count)
        guard current != session.told else { return }
        var cause = session.cause
        if current.state == .listening, session.told.state != .listening {
            cause = .flowing
        } else if let new = current.reasons.last(where: { !session.told.reasons.contains($0) }) {
            cause = .reason(new)
        } else if current.state == .interrupted, current.reasons != session.told.reasons,
            let reason = current.reasons.last ?? session.episode?.lastCleared
        {
            cause = .reason(reason)
        } else if current.state == .starting, session.told.state == .listening {
            cause = .route
        }
        sessions[index].told = current
        tell(
            .stateChanged(current.state, cause: cause, reasons: current.reasons, pending: current.pending),
            of: session)
    }

    private mutating func tellPartial(of index: Int, at now: Duration) {
        guard mayTellPartial(sessions[index]), now >= sessions[index].nextPartial,
            let partial = sessions[index].block.takePartial()
        else { return }
        sessions[index].nextPartial = now + settings.partialInterval
        tell(
            .partial(
                sessions[index].block.number, offset: partial.offset, stable: partial.stable,
                volatile: partial.volatile),
            of: sessions[index])
    }

    func mayTellPartial(_ session: Session) -> Bool {
        session.options.sendsPartials && !isCongested && session.ending == nil
            && isPermitted(session)
    }

    private mutating func endIfDone(_ id: SessionID) {
        guard let index = index(of: id), let ending = sessions[index].ending, sessions[index].commits.isEmpty
        else { return }
        end(index, because: ending.reason)
        for waiter in ending.waiters { emit(.reply(waiter.call, .done)) }
    }

    /// The session is over; nothing of it follows.
    mutating func end(_ index: Int, because reason: StopReason) {
        closeStream(of: index)
        let session = sessions.remove(at: index)
        emit(.discard(session.id))
        tell(.stopped(reason), of: session)
    }

    /// Held before anything captures, released when nothing does any more.
    private mutating func holdInhibitor(_ holds: Bool) {
        guard holds != holdsInhibitor else { return }
        holdsInhibitor = holds
        emit(.holdSleepInhibitor(holds))
    }

    /// Sends to whoever may receive it: text to the owner and to those who may control the session, the rest to
    /// every subscriber of the world.
    mutating func tell(_ signal: SessionSignal, of session: Session) {
        if session.options.broadcasts {
            return emit(.signal(signal, session.id, to: .everyone))
        }
        var clients = session.owner.map { [$0] } ?? []
        for subscription in subscriptions where !clients.contains(subscription.client.name) {
            if !signal.holdsText || mayFollowText(subscription, of: session) {
                clients.append(subscription.client.name)
            }
        }
        if !clients.isEmpty { emit(.signal(signal, session.id, to: .clients(clients))) }
    }
}

extension SessionSignal {
    fileprivate var holdsText: Bool {
        switch self {
        case .partial, .final, .retracted, .command, .level: true
        default: false
        }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
