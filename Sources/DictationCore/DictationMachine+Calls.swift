// What clients ask for. Each call is answered exactly once, here or, for Commit and Stop, when it is done.

extension DictationMachine {
    mutating func handle(_ request: Request, _ call: CallID, from client: Client, at now: Duration) {
        switch request {
        case .start(let id, let options): start(id, options, call, by: client, at: now)
        case .subscribe(let text): subscribe(client, text: text, call)
        case .getSession: reply(.session(report(for: client, at: now)), to: call)
        case .checkPermission: reply(.permission(world.permission(of: client)), to: call)
        case .listRoutes: reply(.routes(world.routes(inUse: properties.route?.source.name)), to: call)
        case .selectRoute(let name): select(name, call, by: client)
        case .stopAll: stopAll(call)
        case .pause, .resume, .commit, .cancel, .stop:
            let waiter = Waiter(call: call, client: client)
            if let index = sessionIndex(for: client) {
                sessions[index].lastActivity = now
                act(request, on: index, waiter, at: now)
            } else if request == .stop, let index = endingSessionIndex(for: client) {
                sessions[index].ending?.waiters.append(waiter)
            } else {
                emit(.refuse(call, .notRunning))
            }
        }
    }

    private mutating func act(_ request: Request, on index: Int, _ waiter: Waiter, at now: Duration) {
        switch request {
        case .pause:
            pause(index, because: .paused)
            reply(.done, to: waiter.call)
        case .resume:
            if let refusal = refusal(of: .listen, on: sessions[index], by: waiter.client) {
                return emit(.refuse(waiter.call, refusal))
            }
            resume(index, at: now)
            reply(.done, to: waiter.call)
        case .commit:
            if let refusal = refusal(of: .read, on: sessions[index], by: waiter.client) {
                return emit(.refuse(waiter.call, refusal))
            }
            commit(index, for: waiter, at: now)
        case .cancel:
            let number = sessions[index].block.number
            cancelBlock(of: index)
            reply(.cancelled(number), to: waiter.call)
        case .stop:
            stop(index, because: .stopped, for: waiter)
        default:
            return
        }
    }

    private mutating func start(
        _ id: SessionID, _ options: StartOptions, _ call: CallID, by client: Client, at now: Duration
    ) {
        if let refusal = refusal(ofStart: options, by: client) {
            return emit(.refuse(call, refusal))
        }
        if sessions.contains(where: { $0.owner == client.name && $0.ending == nil }) {
            return refuse(
                call, .alreadyRunning,
                "This connection (\(client.name.rawValue)) has a session already: call Stop first. Programs that "
                    + "share a process each open a connection of their own.")
        }
        if options.lingers, let index = lingeringSession(of: client.controlGroup) {
            return refuse(
                call, .alreadyRunning,
                "A lingering session is running\(sessions[index].owner.map { ", started by \($0.rawValue)" } ?? ""): "
                    + "call Stop, or Resume it.")
        }
        if isShuttingDown {
            return refuse(call, .cancelled, "The service is ending: call again, and it will be started anew.")
        }
        if sessions.count >= settings.sessionLimit {
            return refuse(
                call, .limitExceeded, "\(settings.sessionLimit) sessions are running: stop one first.")
        }
        var session = Session(id, by: client, options: options, wantedSince: nextStamp(), at: now)
        session.allowedOnce = world.allowedOnce[client] ?? []
        session.permission = world.permission(of: session)
        sessions.append(session)
        pastOwners.insert(client.name)
        reply(.started(id), to: call)
        emit(.openTranscriber(id, session.transcription, session.block.number))
    }

    private mutating func subscribe(_ client: Client, text: Bool, _ call: CallID) {
        if text, let refusal = refusalOfText(to: client) { return emit(.refuse(call, refusal)) }
        subscriptions.removeAll { $0.client.name == client.name }
        if subscriptions.count >= Self.subscriberLimit {
            return refuse(
                call, .limitExceeded, "\(Self.subscriberLimit) connections of this user have subscribed.")
        }
        subscriptions.append(Subscription(client: client, text: text))
        reply(.done, to: call)
    }

    /// Connections of one user.
    static let subscriberLimit = 64

    private mutating func select(_ name: NodeName?, _ call: CallID, by client: Client) {
        if let refusal = refusalOfSelection(by: client) { return emit(.refuse(call, refusal)) }
        if let name, world.knownSources[name] == nil {
            return refuse(
                call, .noSource, "There never was a microphone of this name: ListRoutes tells the names.")
        }
        world.select(name)
        emit(.storeRoutes(world.routeChoices, for: call))
        guard let name else { return }
        // What failed before is tried again when it is asked for.
        for index in sessions.indices { sessions[index].refusedTargets.remove(name) }
    }

    private mutating func resume(_ index: Int, at now: Duration) {
        if sessions[index].intention == .pause { sessions[index].cause = .resumed }
        sessions[index].intention = .listen
        sessions[index].wantedSince = nextStamp()
        sessions[index].streamTrouble?.retryAt = now
        sessions[index].refusedTargets = []
        if sessions[index].engine.isGone { sessions[index].engine = .gone(retryAt: now) }
    }

    mutating func pause(_ index: Int, because cause: StateCause) {
        guard sessions[index].intention == .listen else { return }
        sessions[index].intention = .pause
        sessions[index].cause = cause
        sessions[index].streamTrouble = nil
        sessions[index].streamFailures = 0
    }

