// Facts from the audio server, the permissions and the capture streams, passed to the sessions they concern.

extension DictationMachine {
    mutating func update(_ facts: AudioFacts, at now: Duration) {
        let changedSources =
            facts.sources != world.audio?.sources || facts.defaultSource != world.audio?.defaultSource
        let serverCame = facts.isServerAvailable && world.audio?.isServerAvailable == false
        context.world.update(facts, at: now)
        for index in sessions.indices {
            // What failed before may work now: retry at once.
            sessions[index].update(
                facts, mayRetry: changedSources || serverCame, at: now, context, &effects)
        }
        updateCall()
    }

    mutating func change(_ settings: Settings) {
        // A microphone that failed before is tried again.
        if let route = settings.route, route != self.settings.route {
            for index in sessions.indices { sessions[index].refusedTargets.remove(route) }
        }
        context.settings = settings
        updateCall()
    }

    private mutating func updateCall() {
        context.isInCall = world.audio.map(settings.callRules.callInProgress) ?? false
    }

    mutating func update(_ permission: Permission, of identity: Identity) {
        context.world.permissions[identity] = permission == .notDetermined ? nil : permission
        for client in world.allowedOnce.keys where client.identity == identity {
            context.world.allowedOnce[client]?.formIntersection(permission.leftToAllowOnce)
        }
        for index in sessions.indices where sessions[index].identity == identity {
            sessions[index].allowedOnce.formIntersection(permission.leftToAllowOnce)
            sessions[index].permission = world.permission(of: sessions[index])
        }
        for index in sessions.indices { sessions[index].refuseUnpermittedReaders(context, &effects) }
    }

    mutating func allowOnce(_ resources: [Resource], _ client: Client) {
        context.world.allowedOnce[client, default: []].formUnion(resources)
        for index in sessions.indices where sessions[index].owner == client.name {
            sessions[index].allowedOnce.formUnion(resources)
            sessions[index].permission = world.permission(of: sessions[index])
        }
    }

    mutating func handle(_ event: CaptureEvent, of id: CaptureID, at now: Duration) {
        let index =
            if case .dropped = event {
                sessions.firstIndex { $0.usesMicrophone && $0.recentCaptures.contains(id) }
            } else {
                sessions.firstIndex { $0.usesMicrophone && $0.stream.id == id }
            }
        if let index { sessions[index].handle(event, of: id, at: now, context, &effects) }
    }
}
