// Method calls. Each is answered exactly once: here, or, for Commit and Stop, when it is done.

extension DictationMachine {
    mutating func handle(_ request: Request, _ call: CallID, from client: Client, at now: Duration) {
        switch request {
        case .start(let id, let options): start(id, options, call, by: client, at: now)
        case .subscribe(let text): subscribe(client, text: text, call)
        case .getSession: reply(.session(report(for: client)), to: call)
        case .checkPermission: reply(.permission(world.permission(of: client)), to: call)
        case .listRoutes: reply(.routes(world.routes(inUse: properties.route?.source.name)), to: call)
        case .selectRoute(let name): select(name, call, by: client)
        case .stopAll: stopAll(call)
        // Not an activity: the focus changes also while nobody dictates.
        case .keepTexts(let keeps):
            guard let index = sessionIndex(for: client) else { return emit(.refuse(call, .notRunning)) }
            sessions[index].keepTexts(keeps)
            reply(.done, to: call)
        case .secretField(let hasFocus):
            guard let index = sessionIndex(for: client) else { return emit(.refuse(call, .notRunning)) }
            sessions[index].setSecretField(hasFocus)
            reply(.done, to: call)
        case .pause, .resume, .commit, .cancel, .stop:
            let waiter = Waiter(call: call, client: client)
            if let index = sessionIndex(for: client) {
                sessions[index].lastActivity = now
                sessions[index].unclaimedUntil = nil
                act(request, on: index, waiter, at: now)
            } else if request == .stop, let index = endingSessionIndex(for: client) {
                sessions[index].awaitEnd(waiter)
            } else {
                emit(.refuse(call, .notRunning))
            }
        }
    }

