// What the audio server, the capture streams, the recognisers and the files tell.

extension DictationMachine {
    mutating func update(_ facts: AudioFacts, at now: Duration) {
        let changedSources =
            facts.sources != world.audio?.sources || facts.defaultSource != world.audio?.defaultSource
        let serverCame = facts.isServerAvailable && world.audio?.isServerAvailable == false
        world.update(facts, at: now)
        for index in sessions.indices {
            if !facts.isServerAvailable { sessions[index].serverWasLost = true }
            // What failed before may work now: no need to sit out the waiting time.
            if changedSources || serverCame { sessions[index].streamTrouble?.retryAt = now }
            sessions[index].refusedTargets.formIntersection(facts.sources.keys)
            if let source = sessions[index].sourceInUse, let current = facts.sources[source.name] {
                relink(index, to: current, at: now)
            }
        }
    }

    mutating func update(_ permission: Permission, of identity: Identity) {
        world.permissions[identity] = permission == .notDetermined ? nil : permission
        for client in world.allowedOnce.keys where client.identity == identity {
            world.allowedOnce[client]?.formIntersection(permission.leftToAllowOnce)
        }
        for index in sessions.indices where sessions[index].identity == identity {
            sessions[index].allowedOnce.formIntersection(permission.leftToAllowOnce)
            sessions[index].permission = world.permission(of: sessions[index])
            if let refusal = permission.refusal(of: sessions[index].options.resources) {
                abandonCommits(of: index, refusal)
            }
        }
        for index in sessions.indices { refuseReaders(of: index) }
    }

    /// Who may no longer read the session's text is not told that of the commits in progress either.
    private mutating func refuseReaders(of index: Int) {
        for commit in sessions[index].commits.indices {
            guard let waiter = sessions[index].commits[commit].waiter,
                let refusal = refusal(of: .read, on: sessions[index], by: waiter.client)
            else { continue }
            emit(.refuse(waiter.call, refusal))
            sessions[index].commits[commit].waiter = nil
        }
    }

    mutating func allowOnce(_ resources: [Resource], _ client: Client) {
        world.allowedOnce[client, default: []].formUnion(resources)
        for index in sessions.indices where sessions[index].owner == client.name {
            sessions[index].allowedOnce.formUnion(resources)
            sessions[index].permission = world.permission(of: sessions[index])
        }
    }

    mutating func handle(_ event: CaptureEvent, of id: CaptureID, at now: Duration) {
        if case .dropped(let frames) = event {
            if let index = sessions.firstIndex(where: {
                $0.usesMicrophone && $0.recentCaptures.contains(id)
            }) {
                drop(frames, of: index)
            }
            return
        }
        guard let index = sessions.firstIndex(where: { $0.usesMicrophone && $0.stream.id == id }) else {
            return
        }
        switch event {
        case .flowing: beginFlow(of: index, id, at: now)
        case .linked(let name):
            relink(
                index, to: world.available(name) ?? world.knownSources[name] ?? Source(name: name), at: now)
        case .stalled: failStream(of: index, .stalled, at: now)
        case .failed(let failure): failStream(of: index, .failed(failure), at: now)
        case .dropped: return
        }
    }

    /// Counting alone leads to nothing.
    mutating func count(_ frames: Int, of id: SessionID) -> Scope {
        guard let index = index(of: id) else { return .nothing }
        sessions[index].capturedFrames += frames
        sessions[index].block.capturedFrames += frames
        if sessions[index].stream.isFlowing {
            sessions[index].flowingFrames += frames
            if sessions[index].flowingFrames >= Session.steadyFrames { sessions[index].streamFailures = 0 }
        }
        guard !sessions[index].usesMicrophone, case .opening(let capture, _) = sessions[index].stream else {
            return .nothing
        }
        sessions[index].stream = .flowing(capture)
        return .everything
    }

