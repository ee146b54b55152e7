import Testing

@testable import DictationCore

/// Sessions that listen before their options are settled.
@Suite struct SettlingTests {
    private func opened(_ scenario: Scenario) -> [TranscriptionRequest] {
        scenario.effects.compactMap {
            if case .openTranscription(_, let request, _) = $0 { request } else { nil }
        }
    }

    private var options: StartOptions {
        var options = StartOptions(transcription: TranscriptionRequest(engine: "best", language: "de-DE"))
        options.application = "org.example.Window"
        options.mayKeepTexts = true
        return options
    }

    @Test func theMicrophoneIsOpenBeforeTheRecogniser() {
        var scenario = Scenario()
        let session = scenario.start { $0.areUnsettled = true }
        scenario.flow(session)
        #expect(scenario.story(session) == ["starting (started)", "listening (flowing)"])
        #expect(opened(scenario).isEmpty)
        // Not even after a long time.
        scenario.wait(.seconds(100))
        #expect(scenario.story(session).count == 2)
        scenario.handle(.settled(session, options))
        #expect(opened(scenario) == [options.transcription])
        scenario.handle(.recognition(session, .ready))
        scenario.say("one", in: session)
        scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).map(\.text) == ["one"])
        #expect(scenario.finals(session).map(\.language) == ["de-DE"])
        let application = scenario.effects.compactMap {
            if case .keep(let text) = $0 { text.application } else { nil }
        }
        #expect(application == ["org.example.Window"])
        // Once.
        scenario.handle(.settled(session, options))
        #expect(opened(scenario).count == 1)
    }

    @Test func whatIsFinishedBeforeIsRecognisedAfter() {
        var scenario = Scenario()
        let session = scenario.start { $0.areUnsettled = true }
        scenario.flow(session)
        let commit = scenario.call(.commit)
        let stop = scenario.call(.stop)
        #expect(scenario.captures.isEmpty)
        scenario.wait(.seconds(100))
        #expect(scenario.answers(to: commit).isEmpty)
        scenario.clear()
        scenario.handle(.settled(session, options))
        #expect(scenario.effects == [.openTranscription(session, options.transcription, 1)])
        scenario.handle(.recognition(session, .ready))
        scenario.say("one", in: session)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: commit).map(\.committed) == ["1 one"])
        #expect(scenario.answers(to: stop) == [.reply(.done)])
        #expect(scenario.story(session) == ["Stopped stopped"])
    }

    @Test func aSessionThatCannotBeSettledEndsWithTheError() {
        var scenario = Scenario()
        let session = scenario.start { $0.areUnsettled = true }
        scenario.flow(session)
        let commit = scenario.call(.commit)
        scenario.clear()
        scenario.handle(.notSettled(session, Refusal(.notSupported, "Nothing types here.")))
        #expect(scenario.story(session) == ["Error \(Refusal.Kind.notSupported.rawValue)", "Stopped error"])
        #expect(scenario.answers(to: commit) == [.refused(.notSupported)])
        #expect(!scenario.machine.hasSession(session))
    }

    /// It is not known when the field got the focus.
    @Test func allThatWasSaidBeforeIsWithheldIfTheFieldIsSecret() {
        var scenario = Scenario()
        let session = scenario.start { $0.areUnsettled = true }
        scenario.flow(session)
        scenario.call(.commit)
        scenario.call(.secretField(true))
        scenario.handle(.settled(session, options))
        scenario.say("hunter2", in: session)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).map(\.isWithheld) == [true])
    }
}
