// Calls that act on the session.

extension Session {
    /// - Parameter stamp: greater than every stamp given before; see ``wantedSince``.
    mutating func resume(wantedSince stamp: UInt64, at now: Duration) {
        if intention == .pause { cause = .resumed }
        intention = .listen
        wantedSince = stamp
        streamRetry?.retryTime = now
        refusedTargets = []
        if engine.isGone { engine = .gone(retryTime: now) }
    }

    mutating func pause(because cause: StateCause) {
        guard intention == .listen else { return }
        intention = .pause
        self.cause = cause
        recording?.wasPaused = true
        streamRetry = nil
        streamFailures = 0
    }

    mutating func cancelBlock(_ context: SessionContext, _ effects: inout [Effect]) {
        let number = block.number
        beginNextBlock()
        command(.discardBlock(number), &effects)
        record(.discardBlock(number), &effects)
        // An empty Partial of the next block tells clients that the text is gone.
        if options.sendsPartials {
            send(.partial(number + 1, offset: 0, stable: "", volatile: ""), context, &effects)
        }
    }

    /// Begins the end of the session: the stream closes, the uncommitted block is discarded, and commits in progress
    /// are finished before the session ends.
    /// - Parameter waitsForPermission: see ``Ending/waitsForPermission``.
    mutating func stop(
        because reason: StopReason, waitsForPermission: Bool = false, _ effects: inout [Effect]
    ) {
        guard ending == nil else { return }
        closeStream(&effects)
        ending = Ending(reason: reason, waitsForPermission: waitsForPermission)
        cause = .stopped
        command(.discardBlock(block.number), &effects)
        record(.finish, &effects)
    }

    /// The call is answered when the session has ended.
    mutating func awaitEnd(_ waiter: Waiter) {
        ending?.waiters.append(waiter)
        ending?.waitsForPermission = false
    }

    /// Ends the session. It sends nothing after that.
    mutating func end(because reason: StopReason, _ context: SessionContext, _ effects: inout [Effect]) {
        closeStream(&effects)
        effects.append(.discard(id))
        send(.stopped(reason, recorded: recording?.seconds), context, &effects)
    }

    /// Drops the pending replies to this connection.
    mutating func forgetWaiters(of client: ClientName) {
        ending?.waiters.removeAll { $0.client.name == client }
        for index in commits.indices where commits[index].waiter?.client.name == client {
            commits[index].waiter = nil
        }
    }

    func report(for client: Client, _ context: SessionContext) -> SessionReport {
        let mayRead = refusal(of: .read, by: client, context) == nil
        return SessionReport(
            session: id, state: state, reasons: reasons, lockedBy: context.world.seat?.lockedBy,
            pending: commits.count, block: block.number, text: mayRead && !block.isWithheld ? block.text : "",
            finals: mayRead ? finals : [], route: sourceInUse.map { context.world.route($0, isInUse: true) },
            droppedFrames: droppedFrames, duration: Double(capturedFrames) / sampleRate, lag: lag,
            problems: sentProblems,
            language: options.transcription.language, isFormatted: options.formatting != nil,
            lingers: options.lingers, isOwner: owner == client.name,
            vocabulary: mayRead ? options.transcription.vocabulary : [])
    }
}

/// The sample rate of all audio here, in frames per second.
let sampleRate = 16_000.0
