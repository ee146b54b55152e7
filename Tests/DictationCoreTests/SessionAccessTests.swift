import DictationCore
import Testing

/// Opening the microphone and reading text need the permission of the caller as well as that of the session.
@Suite struct SessionAccessTests {
    /// A lingering session of the editor that has heard something; the terminal may not dictate.
    private func denied(_ permission: Permission = .denied) -> (Scenario, SessionID) {
        var scenario = Scenario()
        let session = scenario.listen(by: .editor) { $0.lingers = true }
        scenario.say("finished", in: session)
        scenario.call(.commit, by: .editor)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        scenario.say("secret", in: session, block: 2)
        scenario.handle(.permission(Client.terminal.identity, permission))
        scenario.clear()
        return (scenario, session)
    }

    @Test(arguments: [Request.resume, .commit, .subscribe(text: true), .selectRoute(nil)])
    func aDeniedCallerIsRefused(request: Request) {
        var (scenario, _) = denied()
        let call = scenario.call(request, by: .terminal)
        #expect(scenario.answers(to: call) == [.refused(.permissionDenied)])
    }

    @Test(arguments: [Request.resume, .commit, .subscribe(text: true), .selectRoute(nil)])
    func anUndeterminedCallerGetsPermissionRequired(request: Request) {
        var (scenario, _) = denied(.notDetermined)
        let call = scenario.call(request, by: .terminal)
        #expect(scenario.answers(to: call) == [.refused(.permissionRequired)])
    }

    @Test func aDeniedCallerMayPauseCancelAndStop() {
        var (scenario, _) = denied()
        let pause = scenario.call(.pause, by: .terminal)
        #expect(scenario.answers(to: pause) == [.reply(.done)])
        let cancel = scenario.call(.cancel, by: .terminal)
        #expect(scenario.answers(to: cancel) == [.reply(.cancelled(2))])
        let stop = scenario.call(.stop, by: .terminal)
        #expect(scenario.answers(to: stop) == [.reply(.done)])
    }

    @Test func aRefusedResumeLeavesTheMicrophoneClosed() {
        var (scenario, _) = denied()
        scenario.call(.pause, by: .editor)
        scenario.call(.resume, by: .terminal)
        #expect(scenario.captures.isEmpty)
    }

    @Test func aDeniedCallerSeesTheStateWithoutText() {
        var (scenario, session) = denied()
        let report = scenario.state(of: .terminal)
        #expect(report?.session == session)
        #expect(report?.state == .listening)
        #expect(report?.text == "")
        #expect(report?.finals == [])
        #expect(scenario.state(of: .editor)?.text == "secret")
        #expect(scenario.state(of: .editor)?.finals.map(\.text) == ["finished"])
    }

    @Test func noCallerReadsTextAfterRevocation() {
        var (scenario, _) = denied(.granted)
        scenario.handle(.permission(Client.editor.identity, .denied))
        for client in [Client.editor, .terminal] {
            let report = scenario.state(of: client)
            #expect(report?.text == "")
            #expect(report?.finals == [])
        }
    }

