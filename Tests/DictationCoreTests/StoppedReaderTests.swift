import DictationCore
import Testing

/// The session and subscriptions of a connection that does not read its signals.
@Suite struct StoppedReaderTests {
    @Test func theSessionOfAnOwnerEnds() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("lost", in: session)
        let commit = scenario.call(.commit)
        scenario.clear()
        scenario.handle(.readerStopped(Client.editor.name))
        #expect(scenario.captures.isEmpty)
        #expect(scenario.answers(to: commit) == [.refused(.cancelled)])
        #expect(scenario.machine.session(ownedBy: Client.editor.name) == nil)
        // It may start another.
        let again = scenario.start()
        #expect(scenario.machine.hasSession(again))
    }

    @Test func aStopInProgressIsAnswered() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("text", in: session)
        scenario.call(.commit)
        let stop = scenario.call(.stop)
        scenario.handle(.readerStopped(Client.editor.name))
        #expect(scenario.answers(to: stop) == [.reply(.done)])
    }

    @Test func aLingeringSessionKeepsItsTextForItsControlGroup() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.say("kept", in: session)
        scenario.clear()
        scenario.handle(.readerStopped(Client.editor.name))
        #expect(scenario.capture(of: session) != nil)
        scenario.say("more", in: session)
        scenario.wait(.seconds(1))
        #expect(scenario.signals(session).isEmpty)
        // The former owner controls it as any other client does.
        #expect(scenario.state()?.text == "kept more")
        #expect(scenario.state()?.isOwner == false)
        let commit = scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: commit).map(\.committed) == ["1 kept more"])
    }

    @Test func aStoppedSubscriberMaySubscribeAgain() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.call(.subscribe(text: true), by: .terminal)
        scenario.handle(.readerStopped(Client.terminal.name))
        scenario.clear()
        scenario.call(.pause)
        #expect(scenario.audience(of: session) { _ in true } == [.clients([Client.editor.name])])
        scenario.call(.subscribe(text: true), by: .terminal)
        scenario.clear()
        scenario.call(.resume)
        let both = Audience.clients([Client.editor.name, Client.terminal.name])
        #expect(scenario.audience(of: session) { _ in true }.allSatisfy { $0 == both })
    }

    @Test func subscribersAreLimited() {
        func client(_ number: Int) -> Client {
            Client(
                name: ClientName(":2.\(number)"),
                identity: Identity(uid: 1000, kind: .app, id: "org.example.App\(number / 8)"))
        }
        var scenario = Scenario()
        for number in 0..<64 {
            scenario.handle(.permission(client(number).identity, .granted))
            let call = scenario.call(.subscribe(text: false), by: client(number))
            #expect(scenario.answers(to: call) == [.reply(.done)])
        }
        let call = scenario.call(.subscribe(text: false), by: client(64))
        #expect(scenario.answers(to: call) == [.refused(.limitExceeded)])
        let again = scenario.call(.subscribe(text: false), by: client(1))
        #expect(scenario.answers(to: again) == [.reply(.done)])
    }
}
