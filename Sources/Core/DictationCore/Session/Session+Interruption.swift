// Interruptions: their reasons, beginning and end.

extension Session {
    /// All reasons that keep the session from listening although it wants to, in a fixed order.
    func reasons(holdsMicrophone: Bool, _ context: SessionContext) -> [Reason] {
        guard wantsToListen else { return [] }
        var reasons = worldReasons(context)
        if reasons.isEmpty, usesMicrophone, !holdsMicrophone {
            reasons.append(awaitsNewDefault(context) ? .noSource : .preempted)
        }
        if let retry = streamRetry, retry.interrupts, !reasons.contains(retry.reason) {
            reasons.append(retry.reason)
        }
        return reasons
    }

    /// The reasons in the world, the permission and the engine. A failed stream is not among them, because only
    /// opening it again ends the failure.
    func worldReasons(_ context: SessionContext) -> [Reason] {
        let world = context.world
        var reasons: [Reason] = []
        if !isPermitted { reasons.append(.permissionLost) }
        if hasEngineFailed { reasons.append(.engineLost) }
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
        return reasons == [.noSource] && awaitsNewDefault(context) ? [] : reasons
    }

    /// Keeps the order of reasons that still hold and appends new ones.
    mutating func setReasons(_ holding: [Reason]) {
        if let cleared = reasons.last(where: { !holding.contains($0) }) {
            interruption?.lastCleared = cleared
        }
        let kept = reasons.filter(holding.contains)
        let new = holding.filter { !kept.contains($0) }
        reasons = kept + new
        for reason in new where interruption?.reasons.contains(reason) == false {
            interruption?.reasons.append(reason)
        }
    }

    mutating func beginInterruption(at now: Duration, _ context: SessionContext, _ effects: inout [Effect]) {
        guard let first = reasons.first else { return }
        interruption = Interruption(
            began: now + context.slept, reasons: reasons, lastCleared: first,
            droppedFramesBefore: droppedFrames)
        block.interruptions += 1
        send(.interrupted(first, all: reasons), context, &effects)
    }

    mutating func endInterruption(at now: Duration, _ context: SessionContext, _ effects: inout [Effect]) {
        guard let interruption else { return }
        self.interruption = nil
        guard state == .listening else { return }
        cause = .flowing
        let rebuilt =
            interruption.rebuilt.union(interruption.reasons.contains(.audioServerLost) ? [.audioServer] : [])
        let ended = EndedInterruption(
            reasons: interruption.reasons, duration: (now + context.slept - interruption.began).seconds,
            rebuilt: RebuiltPart.allCases.filter(rebuilt.contains),
            droppedFrames: droppedFrames - interruption.droppedFramesBefore)
        send(.resumed(interruption.lastCleared, ended), context, &effects)
    }

    /// Queues the one Error of an interruption. Later failures to end it send no other.
    mutating func queueError(_ refusal: Refusal) {
        guard interruption?.hasSentError != true else { return }
        queuedError = refusal
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