    /// A program that is not identified could open any number of connections.
    @Test(arguments: [Client.editor, .stranger])
    func oneApplicationLeavesSubscriptionsToOthers(_ application: Client) {
        var scenario = Scenario()
        func subscribe(_ client: Client, _ number: Int) -> Answer? {
            let call = scenario.call(
                .subscribe(text: false), by: client.reconnected(as: ":9.\(number)"))
            return scenario.answers(to: call).first
        }
        for number in 0..<16 { #expect(subscribe(application, number) == .reply(.done)) }
        #expect(subscribe(application, 16) == .refused(.limitExceeded))
        // A connection that has subscribed may change its subscription.
        #expect(subscribe(application, 15) == .reply(.done))
        #expect(subscribe(.terminal, 17) == .reply(.done))
        scenario.handle(.clientVanished(ClientName(":9.3")))
        #expect(subscribe(application, 18) == .reply(.done))
    }

    @Test func subscribedTextStopsWhileTheSubscriberLacksPermission() {
        var scenario = Scenario()
        scenario.call(.subscribe(text: true), by: .terminal)
        let session = scenario.listen(by: .editor) { $0.lingers = true }
        func readers(_ scenario: Scenario) -> [Audience] {
            scenario.audience(of: session) { if case .final = $0 { true } else { false } }
        }
        func commit(_ block: BlockNumber, _ scenario: inout Scenario) {
            scenario.say("text", in: session, block: block)
            scenario.call(.commit, by: .editor)
            scenario.handle(.recognition(session, .blockEnded(block, duration: 1)))
        }
        let both = Audience.clients([Client.editor.name, Client.terminal.name])
        commit(1, &scenario)
        scenario.handle(.permission(Client.terminal.identity, .denied))
        commit(2, &scenario)
        scenario.handle(.permission(Client.terminal.identity, .granted))
        commit(3, &scenario)
        #expect(readers(scenario) == [both, .clients([Client.editor.name]), both])
    }

    @Test func aSubscriberWithoutPermissionGetsTheState() {
        var scenario = Scenario()
        scenario.call(.subscribe(text: true), by: .terminal)
        scenario.handle(.permission(Client.terminal.identity, .denied))
        let session = scenario.start(by: .editor) { $0.lingers = true }
        let told = scenario.audience(of: session) { if case .stateChanged = $0 { true } else { false } }
        #expect(told.contains(.clients([Client.editor.name, Client.terminal.name])))
    }

    @Test func losingPermissionRefusesOnlyThatCallersCommit() {
        var (scenario, session) = denied(.granted)
        let commit = scenario.call(.commit, by: .terminal)
        scenario.handle(.permission(Client.terminal.identity, .denied))
        #expect(scenario.answers(to: commit) == [.refused(.permissionDenied)])
        scenario.handle(.recognition(session, .blockEnded(2, duration: 1)))
        #expect(scenario.finals(session).map(\.text) == ["secret"])
        #expect(scenario.answers(to: commit).count == 1)
    }

    /// A permission for one connection holds for the application while its session lingers.
    @Test func allowOnceHoldsForAllConnectionsOfTheApplication() {
        var scenario = Scenario()
        scenario.handle(.permission(Client.terminal.identity, .notDetermined))
        scenario.handle(.allowedOnce(.terminal, Resource.dictation))
        let session = scenario.listen(by: .terminal) { $0.lingers = true }
        scenario.say("one", in: session)
        scenario.handle(.clientVanished(Client.terminal.name))
        let commit = scenario.call(.commit, by: Client.terminal.reconnected(as: ":1.22"))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: commit).map(\.committed) == ["1 one"])
    }

    @Test func anUnknownCallerMayNotLinger() {
        var scenario = Scenario()
        scenario.handle(.permission(Client.stranger.identity, .granted))
        scenario.start(by: .stranger) { $0.lingers = true }
        #expect(scenario.answers(to: CallID(rawValue: 1)) == [.refused(.accessDenied)])
        let session = scenario.start(by: .stranger)
        #expect(scenario.answers(to: CallID(rawValue: 2)) == [.reply(.started(session))])
    }

    @Test func stopJoinsTheLatestEndingSession() {
        var scenario = Scenario()
        let older = scenario.listen()
        scenario.say("one", in: older)
        scenario.call(.commit)
        scenario.call(.stop)
        let newer = scenario.listen()
        scenario.say("two", in: newer)
        scenario.call(.commit)
        scenario.call(.stop)
        let call = scenario.call(.stop)
        scenario.handle(.recognition(older, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: call) == [])
        scenario.handle(.recognition(newer, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: call) == [.reply(.done)])
    }
}

extension Permission {
    fileprivate static let denied = Permission(microphone: .denied, speech: .denied)
}