    mutating func handle(_ event: RecognitionEvent, of id: SessionID, at now: Duration) {
        guard let index = index(of: id), !sessions[index].engine.isGone else { return }
        if event.isOfDecoder { sessions[index].lastProgress = now }
        if event.isOfSpeech { sessions[index].lastActivity = now }
        switch event {
        case .ready:
            sessions[index].engine = .ready
            sessions[index].waitsForDecoder = false
            sessions[index].hasEngineTrouble = false
        case .queued:
            sessions[index].waitsForDecoder = true
        case .speechBegan, .speechEnded:
            break
        case .silenceReached(let number):
            // What was said before permission was lost is committed by whoever may read it, not by the silence after.
            guard number == sessions[index].block.number, sessions[index].options.autoCommit != nil,
                sessions[index].ending == nil, isPermitted(sessions[index])
            else { return }
            commit(index, for: nil, at: now)
        case .hypothesis(let number, let text):
            sessions[index].withBlock(number) { $0.propose(text) }
        case .segment(let number, let segment):
            sessions[index].engineFailures = 0
            let events = sessions[index].withBlock(number) { $0.finish(segment) } ?? []
            carryOut(events, said: number, of: index, at: now)
        case .preview(let number, let segment):
            sessions[index].lastActivity = now
            sessions[index].engineFailures = 0
            sessions[index].withBlock(number) { $0.preview(segment) }
        case .passage(let number, let text):
            sessions[index].engineFailures = 0
            let events = sessions[index].withBlock(number) { $0.finish(text) } ?? []
            carryOut(events, said: number, of: index, at: now)
        case .passageLost(let number, let text, let message):
            let events = sessions[index].withBlock(number) { block in
                block.note("segment-lost")
                return block.finish(text)
            }
            carryOut(events ?? [], said: number, of: index, at: now)
            tell(.error(Refusal(.engineFailed, message)), of: sessions[index])
        case .finalEngineFailed(let message):
            tell(.error(Refusal(.engineFailed, message)), of: sessions[index])
        case .blockEnded(let number, let duration):
            finish(number, of: index, duration: duration)
        case .segmentFailed(let number, let message):
            let events = sessions[index].withBlock(number) { $0.loseSegment() } ?? []
            carryOut(events, said: number, of: index, at: now)
            tell(.error(Refusal(.engineFailed, message)), of: sessions[index])
        case .engineLost(.clientMistake, let message):
            fail(index, Refusal(EngineLoss.clientMistake.refusalKind, message))
        case .engineLost(let loss, let message):
            loseEngine(of: index, Refusal(loss.refusalKind, message), at: now)
        case .lag(let seconds):
            sessions[index].lag = seconds
        case .overrun(let number, let frames):
            sessions[index].droppedFrames += frames
            sessions[index].withBlock(number) { $0.droppedFrames += frames }
        case .level(let problem):
            sessions[index].block.note(problem.rawValue)
        }
    }

    mutating func endInput(of id: SessionID) {
        guard let index = index(of: id), !sessions[index].usesMicrophone, sessions[index].ending == nil else {
            return
        }
        sessions[index].stream = .closed
        sessions[index].hasInputEnded = true
    }

    mutating func failInput(of id: SessionID, _ refusal: Refusal) {
        guard let index = index(of: id), !sessions[index].usesMicrophone, !sessions[index].hasInputEnded,
            sessions[index].ending == nil
        else { return }
        tell(.error(refusal), of: sessions[index])
        endInput(of: id)
    }

    /// The file or pipe is at its end: what it said is committed, and the session is over. Without permission
    /// there is nothing to tell yet.
    mutating func finishInput(of index: Int, at now: Duration) {
        guard sessions[index].hasInputEnded, sessions[index].ending == nil,
            isPermitted(sessions[index])
        else { return }
        commit(index, for: nil, at: now)
        stop(index, because: .endOfInput)
    }

    mutating func tellLevel(of id: SessionID, rms: Double, peak: Double) {
        guard let index = index(of: id), sessions[index].options.sendsLevels,
            sessions[index].stream.isFlowing
        else { return }
        tell(.level(rms: rms, peak: peak), of: sessions[index])
    }

