// The choice of the microphone.

extension Session {
    /// The microphone to open a stream on; nil follows the default.
    func wantedTarget(_ context: SessionContext) -> NodeName? {
        (preferredTargets(context) + context.world.fallbackSources)
            .first { context.world.available($0) != nil && !refusedTargets.contains($0) }
    }

    /// The microphones that the call, the user and the configuration chose, in order of preference, present or not.
    func preferredTargets(_ context: SessionContext) -> [NodeName] {
        [options.route, context.world.selectedSource, context.settings.route, context.preferredSource]
            .compactMap { $0 }
    }

    /// The default source has disappeared. The session manager moves the stream and announces the new default soon.
    func awaitsNewDefault(_ context: SessionContext) -> Bool {
        stream.isFlowing && target == nil && wantedTarget(context) == nil
            && context.world.defaultDeadline != nil
    }

    /// The audio server's facts have changed.
    /// - Parameter mayRetry: a stream that failed before may work now.
    mutating func update(
        _ facts: AudioFacts, mayRetry: Bool, at now: Duration, _ context: SessionContext,
        _ effects: inout [Effect]
    ) {
        if !facts.isServerAvailable { serverWasLost = true }
        if mayRetry { streamRetry?.retryTime = now }
        refusedTargets.formIntersection(facts.sources.keys)
        if let source = sourceInUse, let current = facts.sources[source.name] {
            relink(to: current, at: now, context, &effects)
        }
    }

    /// The stream was linked to this source, or the linked source changed.
    mutating func relink(
        to source: Source, at now: Duration, _ context: SessionContext, _ effects: inout [Effect]
    ) {
        let world = context.world
        let previous = self.source
        let serverRestarted = serverWasLost
        self.source = source
        isLinked = true
        serverWasLost = false
        if previous?.name != source.name {
            sendAcoustics(&effects)
            // That of another microphone.
            if previous != nil {
                channelChoice = ChannelChoice()
                inputMonitor = InputMonitor()
            }
        }
        guard let previous else { return }
        let reason: RouteChangeReason
        if serverRestarted {
            reason = .serverRestarted
        } else if previous.name != source.name {
            if world.available(previous.name) == nil {
                reason = .deviceRemoved
            } else if refusedTargets.contains(previous.name) {
                reason = .deviceFailed
            } else if world.hasJustAppeared(source.name, at: now) {
                reason = .newDevice
            } else {
                let isPreferred = preferredTargets(context).contains(source.name)
                reason = isPreferred && target == source.name ? .selected : .defaultChanged
            }
        } else if previous.bluetoothProfile != source.bluetoothProfile {
            reason = .profileChanged
        } else {
            return
        }
        send(
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
