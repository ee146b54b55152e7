// The session's recogniser: commands to it, events from it, and its loss.

extension Session {
    /// Does nothing while the engine is gone: the next one begins with the block that is current then.
    func command(_ command: TranscriptionCommand, _ effects: inout [Effect]) {
        guard !engine.isGone else { return }
        effects.append(.transcription(id, command))
    }

    /// Sets the speaker and the microphone of the sound that follows, if the microphone is known.
    func sendAcoustics(_ effects: inout [Effect]) {
        guard let source else { return }
        command(.acoustics(.microphone(source.name, identity)), &effects)
    }

    func openEngine(_ effects: inout [Effect]) {
        effects.append(.openTranscription(id, transcription, block.number))
    }

    mutating func reopenEngine(at now: Duration, _ effects: inout [Effect]) {
        guard wantsToListen, case .gone(let retryTime) = engine, now >= retryTime else { return }
        engine = .opening
        waitsForDecoder = false
        interruption?.rebuilt.insert(.recogniser)
        lastProgress = now
        openEngine(&effects)
        sendAcoustics(&effects)
    }

    mutating func handle(
        _ event: RecognitionEvent, at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        guard !engine.isGone else { return }
        let event = clockShift.map { event.shifted(by: $0) } ?? event
        if event.isOfDecoder { lastProgress = now }
        if event.isOfSpeech { lastActivity = now }
        switch event {
        case .ready:
            engine = .ready
            waitsForDecoder = false
            hasEngineFailed = false
        case .queued:
            waitsForDecoder = true
        case .speechBegan(let number, _):
            speechEnd = nil
            withBlock(number) { $0.hasSpeech = true }
        case .speechEnded(let number, let seconds):
            speechEnd = SpeechEnd(block: number, seconds: seconds, time: now)
        case .silenceReached(let number):
            // Without permission, silence does not commit: a caller with permission may still do so.
            guard number == block.number, options.autoCommit != nil, ending == nil, isPermitted else {
                return
            }
            commit(for: nil, at: now, context, &effects)
        case .hypothesis(let number, let text):
            withBlock(number) { $0.propose(text) }
        case .live(let number, let text):
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
                block.addProblem("segment-lost")
                return block.finish(text)
            }
            carryOut(events ?? [], said: number, at: now, context, &effects)
            send(.error(Refusal(.engineFailed, message)), context, &effects)
        case .noise(let number):
            withBlock(number) { $0.leaveOutNoise() }
        case .finalEngineFailed(let message):
            send(.error(Refusal(.engineFailed, message)), context, &effects)
        case .blockEnded(let number, let duration):
            finish(number, duration: duration, context, &effects)
        case .segmentFailed(let number, let message):
            let events = withBlock(number) { $0.loseSegment() } ?? []
            carryOut(events, said: number, at: now, context, &effects)
            send(.error(Refusal(.engineFailed, message)), context, &effects)
        case .engineLost(.clientMistake, let message):
            fail(Refusal(EngineLoss.clientMistake.refusalKind, message), context, &effects)
        case .engineLost(let loss, let message):
            loseEngine(Refusal(loss.refusalKind, message), at: now, context, &effects)
        case .lag(let seconds):
            lag = seconds
        case .overrun(let number, let frames):
            droppedFrames += frames
            withBlock(number) { $0.droppedFrames += frames }
        }
    }

    /// The client's request cannot be fulfilled: the session sends one Error and ends.
    mutating func fail(_ refusal: Refusal, _ context: SessionContext, _ effects: inout [Effect]) {
        engine = .gone(retryTime: .zero)
        queuedError = nil
        send(.error(refusal), context, &effects)
        finishCommits(refusal, isSent: true, context, &effects)
        stop(because: .error, &effects)
        ending?.reason = .error
    }

    mutating func loseEngine(
        _ refusal: Refusal, at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        let isFirstFailure = !hasEngineFailed
        engineFailures += 1
        engine = .gone(retryTime: now + Settings.backoff(afterFailures: engineFailures - 1))
        hasEngineFailed = true
        takeBackEarlierText(block.loseSegment())
        sendRetractions(context, &effects)
        let isReported = isFirstFailure || interruption != nil
        finishCommits(refusal, isSent: isReported && !isFinishing, context, &effects)
        if isReported { queueError(refusal) }
    }
}

extension RecognitionEvent {
    /// Whether the decoder sent it. The other events come from the audio input.
    fileprivate var isOfDecoder: Bool {
        switch self {
        case .ready, .queued, .hypothesis, .live, .segment, .segmentFailed, .preview, .passage, .passageLost,
            .blockEnded:
            true
        case .speechBegan, .speechEnded, .silenceReached, .engineLost, .finalEngineFailed, .noise, .lag,
            .overrun:
            false
        }
    }

    /// Whether it shows that someone speaks.
    fileprivate var isOfSpeech: Bool {
        switch self {
        case .speechBegan, .speechEnded, .hypothesis, .live, .segment, .preview: true
        default: false
        }
    }
}
