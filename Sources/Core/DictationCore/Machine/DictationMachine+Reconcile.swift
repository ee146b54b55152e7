// The desired state, the actual state, and effects for the difference.

extension DictationMachine {
    /// Opens and closes streams, sends signals and holds the inhibitor as the sessions' wishes and the world require.
    mutating func reconcile(at now: Duration) {
        if !world.isAsleep { holdInhibitor(true) }
        for index in sessions.indices {
            sessions[index].sendOutcomes(context, &effects)
            sessions[index].finishInput(at: now, context, &effects)
        }
        let holder = findMicrophoneHolder()
        for index in sessions.indices {
            let holds = holder == sessions[index].id
            sessions[index].setReasons(sessions[index].reasons(holdsMicrophone: holds, context))
        }
        for index in sessions.indices
        where !sessions[index].mayKeepStream(holdsMicrophone: holder == sessions[index].id, context) {
            sessions[index].closeStream(&effects)
        }
        for index in sessions.indices
        where sessions[index].hasOpenedStream && sessions[index].stream == .closed {
            sessions[index].beginRecordingGap(at: now, context)
        }
        for index in sessions.indices
        where sessions[index].wantsStream(holdsMicrophone: holder == sessions[index].id, at: now, context) {
            sessions[index].openStream(nextCapture(), at: now, context, &effects)
        }
        for index in sessions.indices { sessions[index].reopenEngine(at: now, &effects) }
        for index in sessions.indices { sessions[index].sendChanges(at: now, context, &effects) }
        for id in sessions.map(\.id) { endIfDone(id) }
        if world.isAsleep { holdInhibitor(false) }
    }

    /// Reconciles what an event of the recogniser can change in one session.
    /// - Returns: whether the session ended, so that the others must be reconciled.
    mutating func reconcile(_ index: Int, at now: Duration) -> Bool {
        sessions[index].sendChanges(at: now, context, &effects)
        let count = sessions.count
        endIfDone(sessions[index].id)
        return sessions.count != count
    }

    /// Of the sessions that want the microphone and have no other reason not to listen, the one with the latest Start
    /// or Resume.
    func findMicrophoneHolder() -> SessionID? {
        var latest: (id: SessionID, wantedSince: UInt64)?
        for index in sessions.indices
        where sessions[index].wantsToListen && sessions[index].usesMicrophone
            && sessions[index].wantedSince > latest?.wantedSince ?? 0
            && sessions[index].worldReasons(context).isEmpty
        {
            latest = (sessions[index].id, sessions[index].wantedSince)
        }
        return latest?.id
    }

    /// Handles all timeouts that are due.
    mutating func expire(at now: Duration) {
        context.world.expire(at: now)
        let holder = findMicrophoneHolder()
        for index in sessions.indices {
            let holds = holder == sessions[index].id
            for deadline in sessions[index].deadlines(holdsMicrophone: holds, context)
            where deadline.when <= now {
                sessions[index].expire(deadline.what, at: now, context, &effects)
            }
        }
    }

    private mutating func endIfDone(_ id: SessionID) {
        guard let index = index(of: id), sessions[index].isDone, let ending = sessions[index].ending else {
            return
        }
        if ending.isLeft {
            emit(.leave(id, sessions.remove(at: index).uncommitted))
        } else {
            sessions[index].abandonUnpermittedCommits(context, &effects)
            end(index, because: ending.reason)
        }
        for waiter in ending.waiters { emit(.reply(waiter.call, .done)) }
    }

    /// Removes the session.
    mutating func end(_ index: Int, because reason: StopReason) {
        var session = sessions.remove(at: index)
        session.end(because: reason, context, &effects)
    }

    /// The inhibitor is taken before a stream opens and released after the last one closed.
    private mutating func holdInhibitor(_ holds: Bool) {
        guard holds != holdsInhibitor else { return }
        holdsInhibitor = holds
        emit(.holdSleepInhibitor(holds))
    }
}