    /// Every commit in progress is answered with this refusal; its text is not kept.
    mutating func abandonCommits(of index: Int, _ refusal: Refusal) {
        for waiter in sessions[index].commits.compactMap(\.waiter) { emit(.refuse(waiter.call, refusal)) }
        sessions[index].commits = []
    }

    /// No recogniser will finish the commits in progress: each gets the text that there is, or, where sound was
    /// heard and nothing understood, this refusal.
    /// - Parameter isTold: the refusal was told to the session already.
    mutating func settleCommits(of index: Int, _ refusal: Refusal, isTold: Bool = false) {
        let commits = sessions[index].commits
        sessions[index].commits = []
        for commit in commits { settle(commit, of: index, refusal, isTold: isTold) }
    }

    private mutating func settle(
        _ commit: Commit, of index: Int, _ refusal: Refusal, isTold: Bool = false
    ) {
        var commit = commit
        let wasHeard = commit.block.wasHeard
        if wasHeard { tellRetractions(commit.block.loseSegment(), of: commit.block.number, index) }
        if wasHeard, commit.block.isEmpty {
            if let waiter = commit.waiter {
                emit(.refuse(waiter.call, refusal))
            } else if !isTold, sessions[index].isFinishing, sessions[index].episode?.hasToldError != true {
                // Nobody would learn otherwise that a block has no Final.
                sessions[index].episode?.hasToldError = true
                tell(.error(refusal), of: sessions[index])
            }
        } else {
            finish(commit, of: index, duration: Double(commit.block.capturedFrames) / sampleRate)
        }
    }

    private mutating func finish(_ number: BlockNumber, of index: Int, duration: Double) {
        guard let position = sessions[index].commits.firstIndex(where: { $0.block.number == number }) else {
            return
        }
        // The recogniser tells in the order of the sound: what it passed over it will not tell any more.
        let passedOver = sessions[index].commits[..<position]
        let commit = sessions[index].commits[position]
        sessions[index].commits.removeSubrange(...position)
        for commit in passedOver {
            settle(commit, of: index, Refusal(.engineFailed, "The recogniser lost this block."))
        }
        sessions[index].engineFailures = 0
        finish(commit, of: index, duration: duration)
    }

    private mutating func finish(_ commit: Commit, of index: Int, duration: Double) {
        var commit = commit
        tellRetractions(commit.block.close(), of: commit.block.number, index)
        let block = FinishedBlock(commit, duration: duration, by: sessions[index].options.transcription)
        sessions[index].keep(block)
        sessions[index].cause = .committed
        tell(.final(block), of: sessions[index])
        if let waiter = commit.waiter { emit(.reply(waiter.call, .committed(block))) }
    }

    private mutating func drop(_ frames: Int, of index: Int) {
        sessions[index].droppedFrames += frames
        sessions[index].block.droppedFrames += frames
    }

    private mutating func beginFlow(of index: Int, _ id: CaptureID, at now: Duration) {
        guard !sessions[index].stream.isFlowing else { return }
        sessions[index].stream = .flowing(id)
        sessions[index].streamTrouble = nil
    }

    private enum StreamFailure {
        case stalled
        case failed(CaptureFailure)
    }

    /// Closes the stream. A microphone that was asked for and cannot be opened gives way to the next in line;
    /// otherwise the same is tried again, sooner or later.
    private mutating func failStream(of index: Int, _ failure: StreamFailure, at now: Duration) {
        let wasFlowing = sessions[index].stream.isFlowing
        let target = sessions[index].target
        closeStream(of: index)
        sessions[index].streamFailures += 1
        let failures = sessions[index].streamFailures
        var trouble = Session.Trouble(
            reason: .noSource, retryAt: now + Settings.backoff(afterFailures: failures - 1),
            isReason: !wasFlowing || failures > 1)
        var givesWay = !wasFlowing
        switch failure {
        case .stalled, .failed(.noSource):
            break
        case .failed(.serverLost):
            trouble.reason = .audioServerLost
            trouble.isReason = true
            givesWay = false
        case .failed(.refused(let message)):
            trouble.isReason = true
            givesWay = true
            tellErrorOnce(of: index, Refusal(.routeChangeFailed, message))
        }
        sessions[index].streamTrouble = trouble
        guard givesWay, let target else { return }
        sessions[index].refusedTargets.insert(target)
        if world.isDefaultOverdue, self.target(of: sessions[index]) == nil {
            // None is left, and there is no default to give way to: from the first again, after the wait.
            sessions[index].refusedTargets = []
            return
        }
        if case .stalled = failure {
            sessions[index].streamTrouble?.retryAt = now
        } else {
            sessions[index].streamTrouble = nil
        }
    }