    /// Ends the current block and begins the next. `waiter` is told its text; nil where nobody asked.
    mutating func commit(_ index: Int, for waiter: Waiter?, at now: Duration) {
        let block = sessions[index].block
        if sessions[index].commits.isEmpty { sessions[index].lastProgress = now }
        sessions[index].commits.append(Commit(block: block, waiter: waiter, isAutomatic: waiter == nil))
        sessions[index].cause = .committed
        beginNextBlock(of: index)
        if sessions[index].engine.isGone {
            settleCommits(of: index, Refusal(.engineFailed, "The engine is gone, and is being started anew."))
        } else {
            command(.endBlock(block.number), index)
        }
    }

    /// A recogniser that is gone is asked nothing; the next begins with the block that is current then.
    mutating func command(_ command: TranscriberCommand, _ index: Int) {
        guard !sessions[index].engine.isGone else { return }
        emit(.transcriber(sessions[index].id, command))
    }

    /// Tells the recogniser whose voice over which microphone it hears, as soon as that is known.
    mutating func tellAcoustics(of index: Int) {
        guard let source = sessions[index].source else { return }
        command(.acoustics(.microphone(source.name, sessions[index].identity)), index)
    }

    private mutating func cancelBlock(of index: Int) {
        let number = sessions[index].block.number
        beginNextBlock(of: index)
        command(.discardBlock(number), index)
        // Whoever shows the text learns from an empty beginning that it is gone.
        if sessions[index].options.sendsPartials {
            let beginning = SessionSignal.partial(number + 1, offset: 0, stable: "", volatile: "")
            tell(beginning, of: sessions[index])
        }
    }

    private mutating func beginNextBlock(of index: Int) {
        sessions[index].block = Block(
            number: sessions[index].block.number + 1, formatting: sessions[index].options.formatting)
    }

    /// Begins the end of a session: nothing more is heard, the uncommitted block is gone, commits in progress
    /// are finished first.
    mutating func stop(_ index: Int, because reason: StopReason, for waiter: Waiter? = nil) {
        if sessions[index].ending == nil {
            closeStream(of: index)
            sessions[index].ending = Session.Ending(reason: reason)
            sessions[index].cause = .stopped
            command(.discardBlock(sessions[index].block.number), index)
        }
        if let waiter { sessions[index].ending?.waiters.append(waiter) }
    }

    private mutating func stopAll(_ call: CallID) {
        let running = sessions.indices.filter { sessions[$0].ending == nil }
        for index in running { stop(index, because: .stopped) }
        reply(.stopping(running.count), to: call)
    }

    mutating func shutDown(at now: Duration) {
        isShuttingDown = true
        for index in sessions.indices {
            stop(index, because: .shutdown)
            sessions[index].ending?.deadline = now + settings.shutdownGrace
        }
    }

    /// A connection is gone: its session ends unless it lingers, and nothing more is sent to it.
    mutating func forget(_ client: ClientName) {
        subscriptions.removeAll { $0.client.name == client }
        pastOwners.remove(client)
        world.allowedOnce = world.allowedOnce.filter { $0.key.name != client }
        for index in sessions.indices.reversed() where sessions[index].owner == client {
            sessions[index].owner = nil
            if !sessions[index].options.lingers { end(index, because: .ownerVanished) }
        }
        for index in sessions.indices {
            sessions[index].ending?.waiters.removeAll { $0.client.name == client }
            for commit in sessions[index].commits.indices
            where sessions[index].commits[commit].waiter?.client.name == client {
                sessions[index].commits[commit].waiter = nil
            }
        }
    }

    /// A connection does not read: it gets no more signals. Its session ends as if it had left, or lingers.
    mutating func stopTelling(_ client: ClientName) {
        subscriptions.removeAll { $0.client.name == client }
        for index in sessions.indices.reversed() where sessions[index].owner == client {
            sessions[index].owner = nil
            guard !sessions[index].options.lingers else {
                // From now on it controls the session as any other of its group.
                pastOwners.remove(client)
                continue
            }
            abandonCommits(of: index, Refusal(.cancelled, "The connection did not read its signals."))
            let waiters = sessions[index].ending?.waiters ?? []
            end(index, because: .ownerVanished)
            for waiter in waiters { reply(.done, to: waiter.call) }
        }
    }

    private mutating func reply(_ reply: Reply, to call: CallID) { emit(.reply(call, reply)) }

    private mutating func report(for client: Client, at now: Duration) -> SessionReport {
        guard let index = sessionIndex(for: client) else { return .idle }
        sessions[index].lastActivity = now
        let session = sessions[index]
        let mayRead = refusal(of: .read, on: session, by: client) == nil
        return SessionReport(
            session: session.id, state: session.state, reasons: session.reasons,
            lockedBy: world.seat?.lockedBy, pending: session.commits.count,
            block: session.block.number,
            text: mayRead ? session.block.text : "", finals: mayRead ? session.finals : [],
            route: session.sourceInUse.map { world.route($0, isInUse: true) },
            droppedFrames: session.droppedFrames, duration: Double(session.capturedFrames) / sampleRate,
            lag: session.lag, lingers: session.options.lingers, isOwner: session.owner == client.name,
            vocabulary: mayRead ? session.options.transcription.vocabulary : [])
    }
}

/// Of all audio here, in frames a second.
let sampleRate = 16_000.0