    private mutating func act(_ request: Request, on index: Int, _ waiter: Waiter, at now: Duration) {
        switch request {
        case .pause:
            sessions[index].pause(because: .paused)
            reply(.done, to: waiter.call)
        case .resume:
            if let refusal = sessions[index].refusal(of: .listen, by: waiter.client, context) {
                return emit(.refuse(waiter.call, refusal))
            }
            sessions[index].resume(wantedSince: nextStamp(), at: now)
            reply(.done, to: waiter.call)
        case .commit:
            if let refusal = sessions[index].refusal(of: .read, by: waiter.client, context) {
                return emit(.refuse(waiter.call, refusal))
            }
            sessions[index].commit(for: waiter, at: now, context, &effects)
        case .cancel:
            let number = sessions[index].block.number
            sessions[index].cancelBlock(context, &effects)
            reply(.cancelled(number), to: waiter.call)
        case .stop:
            sessions[index].stop(because: .stopped, &effects)
            sessions[index].awaitEnd(waiter)
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
        let own = sessions.firstIndex { $0.owner == client.name && $0.ending == nil }
        // A session that was restored for it, and that it does not use.
        let unused = own.flatMap { sessions[$0].unclaimedUntil == nil ? nil : $0 }
        if own != nil, unused == nil {
            return refuse(
                call, .alreadyRunning,
                "This connection (\(client.name.rawValue)) has a session already: call Stop first. Programs that "
                    + "share a process each open a connection of their own.")
        }
        if options.lingers, let index = lingeringSession(of: client.controlGroup), index != unused {
            return refuse(
                call, .alreadyRunning,
                "A lingering session is running\(sessions[index].owner.map { ", started by \($0.rawValue)" } ?? ""): "
                    + "call Stop, or Resume it.")
        }
        if isShuttingDown {
            return refuse(call, .cancelled, "The service is shutting down: call again to start it anew.")
        }
        if sessions.count - (unused == nil ? 0 : 1) >= settings.sessionLimit {
            return refuse(
                call, .limitExceeded, "\(settings.sessionLimit) sessions are running: stop one first.")
        }
        var session = Session(id, by: client, options: options, wantedSince: nextStamp(), at: now)
        session.allowedOnce = world.allowedOnce[client] ?? []
        session.permission = world.permission(of: session)
        sessions.append(session)
        pastOwners.insert(client.name)
        reply(.started(id), to: call)
        if !options.areUnsettled { session.openEngine(&effects) }
        // The client begins anew, and gets the text that it had.
        if let unused {
            sessions[unused].commit(for: nil, at: now, context, &effects)
            sessions[unused].stop(because: .abandoned, waitsForPermission: true, &effects)
        }
    }

    private mutating func subscribe(_ client: Client, text: Bool, _ call: CallID) {
        if text, let refusal = refusalOfText(to: client) { return emit(.refuse(call, refusal)) }
        context.subscriptions.removeAll { $0.client.name == client.name }
        let ofSame = context.subscriptions.count { $0.client.identity == client.identity }
        if ofSame >= Self.applicationSubscriberLimit {
            return refuse(
                call, .limitExceeded,
                "\(Self.applicationSubscriberLimit) connections of this application have subscribed.")
        }
        if context.subscriptions.count >= Self.subscriberLimit {
            return refuse(
                call, .limitExceeded, "\(Self.subscriberLimit) connections of this user have subscribed.")
        }
        context.subscriptions.append(Subscription(client: client, text: text))
        reply(.done, to: call)
    }

    /// Subscribed connections of one user.
    static let subscriberLimit = 64
    /// Subscribed connections of one application, so that others of the user can subscribe too. All unidentified connections
    /// are one application.
    static let applicationSubscriberLimit = 16

    private mutating func select(_ name: NodeName?, _ call: CallID, by client: Client) {
        if let refusal = refusalOfSelection(by: client) { return emit(.refuse(call, refusal)) }
        if let name, world.knownSources[name] == nil {
            return refuse(
                call, .noSource, "No microphone of this name has been seen: ListRoutes lists the names.")
        }
        context.world.select(name)
        emit(.storeRoutes(world.routeChoices, for: call))
        guard let name else { return }
        // Selecting a microphone that failed before tries it again.
        for index in sessions.indices { sessions[index].refusedTargets.remove(name) }
    }

    private mutating func stopAll(_ call: CallID) {
        let running = sessions.indices.filter { sessions[$0].ending == nil }
        for index in running { sessions[index].stop(because: .stopped, &effects) }
        for index in sessions.indices { sessions[index].ending?.waitsForPermission = false }
        reply(.stopping(running.count), to: call)
    }

    mutating func shutDown(at now: Duration) {
        isShuttingDown = true
        let deadline = now + settings.shutdownGrace
        for index in sessions.indices {
            sessions[index].shutDown(by: deadline, at: now, context, &effects)
        }
    }

    /// The connection closed: its session ends unless it lingers, and nothing more is sent to it.
    mutating func removeClient(_ client: ClientName) {
        context.subscriptions.removeAll { $0.client.name == client }
        pastOwners.remove(client)
        context.world.allowedOnce = world.allowedOnce.filter { $0.key.name != client }
        for index in sessions.indices.reversed() where sessions[index].owner == client {
            sessions[index].owner = nil
            if !sessions[index].options.lingers { end(index, because: .ownerVanished) }
        }
        for index in sessions.indices { sessions[index].forgetWaiters(of: client) }
    }

    /// The connection does not read its signals: it gets no more. Its session ends unless it lingers.
    mutating func stopSending(_ client: ClientName) {
        context.subscriptions.removeAll { $0.client.name == client }
        for index in sessions.indices.reversed() where sessions[index].owner == client {
            sessions[index].owner = nil
            guard !sessions[index].options.lingers else {
                // From now on it controls the session like any other client of the control group.
                pastOwners.remove(client)
                continue
            }
            sessions[index].abandonCommits(
                Refusal(.cancelled, "The connection did not read its signals."), &effects)
            let waiters = sessions[index].ending?.waiters ?? []
            end(index, because: .ownerVanished)
            for waiter in waiters { reply(.done, to: waiter.call) }
        }
    }

    private mutating func reply(_ reply: Reply, to call: CallID) { emit(.reply(call, reply)) }

    /// Not an activity: a program that shows the state must not keep the microphone of a session open that nobody uses.
    private func report(for client: Client) -> SessionReport {
        guard let index = sessionIndex(for: client) else { return .idle }
        return sessions[index].report(for: client, context)
    }
}