    /// The session asks for what cannot be done: it is told once, and ends.
    private mutating func fail(_ index: Int, _ refusal: Refusal) {
        sessions[index].engine = .gone(retryAt: .zero)
        sessions[index].untoldError = nil
        tell(.error(refusal), of: sessions[index])
        settleCommits(of: index, refusal, isTold: true)
        stop(index, because: .error)
        sessions[index].ending?.reason = .error
    }

    mutating func loseEngine(of index: Int, _ refusal: Refusal, at now: Duration) {
        let isNew = !sessions[index].hasEngineTrouble
        sessions[index].engineFailures += 1
        sessions[index].engine = .gone(
            retryAt: now + Settings.backoff(afterFailures: sessions[index].engineFailures - 1))
        sessions[index].hasEngineTrouble = true
        if sessions[index].block.wasHeard {
            let number = sessions[index].block.number
            tellRetractions(sessions[index].block.loseSegment(), of: number, index)
        }
        settleCommits(of: index, refusal)
        if isNew || sessions[index].episode != nil { tellErrorOnce(of: index, refusal) }
    }

    /// One Error for each interruption, however often the attempt to end it fails.
    private mutating func tellErrorOnce(of index: Int, _ refusal: Refusal) {
        guard sessions[index].episode?.hasToldError != true else { return }
        sessions[index].untoldError = refusal
    }

    /// The stream is linked to this source now, or the source has changed under it.
    private mutating func relink(_ index: Int, to source: Source, at now: Duration) {
        let previous = sessions[index].source
        let serverRestarted = sessions[index].serverWasLost
        sessions[index].source = source
        sessions[index].isLinked = true
        sessions[index].serverWasLost = false
        if previous?.name != source.name { tellAcoustics(of: index) }
        guard let previous else { return }
        let reason: RouteChangeReason
        if serverRestarted {
            reason = .serverRestarted
        } else if previous.name != source.name {
            if world.available(previous.name) == nil {
                reason = .deviceRemoved
            } else if sessions[index].refusedTargets.contains(previous.name) {
                reason = .deviceFailed
            } else if world.isNewcomer(source.name, at: now) {
                reason = .newDevice
            } else {
                let isPreferred = preferences(of: sessions[index]).contains(source.name)
                reason = isPreferred && sessions[index].target == source.name ? .selected : .defaultChanged
            }
        } else if previous.bluetoothProfile != source.bluetoothProfile {
            reason = .profileChanged
        } else {
            return
        }
        tell(
            .routeChanged(
                reason, previous: world.route(previous, isInUse: false),
                current: world.route(source, isInUse: true)),
            of: sessions[index])
    }
}

extension RecognitionEvent {
    /// It shows that the decoder works; the others come from where the sound comes in.
    fileprivate var isOfDecoder: Bool {
        switch self {
        case .ready, .queued, .hypothesis, .segment, .segmentFailed, .preview, .passage, .passageLost,
            .blockEnded:
            true
        case .speechBegan, .speechEnded, .silenceReached, .engineLost, .finalEngineFailed, .lag, .overrun,
            .level:
            false
        }
    }

    /// Somebody speaks.
    fileprivate var isOfSpeech: Bool {
        switch self {
        case .speechBegan, .speechEnded, .hypothesis, .segment, .preview: true
        default: false
        }
    }
}
