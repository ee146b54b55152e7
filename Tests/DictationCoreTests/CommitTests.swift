import DictationCore
import Testing

@Suite struct CommitTests {
    @Test func finalPrecedesTheReply() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("done", in: session)
        let commit = scenario.call(.commit)
        scenario.clear()
        scenario.handle(.recognition(session, .blockEnded(1, duration: 2.5)))
        let final = scenario.finals(session).first
        #expect(final?.duration == 2.5)
        guard let final else { return }
        #expect(
            scenario.effects.prefix(2) == [
                .signal(.final(final), session, to: .clients([Client.editor.name])),
                .reply(commit, .committed(final)),
            ])
    }

    /// An engine that gave no text is not the engine of the text.
    @Test func finalNamesTheEngineOfTheText() {
        var scenario = Scenario()
        let session = scenario.listen {
            $0.transcription.previewEngine = "preview"
            $0.transcription.models = ["preview": "en-US", "fake": "en"]
        }
        func passage(_ replaced: Int, _ text: String?, by engine: String) -> RecognitionEvent {
            .passage(
                1, PassageText(replaces: replaced, segment: text.map { Segment(text: $0) }, engine: engine))
        }
        scenario.handle(.recognition(session, .preview(1, Segment(text: "heard"))))
        scenario.handle(.recognition(session, passage(1, nil, by: "preview")))
        scenario.handle(.recognition(session, passage(0, "", by: "fake")))
        scenario.handle(.recognition(session, .noise(1)))
        scenario.handle(.recognition(session, passage(0, "", by: "fake")))
        scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        let final = scenario.finals(session).first
        #expect(final?.text == "heard")
        #expect(final?.engine == "preview")
        #expect(final?.model == "en-US")
        #expect(final?.fallbacks == 1)
        #expect(final?.noises == 1)
    }

    @Test func noSpeechGivesAnEmptyText() {
        var scenario = Scenario()
        let session = scenario.listen()
        let commit = scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 0)))
        #expect(scenario.answers(to: commit).map(\.committed) == ["1 "])
    }

    @Test func answersCommitsInOrderWhileListening() {
        var scenario = Scenario()
        let session = scenario.listen()
        let commits = (1...3).map { _ in scenario.call(.commit) }
        #expect(scenario.state()?.pending == 3)
        #expect(scenario.state()?.block == 4)
        for block in 1...UInt64(3) {
            scenario.say("text \(block)", in: session, block: block)
            scenario.handle(.recognition(session, .blockEnded(block, duration: 1)))
        }
        #expect(scenario.finals(session).map(\.number) == [1, 2, 3])
        #expect(
            commits.map { scenario.answers(to: $0).map(\.committed) } == [
                ["1 text 1"], ["2 text 2"], ["3 text 3"],
            ])
    }

    @Test func answersASkippedBlockInOrder() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("one", in: session)
        let first = scenario.call(.commit)
        let second = scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(2, duration: 1)))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).map(\.number) == [1, 2])
        #expect(scenario.answers(to: first).map(\.committed) == ["1 one"])
        #expect(scenario.answers(to: second).count == 1)
    }

    @Test(arguments: [Request.stop, .pause, .cancel, .resume])
    func commitsInProgressSurviveOtherCalls(_ request: Request) {
        var scenario = Scenario()
        let session = scenario.listen()
        let commits = (1...3).map { _ in scenario.call(.commit) }
        let call = scenario.call(request)
        for block in 1...UInt64(3) { scenario.handle(.recognition(session, .blockEnded(block, duration: 1))) }
        for commit in commits { #expect(scenario.answers(to: commit).count == 1) }
        #expect(scenario.finals(session).count == 3)
        #expect(scenario.answers(to: call).count == 1)
    }

    @Test func stopFinishesCommitsAndDiscardsTheRest() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("kept", in: session)
        let commit = scenario.call(.commit)
        scenario.say("discarded", in: session, block: 2)
        scenario.clear()
        let stop = scenario.call(.stop)
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(session) == ["paused (stopped)"])
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: commit).map(\.committed) == ["1 kept"])
        #expect(scenario.story(session) == ["paused (stopped)", "Stopped stopped"])
        #expect(scenario.effects.last == .reply(stop, .done))
        #expect(scenario.finals(session).map(\.number) == [1])
    }

    private static let speechDenied = Permission(microphone: .granted, speech: .denied)

    @Test func losingPermissionRefusesTheCallsAndKeepsTheText() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("private", in: session)
        let commits = (1...3).map { _ in scenario.call(.commit) }
        scenario.handle(.permission(Client.editor.identity, Self.speechDenied))
        for block in 1...UInt64(3) { scenario.handle(.recognition(session, .blockEnded(block, duration: 1))) }
        for commit in commits { #expect(scenario.answers(to: commit) == [.refused(.permissionDenied)]) }
        #expect(scenario.finals(session).isEmpty)
        #expect(scenario.state()?.finals == [] && scenario.state()?.pending == 3)
        // It is sent when permission returns, in order, before what is said then.
        scenario.handle(.permission(Client.editor.identity, .granted))
        #expect(scenario.finals(session).map(\.number) == [1, 2, 3])
        #expect(scenario.finals(session).first?.text == "private")
        for commit in commits { #expect(scenario.answers(to: commit).count == 1) }
        #expect(scenario.state()?.pending == 0)
    }

    /// No call waits for these, so an Error says that they have no Final.
    @Test func blocksThatAreLostDuringAnInterruptionSendOneError() {
        var scenario = Scenario()
        let session = scenario.listen { $0.autoCommit = .seconds(1) }
        for block: BlockNumber in 1...3 {
            scenario.handle(.recognition(session, .speechBegan(block, at: 0)))
            scenario.handle(.captured(session, frames: 1600))
            scenario.handle(.recognition(session, .silenceReached(block)))
        }
        scenario.handle(.audio(.inCall))
        scenario.handle(.recognition(session, .blockEnded(3, duration: 1)))
        #expect(scenario.finals(session).map(\.number) == [3])
        #expect(scenario.story(session).filter { $0.hasPrefix("Error") } == ["Error engineFailed"])
    }

    @Test func aCommitThatIsDecodedAfterARevocationIsSentWhenPermissionReturns() {
        var scenario = Scenario()
        let session = scenario.listen { $0.autoCommit = .seconds(1) }
        scenario.say("one", in: session)
        scenario.handle(.recognition(session, .silenceReached(1)))
        scenario.handle(.permission(Client.editor.identity, Self.speechDenied))
        scenario.handle(.permission(Client.editor.identity, .granted))
        #expect(scenario.finals(session).isEmpty)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).map(\.text) == ["one"])
    }

    /// The decoder of a session without permission may still finish its sound: it is not replaced for being slow after that.
    @Test func aKeptCommitHasNoTimeLimit() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("one", in: session)
        scenario.call(.commit)
        scenario.handle(.permission(Client.editor.identity, Self.speechDenied))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        scenario.clear()
        scenario.wait(.seconds(600))
        #expect(scenario.effects.isEmpty)
    }

    @Test func theEndOfInputWaitsForPermissionToSendItsText() {
        var scenario = Scenario()
        let session = scenario.start { $0.hasInput = true }
        scenario.handle(.recognition(session, .ready))
        scenario.handle(.captured(session, frames: 16_000))
        scenario.say("all", in: session)
        scenario.handle(.inputEnded(session))
        scenario.handle(.permission(Client.editor.identity, Self.speechDenied))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).isEmpty && scenario.machine.hasSession(session))
        scenario.handle(.permission(Client.editor.identity, .granted))
        #expect(scenario.finals(session).map(\.text) == ["all"])
        #expect(scenario.story(session).last == "Stopped end-of-input")
    }

    @Test(arguments: [Request.stop, .stopAll])
    func stoppingWithoutPermissionSaysThatCommittedTextIsLost(_ request: Request) {
        var scenario = Scenario()
        let session = scenario.start { $0.hasInput = true }
        scenario.handle(.recognition(session, .ready))
        scenario.handle(.captured(session, frames: 16_000))
        scenario.say("all", in: session)
        scenario.handle(.inputEnded(session))
        scenario.handle(.permission(Client.editor.identity, Self.speechDenied))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        scenario.clear()
        let stop = scenario.call(request)
        #expect(scenario.story(session) == ["Error permissionDenied", "Stopped end-of-input"])
        #expect(scenario.answers(to: stop).count == 1 && scenario.finals(session).isEmpty)
    }

    /// "Scratch that" after the revocation takes back from the block that waits.
    @Test func wordsAreTakenBackFromABlockThatWaitsForPermission() {
        var scenario = Scenario()
        let session = scenario.listen { $0.formatting = ScratchTable.formatting }
        scenario.say("one", in: session)
        scenario.say("two", in: session)
        scenario.call(.commit)
        scenario.handle(.permission(Client.editor.identity, Self.speechDenied))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        scenario.say("scratch that", in: session, block: 2)
        scenario.clear()
        scenario.handle(.permission(Client.editor.identity, .granted))
        #expect(scenario.finals(session).map(\.text) == ["One"])
        #expect(!scenario.signals(session).contains { if case .retracted = $0 { true } else { false } })
    }

    @Test func shutdownAnswersCommitsWithTheTextSoFar() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("some", in: session)
        let heard = scenario.call(.commit)
        scenario.handle(.captured(session, frames: 1600))
        let unheard = scenario.call(.commit)
        scenario.handle(.shutdown)
        #expect(scenario.captures.isEmpty)
        #expect(scenario.answers(to: heard).isEmpty)
        scenario.wait(.seconds(2))
        #expect(scenario.answers(to: heard).map(\.committed) == ["1 some"])
        #expect(scenario.answers(to: unheard) == [.refused(.cancelled)])
        #expect(scenario.story(session).last == "Stopped shutdown")
        #expect(!scenario.machine.hasSessions)
    }

    @Test func waitsForASlowRecogniserAndNotForAStuckOne() {
        var scenario = Scenario()
        let session = scenario.listen()
        let commit = scenario.call(.commit)
        for _ in 1...3 {
            scenario.wait(.seconds(59))
            scenario.handle(.recognition(session, .hypothesis(1, "slow")))
            // Events from the audio alone say nothing about the decoder.
            scenario.handle(.recognition(session, .speechBegan(2, at: 1)))
        }
        scenario.handle(.recognition(session, .hypothesis(1, "")))
        #expect(scenario.answers(to: commit).isEmpty)
        scenario.wait(.seconds(60))
        #expect(scenario.answers(to: commit) == [.refused(.timeout)])
        #expect(scenario.story(session).suffix(2) == ["Error timeout", "interrupted (engine-lost)"])
    }

    @Test func aCancelledBlockHasNoFinal() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("rubbish", in: session)
        let cancel = scenario.call(.cancel)
        scenario.handle(.recognition(session, .segment(1, Segment(text: "late rubbish"))))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        let commit = scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(2, duration: 1)))
        #expect(scenario.answers(to: cancel) == [.reply(.cancelled(1))])
        #expect(scenario.answers(to: commit).map(\.committed) == ["2 "])
        #expect(scenario.finals(session).map(\.number) == [2])
    }

    @Test func reportsThatABlockWasCancelled() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("rubbish", in: session)
        scenario.clear()
        scenario.call(.cancel)
        #expect(scenario.signals(session) == [.partial(2, offset: 0, stable: "", volatile: "")])
    }

    @Test func aCommitFinishesAfterItsCallerDisconnects() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        let commit = scenario.call(.commit, by: .terminal)
        scenario.handle(.clientVanished(Client.terminal.name))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: commit).isEmpty)
        #expect(scenario.finals(session).count == 1)
    }

    @Test func silenceCommitsNothingWithoutPermission() {
        var scenario = Scenario()
        let session = scenario.listen { $0.autoCommit = .seconds(1) }
        scenario.say("one", in: session)
        scenario.handle(.permission(Client.editor.identity, .restricted))
        // The event was on its way when permission was lost.
        scenario.handle(.recognition(session, .silenceReached(1)))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).isEmpty)
        scenario.handle(.permission(Client.editor.identity, .granted))
        #expect(scenario.state()?.text == "one")
    }

    @Test func silenceAfterSpeechCommits() {
        var scenario = Scenario()
        let session = scenario.listen { $0.autoCommit = .milliseconds(800) }
        scenario.handle(.recognition(session, .speechBegan(1, at: 5)))
        scenario.handle(.recognition(session, .speechEnded(1, at: 10)))
        scenario.handle(.recognition(session, .silenceReached(1)))
        #expect(scenario.state()?.block == 2)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 10)))
        #expect(scenario.finals(session).map(\.isAutomatic) == [true])
        scenario.handle(.recognition(session, .silenceReached(1)))
        #expect(scenario.state()?.block == 2)
    }

    @Test func passingTimeIsNotSilence() {
        var scenario = Scenario()
        let session = scenario.listen { $0.autoCommit = .seconds(1) }
        scenario.handle(.recognition(session, .speechEnded(1, at: 1)))
        scenario.wait(.seconds(10))
        #expect(scenario.state()?.block == 1)
    }

    @Test func countsSilenceForTheMicrophoneOnly() {
        var scenario = Scenario()
        scenario.start { $0.autoCommit = .seconds(1) }
        scenario.start(by: .terminal) {
            $0.autoCommit = .seconds(1)
            $0.hasInput = true
        }
        let limits = scenario.effects.compactMap { effect in
            if case .openTranscription(_, let request, _) = effect {
                Optional(request.silenceLimit)
            } else {
                nil
            }
        }
        #expect(limits == [.seconds(1), nil])
    }
}

/// Written form with one command.
private enum ScratchTable {
    static let formatting: Formatting = {
        var table = LanguageTable(language: "x")
        table.commands = [.init(.scratch, spoken: ["scratch that"])]
        return Formatting(Lexicon(table))
    }()
}
