// Signals to the owner and the subscribers.

extension Session {
    /// Sends what changed: the beginning or end of an interruption, the state, the text, errors.
    mutating func sendChanges(at now: Duration, _ context: SessionContext, _ effects: inout [Effect]) {
        guard ending == nil || !commits.isEmpty else { return }
        if interruption == nil, state == .interrupted { beginInterruption(at: now, context, &effects) }
        if let error = queuedError {
            queuedError = nil
            interruption?.hasSentError = true
            send(.error(error), context, &effects)
        }
        if interruption != nil, state != .interrupted { endInterruption(at: now, context, &effects) }
        sendStateChange(context, &effects)
        sendProblems(context, &effects)
        sendRetractions(context, &effects)
        sendPartial(at: now, context, &effects)
    }

    private mutating func sendStateChange(_ context: SessionContext, _ effects: inout [Effect]) {
        let current = SentState(state: state, reasons: reasons, pending: commits.count)
        guard current != lastSent else { return }
        var cause = cause
        if current.state == .listening, lastSent.state != .listening {
            cause = .flowing
        } else if let new = current.reasons.last(where: { !lastSent.reasons.contains($0) }) {
            cause = .reason(new)
        } else if current.state == .interrupted, current.reasons != lastSent.reasons,
            let reason = current.reasons.last ?? interruption?.lastCleared
        {
            cause = .reason(reason)
        } else if current.state == .starting, lastSent.state == .listening {
            cause = .route
        }
        lastSent = current
        send(
            .stateChanged(current.state, cause: cause, reasons: current.reasons, pending: current.pending),
            context, &effects)
    }

    private mutating func sendPartial(
        at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        guard maySendPartial(context), now >= nextPartial, let partial = block.takePartial() else { return }
        nextPartial = now + context.settings.partialInterval
        send(
            .partial(
                block.number, offset: partial.offset, stable: partial.stable, volatile: partial.volatile),
            context, &effects)
    }

    func maySendPartial(_ context: SessionContext) -> Bool {
        options.sendsPartials && !context.isCongested && ending == nil
            && isPermitted
    }

    func send(_ level: SoundLevel, _ context: SessionContext, _ effects: inout [Effect]) {
        guard options.sendsLevels, stream.isFlowing else { return }
        send(.level(level), context, &effects)
    }

    /// Sends a signal to the owner and to the subscribers. Signals with text go only to subscribers that may read it.
    func send(_ signal: SessionSignal, _ context: SessionContext, _ effects: inout [Effect]) {
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
