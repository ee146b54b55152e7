// What the audio server, the capture streams, the recognisers and the files tell.

extension DictationMachine {
    mutating func update(_ facts: AudioFacts, at now: Duration) {
        let changedSources =
            facts.sources != world.audio?.sources || facts.defaultSource != world.audio?.defaultSource
        let serverCame = facts.isServerAvailable && world.audio?.isServerAvailable == false
        world.update(facts)
        for index in sessions.indices {
            if !facts.isServerAvailable { sessions[index].serverWasLost = true }
            // What failed before may work now: no need to sit out the waiting time.
            if changedSources || serverCame { sessions[index].streamTrouble?.retryAt = now }
            if let refused = sessions[index].refusedTarget, facts.sources[refused] == nil {
                sessions[index].refusedTarget = nil
            }
            if let source = sessions[index].sourceInUse, let current = facts.sources[source.name] {
                relink(index, to: current)
            }
        }
    }

    mutating func update(_ permission: Permission, of identity: Identity) {
        world.permissions[identity] = permission
        for index in sessions.indices where sessions[index].identity == identity {
            if let refusal = permission.refusal(of: sessions[index].options.resources) {
                abandonCommits(of: index, refusal)
            }
        }
    }

    mutating func handle(_ event: CaptureEvent, of id: CaptureID, at now: Duration) {
        guard let index = sessions.firstIndex(where: { $0.stream.id == id }) else { return }
        switch event {
        case .flowing:
            sessions[index].stream = .flowing(id)
            sessions[index].streamTrouble = nil
        case .linked(let name):
            relink(index, to: world.available(name) ?? world.knownSources[name] ?? Source(name: name))
        case .stalled:
            failStream(of: index, .noSource, at: now)
        case .dropped(let frames):
            drop(frames, of: index)
        case .failed(.noSource):
            failStream(of: index, .noSource, at: now)
        case .failed(.serverLost):
            failStream(of: index, .audioServerLost, at: now)
        case .failed(.refused(let message)):
            sessions[index].refusedTarget = sessions[index].target
            failStream(of: index, .noSource, at: now)
            tellErrorOnce(of: index, Refusal(.routeChangeFailed, message))
        }
    }

    mutating func count(_ frames: Int, of id: SessionID) {
        guard let index = index(of: id) else { return }
        sessions[index].capturedFrames += frames
        if !sessions[index].usesMicrophone, case .opening(let id, _) = sessions[index].stream {
            sessions[index].stream = .flowing(id)
        }
    }

    mutating func handle(_ event: RecognitionEvent, of id: SessionID, at now: Duration) {
        guard let index = index(of: id) else { return }
        sessions[index].lastProgress = now
        switch event {
        case .ready:
            sessions[index].isEngineOpening = false
            sessions[index].engineTrouble = nil
        case .speechBegan(let number, _):
            sessions[index].lastActivity = now
            if number == sessions[index].block.number { sessions[index].silentSince = nil }
        case .speechEnded(let number, _):
            sessions[index].lastActivity = now
            if number == sessions[index].block.number { sessions[index].silentSince = now }
        case .hypothesis(let number, let text):
            sessions[index].lastActivity = now
            sessions[index].withBlock(number) { $0.propose(text) }
        case .segment(let number, let segment):
            sessions[index].lastActivity = now
            sessions[index].withBlock(number) { $0.finish(segment) }
        case .blockEnded(let number, let duration):
            finish(number, of: index, duration: duration)
        case .segmentFailed(let number, let message):
            sessions[index].withBlock(number) { $0.note("segment-lost") }
            tell(.error(Refusal(.engineFailed, message)), of: sessions[index])
        case .engineLost(let message):
            loseEngine(of: index, message, at: now)
        case .lag(let seconds):
            sessions[index].lag = seconds
        case .overrun(let frames):
            drop(frames, of: index)
        case .level(let problem):
            sessions[index].block.note(problem.rawValue)
        }
    }

    /// The file or pipe is at its end: what it said is committed, and the session is over.
    mutating func endInput(of id: SessionID, at now: Duration) {
        guard let index = index(of: id), sessions[index].ending == nil else { return }
        sessions[index].stream = .closed
        commit(index, for: nil, at: now)
        stop(index, because: .endOfInput)
    }

    mutating func failInput(of id: SessionID, _ refusal: Refusal, at now: Duration) {
        guard let index = index(of: id), sessions[index].ending == nil else { return }
        tell(.error(refusal), of: sessions[index])
        endInput(of: id, at: now)
    }

    mutating func tellLevel(of id: SessionID, rms: Double, peak: Double) {
        guard let index = index(of: id), sessions[index].options.sendsLevels else { return }
        tell(.level(rms: rms, peak: peak), of: sessions[index])
    }

    /// Every commit in progress is answered with this refusal; its text is not kept.
    mutating func abandonCommits(of index: Int, _ refusal: Refusal) {
        for waiter in sessions[index].commits.compactMap(\.waiter) { emit(.refuse(waiter.call, refusal)) }
        sessions[index].commits = []
    }

    func index(of id: SessionID) -> Int? { sessions.firstIndex { $0.id == id } }

    private mutating func finish(_ number: BlockNumber, of index: Int, duration: Double) {
        guard let position = sessions[index].commits.firstIndex(where: { $0.block.number == number }) else {
            return
        }
        let commit = sessions[index].commits.remove(at: position)
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

    private mutating func failStream(of index: Int, _ reason: Reason, at now: Duration) {
        closeStream(of: index)
        sessions[index].streamTrouble = Session.Trouble(reason, after: sessions[index].streamTrouble, at: now)
    }

    private mutating func loseEngine(of index: Int, _ message: String, at now: Duration) {
        let refusal = Refusal(.engineFailed, message)
        sessions[index].isEngineOpening = false
        sessions[index].engineTrouble = Session.Trouble(
            .engineLost, after: sessions[index].engineTrouble, at: now)
        abandonCommits(of: index, refusal)
        tellErrorOnce(of: index, refusal)
    }

    /// One Error for each interruption, however often the attempt to end it fails.
    private mutating func tellErrorOnce(of index: Int, _ refusal: Refusal) {
        guard sessions[index].episode?.hasToldError != true else { return }
        sessions[index].untoldError = refusal
    }

    /// The stream is linked to this source now, or the source has changed under it.
    private mutating func relink(_ index: Int, to source: Source) {
        let previous = sessions[index].source
        let sourcesBefore = sessions[index].sourcesWhenLinked
        let serverRestarted = sessions[index].serverWasLost
        sessions[index].source = source
        sessions[index].sourcesWhenLinked = Set(world.audio?.sources.keys ?? [:].keys)
        sessions[index].serverWasLost = false
        guard let previous else { return }
        let reason: RouteChangeReason
        if serverRestarted {
            reason = .serverRestarted
        } else if previous.name != source.name {
            if world.available(previous.name) == nil {
                reason = .deviceRemoved
            } else if !sourcesBefore.contains(source.name) {
                reason = .newDevice
            } else {
                reason = sessions[index].target == source.name ? .selected : .defaultChanged
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
