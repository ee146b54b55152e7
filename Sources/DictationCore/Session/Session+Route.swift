// Which microphone the session listens to.

extension Session {
    /// The microphone that a stream is to be opened on; nil follows the default.
    func wantedTarget(_ context: SessionContext) -> NodeName? {
        (preferences(context) + context.world.standIns)
            .first { context.world.available($0) != nil && !refusedTargets.contains($0) }
    }

    /// The microphones that somebody wants for this session, the most wanted first, whether or not they are there.
    func preferences(_ context: SessionContext) -> [NodeName] {
        [options.route, context.world.selectedSource, context.settings.route, context.preferredSource]
            .compactMap { $0 }
    }

    /// The default has gone, the session manager moves what follows it, and names the next one a moment later.
    func isBeingMoved(_ context: SessionContext) -> Bool {
        stream.isFlowing && target == nil && wantedTarget(context) == nil
            && context.world.defaultDeadline != nil
    }

    /// The audio server's facts have changed.
    /// - Parameter mayRetry: what failed before may work now.
    mutating func update(
        _ facts: AudioFacts, mayRetry: Bool, at now: Duration, _ context: SessionContext,
        _ effects: inout [Effect]
    ) {
        if !facts.isServerAvailable { serverWasLost = true }
        if mayRetry { streamTrouble?.retryAt = now }
        refusedTargets.formIntersection(facts.sources.keys)
        if let source = sourceInUse, let current = facts.sources[source.name] {
            relink(to: current, at: now, context, &effects)
        }
    }

    /// The stream is linked to this source now, or the source has changed under it.
    mutating func relink(
        to source: Source, at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        let world = context.world
        let previous = self.source
        let serverRestarted = serverWasLost
        self.source = source
        isLinked = true
        serverWasLost = false
        if previous?.name != source.name { tellAcoustics(&effects) }
        guard let previous else { return }
        let reason: RouteChangeReason
        if serverRestarted {
            reason = .serverRestarted
        } else if previous.name != source.name {
            if world.available(previous.name) == nil {
                reason = .deviceRemoved
            } else if refusedTargets.contains(previous.name) {
                reason = .deviceFailed
            } else if world.isNewcomer(source.name, at: now) {
                reason = .newDevice
            } else {
                let isPreferred = preferences(context).contains(source.name)
                reason = isPreferred && target == source.name ? .selected : .defaultChanged
            }
        } else if previous.bluetoothProfile != source.bluetoothProfile {
            reason = .profileChanged
        } else {
            return
        }
        tell(
            .routeChanged(
                reason, previous: world.route(previous, isInUse: false),
                current: world.route(source, isInUse: true)),
            context, &effects)
    }
}

extension SessionContext {
    fileprivate var preferredSource: NodeName? {
        guard settings.prefersBluetooth, let audio = world.audio else { return nil }
        return audio.sources.values.filter(\.isBluetooth).map(\.name).min()
    }
}
