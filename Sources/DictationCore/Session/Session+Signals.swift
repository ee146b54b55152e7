// What the owner and the subscribers are told.

extension Session {
    /// Tells what has become different: the beginning or end of an interruption, the state, the text, errors.
    mutating func tellChanges(at now: Duration, _ context: SessionContext, _ effects: inout [Effect]) {
        guard ending == nil || !commits.isEmpty else { return }
        if episode == nil, state == .interrupted { beginEpisode(at: now, context, &effects) }
        if let error = untoldError {
            untoldError = nil
            episode?.hasToldError = true
            tell(.error(error), context, &effects)
        }
        if episode != nil, state != .interrupted { endEpisode(at: now, context, &effects) }
        tellState(context, &effects)
        tellPartial(at: now, context, &effects)
    }

    private mutating func tellState(_ context: SessionContext, _ effects: inout [Effect]) {
        let current = Told(state: state, reasons: reasons, pending: commits.count)
        guard current != told else { return }
        var cause = cause
        if current.state == .listening, told.state != .listening {
            cause = .flowing
        } else if let new = current.reasons.last(where: { !told.reasons.contains($0) }) {
            cause = .reason(new)
        } else if current.state == .interrupted, current.reasons != told.reasons,
            let reason = current.reasons.last ?? episode?.lastCleared
        {
            cause = .reason(reason)
        } else if current.state == .starting, told.state == .listening {
            cause = .route
        }
        told = current
        tell(
            .stateChanged(current.state, cause: cause, reasons: current.reasons, pending: current.pending),
            context, &effects)
    }

    private mutating func tellPartial(
        at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        guard mayTellPartial(context), now >= nextPartial, let partial = block.takePartial() else { return }
        nextPartial = now + context.settings.partialInterval
        tell(
            .partial(
                block.number, offset: partial.offset, stable: partial.stable, volatile: partial.volatile),
            context, &effects)
    }

    func mayTellPartial(_ context: SessionContext) -> Bool {
        options.sendsPartials && !context.isCongested && ending == nil
            && isPermitted
    }

    func tellLevel(rms: Double, peak: Double, _ context: SessionContext, _ effects: inout [Effect]) {
        guard options.sendsLevels, stream.isFlowing else { return }
        tell(.level(rms: rms, peak: peak), context, &effects)
    }

    /// Sends to whoever may receive it: text to the owner and to those who may control the session, the rest to
    /// every subscriber of the world.
    func tell(_ signal: SessionSignal, _ context: SessionContext, _ effects: inout [Effect]) {
        if options.broadcasts {
            effects.append(.signal(signal, id, to: .everyone))
            return
        }
        var clients = owner.map { [$0] } ?? []
        for subscription in context.subscriptions where !clients.contains(subscription.client.name) {
            if !signal.holdsText || mayFollowText(subscription, context) {
                clients.append(subscription.client.name)
            }
        }
        if !clients.isEmpty { effects.append(.signal(signal, id, to: .clients(clients))) }
    }
}

extension SessionSignal {
    fileprivate var holdsText: Bool {
        switch self {
        case .partial, .final, .retracted, .command, .level: true
        default: false
        }
    }
}
