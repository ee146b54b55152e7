// The session's recogniser: what it is told, what it tells, and its loss.

extension Session {
    /// A recogniser that is gone is asked nothing; the next begins with the block that is current then.
    func command(_ command: TranscriberCommand, _ effects: inout [Effect]) {
        guard !engine.isGone else { return }
        effects.append(.transcriber(id, command))
    }

    /// Tells the recogniser whose voice over which microphone it hears, as soon as that is known.
    func tellAcoustics(_ effects: inout [Effect]) {
        guard let source else { return }
        command(.acoustics(.microphone(source.name, identity)), &effects)
    }

    func openEngine(_ effects: inout [Effect]) {
        effects.append(.openTranscriber(id, transcription, block.number))
    }

    mutating func reopenEngine(at now: Duration, _ effects: inout [Effect]) {
        guard wantsToListen, case .gone(let retryAt) = engine, now >= retryAt else { return }
        engine = .opening
        waitsForDecoder = false
        episode?.rebuilt.insert(.recogniser)
        lastProgress = now
        openEngine(&effects)
        tellAcoustics(&effects)
    }

    mutating func handle(
        _ event: RecognitionEvent, at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        guard !engine.isGone else { return }
        if event.isOfDecoder { lastProgress = now }
        if event.isOfSpeech { lastActivity = now }
        switch event {
        case .ready:
            engine = .ready
            waitsForDecoder = false
            hasEngineTrouble = false
        case .queued:
            waitsForDecoder = true
        case .speechBegan, .speechEnded:
            break
        case .silenceReached(let number):
            // What was said before permission was lost is committed by whoever may read it, not by the silence after.
            guard number == block.number, options.autoCommit != nil, ending == nil, isPermitted else {
                return
            }
            commit(for: nil, at: now, context, &effects)
        case .hypothesis(let number, let text):
            withBlock(number) { $0.propose(text) }
        case .segment(let number, let segment):
            engineFailures = 0
            let events = withBlock(number) { $0.finish(segment) } ?? []
            carryOut(events, said: number, at: now, context, &effects)
        case .preview(let number, let segment):
            lastActivity = now
            engineFailures = 0
            withBlock(number) { $0.preview(segment) }
        case .passage(let number, let text):
            engineFailures = 0
            let events = withBlock(number) { $0.finish(text) } ?? []
            carryOut(events, said: number, at: now, context, &effects)
        case .passageLost(let number, let text, let message):
            let events = withBlock(number) { block in
                block.note("segment-lost")
                return block.finish(text)
            }
            carryOut(events ?? [], said: number, at: now, context, &effects)
            tell(.error(Refusal(.engineFailed, message)), context, &effects)
        case .finalEngineFailed(let message):
            tell(.error(Refusal(.engineFailed, message)), context, &effects)
        case .blockEnded(let number, let duration):
            finish(number, duration: duration, context, &effects)
        case .segmentFailed(let number, let message):
            let events = withBlock(number) { $0.loseSegment() } ?? []
            carryOut(events, said: number, at: now, context, &effects)
            tell(.error(Refusal(.engineFailed, message)), context, &effects)
        case .engineLost(.clientMistake, let message):
            fail(Refusal(EngineLoss.clientMistake.refusalKind, message), context, &effects)
        case .engineLost(let loss, let message):
            loseEngine(Refusal(loss.refusalKind, message), at: now, context, &effects)
        case .lag(let seconds):
            lag = seconds
        case .overrun(let number, let frames):
            droppedFrames += frames
            withBlock(number) { $0.droppedFrames += frames }
        case .level(let problem):
            block.note(problem.rawValue)
        }
    }

    /// The session asks for what cannot be done: it is told once, and ends.
    private mutating func fail(_ refusal: Refusal, _ context: SessionContext, _ effects: inout [Effect]) {
        engine = .gone(retryAt: .zero)
        untoldError = nil
        tell(.error(refusal), context, &effects)
        settleCommits(refusal, isTold: true, context, &effects)
        stop(because: .error, &effects)
        ending?.reason = .error
    }

    mutating func loseEngine(
        _ refusal: Refusal, at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        let isNew = !hasEngineTrouble
        engineFailures += 1
        engine = .gone(retryAt: now + Settings.backoff(afterFailures: engineFailures - 1))
        hasEngineTrouble = true
        if block.wasHeard { tellRetractions(block.loseSegment(), of: block.number, context, &effects) }
        settleCommits(refusal, context, &effects)
        if isNew || episode != nil { tellErrorOnce(refusal) }
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
