// Access rules of sessions. All of them are in this file.

/// What a caller does with a session that it controls.
enum SessionUse {
    /// Pause, Cancel, Stop, and GetSession without text.
    case control
    /// Opens the microphone: Resume.
    case listen
    /// Returns text: Commit, GetSession, signals with text.
    case read
}

extension Session {
    /// Why `client` may not use the session that way; nil if it may. Opening the microphone and reading text need
    /// the permission of the caller. Reading needs that of the session as well. Listening without the session's
    /// permission is an interruption, not an error.
    func refusal(of use: SessionUse, by client: Client, _ context: SessionContext) -> Refusal? {
        let resources = options.resources
        let ofCaller = permission(of: client, context).refusal(of: resources)
        return switch use {
        case .control: nil
        case .listen: ofCaller
        case .read: ofCaller ?? permission.refusal(of: resources)
        }
    }

    /// Whether the session has the permission to listen and to send text.
    var isPermitted: Bool {
        permission.speech == .granted && (permission.microphone == .granted || !usesMicrophone)
    }

    /// A permission for one connection holds for all connections of the application while the session lasts.
    private func permission(of client: Client, _ context: SessionContext) -> Permission {
        let isSameApplication = client.identity == identity && client.identity.isKnown
        return isSameApplication || client.name == owner
            ? permission : context.world.permission(of: client)
    }

    /// Whether a subscriber may get the session's text now.
    func mayFollowText(_ subscription: Subscription, _ context: SessionContext) -> Bool {
        subscription.text && options.lingers
            && subscription.client.controlGroup == group
            && refusal(of: .read, by: subscription.client, context) == nil
    }
}

extension DictationMachine {
    /// The session that the calls of this client act on: its own, else the lingering one of its control group. A
    /// connection that had a session of its own does not fall back to another.
    func sessionIndex(for client: Client) -> Int? {
        if let own = sessions.firstIndex(where: { $0.owner == client.name && $0.ending == nil }) {
            return own
        }
        if pastOwners.contains(client.name) { return nil }
        return lingeringSession(of: client.controlGroup)
    }

    func lingeringSession(of group: ControlGroup) -> Int? {
        sessions.firstIndex { $0.options.lingers && $0.group == group && $0.ending == nil }
    }

    /// The ending session that a Stop of this client joins.
    func endingSessionIndex(for client: Client) -> Int? {
        let ending = sessions.indices.reversed().filter { sessions[$0].ending != nil }
        if let own = ending.first(where: { sessions[$0].owner == client.name }) { return own }
        if pastOwners.contains(client.name) { return nil }
        return ending.first { sessions[$0].options.lingers && sessions[$0].group == client.controlGroup }
    }

    /// Why a client has no permission to start a session with these options; nil if it has.
    public func refusal(ofStart options: StartOptions, by client: Client) -> Refusal? {
        if let refusal = world.permission(of: client).refusal(of: options.resources) { return refusal }
        if options.lingers, !client.identity.isKnown {
            return Refusal(
                .accessDenied,
                "This program could not be identified, so no other program could stop its session after it "
                    + "disconnects: call Start without 'linger'.")
        }
        return nil
    }

    /// Why a client may not choose the microphone of all sessions; nil if it may.
    func refusalOfSelection(by client: Client) -> Refusal? {
        world.permission(of: client).refusal(of: Resource.dictation)
    }

    /// Why a client may not subscribe to text; nil if it may.
    func refusalOfText(to client: Client) -> Refusal? {
        world.permission(of: client).refusal(of: [.speech])
    }
}
