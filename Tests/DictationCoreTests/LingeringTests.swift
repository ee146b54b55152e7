import DictationCore
import Testing

@Suite struct LingeringTests {
    @Test func aLingeringSessionOutlivesItsConnection() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.handle(.clientVanished(Client.editor.name))
        #expect(scenario.capture(of: session) != nil)
    }

    @Test func fourProcessesDriveIt() {
        var scenario = Scenario()
        let session = scenario.listen(by: .terminal) { $0.lingers = true }
        scenario.handle(.clientVanished(Client.terminal.name))
        scenario.say("one", in: session)
        for (name, request) in [(":1.21", Request.pause), (":1.22", .resume)] {
            let client = Client.terminal.reconnected(as: name)
            let call = scenario.call(request, by: client)
            #expect(scenario.answers(to: call) == [.reply(.done)])
            scenario.handle(.clientVanished(client.name))
        }
        let commit = scenario.call(.commit, by: Client.terminal.reconnected(as: ":1.23"))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: commit).map(\.committed) == ["1 one"])
    }

    @Test func lookingAtASessionDoesNotKeepItsMicrophoneOpen() {
        var scenario = Scenario()
        _ = scenario.listen(by: .editor) { $0.lingers = true }
        let step = Settings().idlePause / 4
        for _ in 0..<5 {
            scenario.wait(step)
            scenario.call(.getSession, by: .terminal)
        }
        #expect(scenario.state(of: .terminal)?.state == .paused)
    }

    /// As a key's: nobody else would end it.
    @Test func aSessionThatOutlastsItsConnectionPausesAndEndsIfItIsLeftAlone() {
        var scenario = Scenario()
        let session = scenario.listen(by: .editor) { $0.outlastsConnection = true }
        scenario.say("one", in: session)
        scenario.wait(Settings().idlePause + .seconds(1))
        #expect(scenario.state(of: .editor)?.state == .paused)
        scenario.wait(Settings().idleStop)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).map(\.text) == ["one"])
        #expect(scenario.state(of: .editor)?.state == .idle)
    }

    @Test func clientsOutsideASandboxShareAControlGroup() {
        var scenario = Scenario()
        let session = scenario.listen(by: .editor) { $0.lingers = true }
        #expect(scenario.state(of: .terminal)?.session == session)
        #expect(scenario.state(of: .mail)?.session == nil)
        #expect(scenario.state(of: .stranger)?.session == nil)
    }

    @Test func aSandboxedApplicationControlsItsOwnSessionsOnly() {
        var scenario = Scenario()
        let session = scenario.listen(by: .mail) { $0.lingers = true }
        #expect(scenario.state(of: Client.mail.reconnected(as: ":1.41"))?.session == session)
        #expect(scenario.state(of: .chat)?.session == nil)
        #expect(scenario.state(of: .terminal)?.session == nil)
    }

    @Test func anUnusedSessionWithoutPermissionCommitsNothing() {
        for limit in [Settings().idlePause, Settings().idleStop] {
            var scenario = Scenario()
            let session = scenario.listen { $0.lingers = true }
            scenario.say("secret", in: session)
            scenario.handle(.permission(Client.editor.identity, .notDetermined))
            scenario.wait(limit + .seconds(1))
            scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
            #expect(scenario.finals(session).isEmpty)
        }
    }

    @Test func aControlGroupHasOneLingeringSession() {
        var scenario = Scenario()
        _ = scenario.listen(by: .editor) { $0.lingers = true }
        scenario.start(by: .terminal) { $0.lingers = true }
        #expect(scenario.answers(to: CallID(rawValue: 2)) == [.refused(.alreadyRunning)])
        let other = scenario.start(by: .mail) { $0.lingers = true }
        #expect(scenario.answers(to: CallID(rawValue: 3)) == [.reply(.started(other))])
    }

    @Test func aPastOwnerDoesNotControlTheLingeringSession() {
        var scenario = Scenario()
        _ = scenario.listen(by: .editor) { $0.lingers = true }
        _ = scenario.listen(by: .terminal)
        scenario.call(.stop, by: .terminal)
        let call = scenario.call(.stop, by: .terminal)
        #expect(scenario.answers(to: call) == [.refused(.notRunning)])
    }

    @Test func aCallActsOnTheOwnSessionFirst() {
        var scenario = Scenario()
        let lingering = scenario.listen(by: .editor) { $0.lingers = true }
        let own = scenario.listen(by: .terminal)
        #expect(scenario.state(of: .terminal)?.session == own)
        #expect(scenario.state(of: .player)?.session == lingering)
    }

    @Test func aTextSubscriberOfTheControlGroupGetsText() {
        var scenario = Scenario()
        scenario.call(.subscribe(text: true), by: .terminal)
        scenario.call(.subscribe(text: false), by: .player)
        scenario.call(.subscribe(text: true), by: .mail)
        let session = scenario.listen { $0.lingers = true }
        scenario.say("hello", in: session)
        #expect(
            scenario.audience(of: session) { _ in true }
                == [.clients([Client.editor.name, Client.terminal.name])])
    }

    @Test func keepsFinalsForLaterClients() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.handle(.clientVanished(Client.editor.name))
        for block in 1...UInt64(20) {
            scenario.say("text \(block)", in: session, block: block)
            scenario.call(.commit, by: .terminal)
            scenario.handle(.recognition(session, .blockEnded(block, duration: 1)))
        }
        let finals = scenario.state(of: .player)?.finals.map(\.text)
        #expect(finals?.count == 16)
        #expect(finals?.last == "text 20")
    }

    @Test func aSecondStopJoinsTheFirst() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.call(.commit)
        let first = scenario.call(.stop)
        let second = scenario.call(.stop, by: .terminal)
        #expect(scenario.answers(to: first).isEmpty)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: first) == [.reply(.done)])
        #expect(scenario.answers(to: second) == [.reply(.done)])
    }

    @Test func stopAllEndsAllSessionsOfTheUser() {
        var scenario = Scenario()
        let lingering = scenario.listen(by: .editor) { $0.lingers = true }
        let sandboxed = scenario.listen(by: .mail)
        let call = scenario.call(.stopAll, by: .terminal)
        #expect(scenario.answers(to: call) == [.reply(.stopping(2))])
        #expect(scenario.captures.isEmpty)
        for session in [lingering, sandboxed] {
            #expect(scenario.story(session).last == "Stopped stopped")
        }
        let again = scenario.call(.stopAll, by: .terminal)
        #expect(scenario.answers(to: again) == [.reply(.stopping(0))])
    }

    @Test func stopAllClosesTheMicrophoneAndLeavesCommitsToFinish() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.say("text", in: session)
        let commit = scenario.call(.commit)
        let call = scenario.call(.stopAll, by: .terminal)
        #expect(scenario.answers(to: call) == [.reply(.stopping(1))])
        #expect(scenario.captures.isEmpty)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: commit).map(\.committed) == ["1 text"])
        #expect(scenario.story(session).last == "Stopped stopped")
    }

    @Test func anIdleLingeringSessionCommitsPausesAndEnds() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.say("unfinished business", in: session)
        scenario.clear()
        scenario.wait(.seconds(10 * 60))
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(session) == ["paused (idle)"])
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).map(\.text) == ["unfinished business"])
        scenario.clear()
        scenario.wait(.seconds(50 * 60))
        #expect(scenario.story(session) == ["Stopped abandoned"])
    }

    @Test func anIdleLingeringSessionWithoutPermissionCommitsNothing() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.say("unfinished business", in: session)
        scenario.handle(
            .permission(Client.editor.identity, Permission(microphone: .granted, speech: .denied)))
        scenario.wait(.seconds(10 * 60))
        #expect(scenario.state()?.pending == 0)
        scenario.handle(.permission(Client.editor.identity, .granted))
        #expect(scenario.state()?.block == 1)
    }

    @Test func speechAndCallsThatControlItKeepItAlive() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.wait(.seconds(599))
        scenario.handle(.recognition(session, .speechBegan(1, at: 599)))
        scenario.wait(.seconds(599))
        scenario.call(.resume, by: .terminal)
        scenario.wait(.seconds(599))
        #expect(scenario.capture(of: session) != nil)
    }

    @Test func anAbandonedSessionWithTextCommitsItBeforeItEnds() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.say("paused by hand", in: session)
        scenario.call(.pause)
        scenario.clear()
        scenario.wait(.seconds(60 * 60))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).map(\.text) == ["paused by hand"])
        #expect(scenario.story(session).last == "Stopped abandoned")
    }

    @Test func aSessionWithoutLingerIsNeverIdle() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.wait(.seconds(3 * 60 * 60))
        #expect(scenario.capture(of: session) != nil)
    }
}
