// What should be, what is, and the difference.

extension DictationMachine {
    /// Brings streams, signals and the inhibitor in line with what the sessions want and the world allows.
    mutating func reconcile(at now: Duration) {
        if !world.isAsleep { holdInhibitor(true) }
        for index in sessions.indices { sessions[index].finishInput(at: now, context, &effects) }
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
        where sessions[index].wantsStream(holdsMicrophone: holder == sessions[index].id, at: now, context) {
            sessions[index].openStream(nextCapture(), at: now, context, &effects)
        }
        for index in sessions.indices { sessions[index].reopenEngine(at: now, &effects) }
        for index in sessions.indices { sessions[index].tellChanges(at: now, context, &effects) }
        for id in sessions.map(\.id) { endIfDone(id) }
        if world.isAsleep { holdInhibitor(false) }
    }

    /// The same for what an event of its recogniser can change of a session. Returns true where it is over, so that the
    /// others have to be looked at.
    mutating func reconcile(_ index: Int, at now: Duration) -> Bool {
        sessions[index].tellChanges(at: now, context, &effects)
        let count = sessions.count
        endIfDone(sessions[index].id)
        return sessions.count != count
    }

    /// Among the sessions that want to listen and that nothing in the world keeps from it, the one whose owner
    /// said so last.
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

    /// Does what is due.
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
        guard let index = index(of: id), let ending = sessions[index].ending, sessions[index].commits.isEmpty
        else { return }
        end(index, because: ending.reason)
        for waiter in ending.waiters { emit(.reply(waiter.call, .done)) }
    }

    /// The session is over; nothing of it follows.
    mutating func end(_ index: Int, because reason: StopReason) {
        var session = sessions.remove(at: index)
        session.end(because: reason, context, &effects)
    }

    /// Held before anything captures, released when nothing does any more.
    private mutating func holdInhibitor(_ holds: Bool) {
        guard holds != holdsInhibitor else { return }
        holdsInhibitor = holds
        emit(.holdSleepInhibitor(holds))
    }
}
