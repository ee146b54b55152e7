// The capture stream, or, for a session with input, the reading of its file or pipe.

extension Session {
    mutating func openStream(
        _ capture: CaptureID, at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        if usesMicrophone, hasOpenedStream { interruption?.rebuilt.insert(.capture) }
        stream = .opening(capture, since: now)
        recentCaptures.append(capture)
        if recentCaptures.count > Self.keptCaptures { recentCaptures.removeFirst() }
        isLinked = false
        flowingFrames = 0
        if usesMicrophone {
            inputMonitor = InputMonitor(hasSound: inputMonitor.hasSound)
            target = wantedTarget(context)
            effects.append(.openCapture(capture, for: id, target: target))
        } else {
            effects.append(.runInput(id, true))
        }
    }

    mutating func closeStream(_ effects: inout [Effect]) {
        guard let capture = stream.id else { return }
        stream = .closed
        if usesMicrophone {
            effects.append(.closeCapture(capture, for: id))
            command(.cut, &effects)
        } else {
            effects.append(.runInput(id, false))
        }
    }

    mutating func handle(
        _ event: CaptureEvent, of capture: CaptureID, at now: Duration, _ context: SessionContext,
        _ effects: inout [Effect]
    ) {
        switch event {
        case .flowing:
            guard !stream.isFlowing else { return }
            stream = .flowing(capture)
            streamRetry = nil
            endRecordingGap(at: now, context, &effects)
        case .linked(let name):
            let world = context.world
            relink(
                to: world.available(name) ?? world.knownSources[name] ?? Source(name: name), at: now, context,
                &effects)
        case .stalled: failStream(.stalled, at: now, context, &effects)
        case .failed(let failure): failStream(.failed(failure), at: now, context, &effects)
        case .dropped(let frames):
            droppedFrames += frames
            block.droppedFrames += frames
        }
    }

    /// Counts sound that went to the recogniser.
    /// - Returns: whether this was the first sound of a file or pipe.
    mutating func count(_ frames: Int) -> Bool {
        capturedFrames += frames
        block.capturedFrames += frames
        if stream.isFlowing {
            flowingFrames += frames
            if flowingFrames >= Self.steadyFrames { streamFailures = 0 }
        }
        guard !usesMicrophone, case .opening(let capture, _) = stream else { return false }
        stream = .flowing(capture)
        return true
    }

    mutating func endInput() {
        guard !usesMicrophone, ending == nil else { return }
        stream = .closed
        judgeInput()
        hasInputEnded = true
    }

    mutating func failInput(_ refusal: Refusal, _ context: SessionContext, _ effects: inout [Effect]) {
        guard !usesMicrophone, !hasInputEnded, ending == nil else { return }
        send(.error(refusal), context, &effects)
        endInput()
    }

    /// Commits and stops after the end of the file or pipe, as soon as permission allows.
    mutating func finishInput(at now: Duration, _ context: SessionContext, _ effects: inout [Effect]) {
        guard hasInputEnded, ending == nil, isPermitted else { return }
        commit(for: nil, at: now, context, &effects)
        stop(because: .endOfInput, waitsForPermission: true, &effects)
    }

    enum StreamFailure {
        case stalled
        case failed(CaptureFailure)
    }

    /// Closes the stream. If a requested microphone cannot be opened, the next preferred one is tried; otherwise the
    /// same one is tried again, with backoff.
    mutating func failStream(
        _ failure: StreamFailure, at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        let wasFlowing = stream.isFlowing
        closeStream(&effects)
        streamFailures += 1
        var retry = Retry(
            reason: .noSource, retryTime: now + Settings.backoff(afterFailures: streamFailures - 1),
            interrupts: !wasFlowing || streamFailures > 1)
        var triesNextTarget = !wasFlowing
        switch failure {
        case .stalled, .failed(.noSource):
            break
        case .failed(.serverLost):
            retry.reason = .audioServerLost
            retry.interrupts = true
            triesNextTarget = false
        case .failed(.refused(let message)):
            retry.interrupts = true
            triesNextTarget = true
            queueError(Refusal(.routeChangeFailed, message))
        }
        streamRetry = retry
        guard triesNextTarget, let target else { return }
        refusedTargets.insert(target)
        if context.world.isDefaultOverdue, wantedTarget(context) == nil {
            // No microphone is left and there is no default: start again with the first, after the backoff.
            refusedTargets = []
            return
        }
        if case .stalled = failure {
            streamRetry?.retryTime = now
        } else {
            streamRetry = nil
        }
    }

    func mayListen(holdsMicrophone: Bool, _ context: SessionContext) -> Bool {
        if usesMicrophone { return context.world.isKnown && holdsMicrophone }
        return wantsToListen && !hasInputEnded && worldReasons(context).isEmpty
    }

    func mayKeepStream(holdsMicrophone: Bool, _ context: SessionContext) -> Bool {
        guard stream.id != nil else { return true }
        guard mayListen(holdsMicrophone: holdsMicrophone, context) else { return false }
        if !usesMicrophone || target == wantedTarget(context) { return true }
        // The fallback source has become the default. Opening it again would lose sound.
        return wantedTarget(context) == nil && target == context.world.defaultSource?.name
    }

    func wantsStream(holdsMicrophone: Bool, at now: Duration, _ context: SessionContext) -> Bool {
        guard stream.id == nil, mayListen(holdsMicrophone: holdsMicrophone, context) else { return false }
        return streamRetry.map { now >= $0.retryTime } ?? true
    }
}
