// Why the session does not listen though it wants to, and the interruption that its clients are told of.

extension Session {
    /// Every reason that keeps this session from listening though it wants to, in a fixed order.
    func reasons(holdsMicrophone: Bool, _ context: SessionContext) -> [Reason] {
        guard wantsToListen else { return [] }
        var reasons = worldReasons(context)
        if reasons.isEmpty, usesMicrophone, !holdsMicrophone {
            reasons.append(isBeingMoved(context) ? .noSource : .preempted)
        }
        if let trouble = streamTrouble, trouble.isReason, !reasons.contains(trouble.reason) {
            reasons.append(trouble.reason)
        }
        return reasons
    }

    /// The reasons that lie in the world; a stream that failed is none of them, because trying again is how it
    /// gets well.
    func worldReasons(_ context: SessionContext) -> [Reason] {
        let world = context.world
        var reasons: [Reason] = []
        if !isPermitted { reasons.append(.permissionLost) }
        if hasEngineTrouble { reasons.append(.engineLost) }
        guard usesMicrophone else { return reasons }
        var optional: [Reason] = []
        if world.isAsleep { reasons.append(.suspend) }
        if world.isLocked { optional.append(.sessionLocked) }
        if world.seat?.isActive == false { optional.append(.sessionInactive) }
        if let audio = world.audio {
            if context.isInCall { optional.append(.call) }
            let source = world.available(wantedTarget(context)) ?? world.defaultSource
            if !audio.isServerAvailable {
                reasons.append(.audioServerLost)
            } else if source == nil {
                reasons.append(.noSource)
            }
            if source?.isMuted == true { optional.append(.sourceMuted) }
        }
        reasons += optional.filter(context.settings.interruptingReasons.contains)
        return reasons == [.noSource] && isBeingMoved(context) ? [] : reasons
    }

    /// Keeps those reasons that still hold where they are and puts new ones behind.
    mutating func setReasons(_ holding: [Reason]) {
        if let cleared = reasons.last(where: { !holding.contains($0) }) { episode?.lastCleared = cleared }
        let kept = reasons.filter(holding.contains)
        let new = holding.filter { !kept.contains($0) }
        reasons = kept + new
        for reason in new where episode?.reasons.contains(reason) == false { episode?.reasons.append(reason) }
    }

    mutating func beginEpisode(at now: Duration, _ context: SessionContext, _ effects: inout [Effect]) {
        guard let first = reasons.first else { return }
        episode = Episode(
            began: now + context.slept, reasons: reasons, lastCleared: first,
            droppedFramesBefore: droppedFrames)
        block.interruptions += 1
        tell(.interrupted(first, all: reasons), context, &effects)
    }

    mutating func endEpisode(at now: Duration, _ context: SessionContext, _ effects: inout [Effect]) {
        guard let episode else { return }
        self.episode = nil
        guard state == .listening else { return }
        cause = .flowing
        let rebuilt =
            episode.rebuilt.union(episode.reasons.contains(.audioServerLost) ? [.audioServer] : [])
        let interruption = EndedInterruption(
            reasons: episode.reasons, duration: (now + context.slept - episode.began).seconds,
            rebuilt: RebuiltPart.allCases.filter(rebuilt.contains),
            droppedFrames: droppedFrames - episode.droppedFramesBefore)
        tell(.resumed(episode.lastCleared, interruption), context, &effects)
    }

    /// One Error for each interruption, however often the attempt to end it fails.
    mutating func tellErrorOnce(_ refusal: Refusal) {
        guard episode?.hasToldError != true else { return }
        untoldError = refusal
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
