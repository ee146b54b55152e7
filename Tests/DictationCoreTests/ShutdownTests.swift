import DictationCore
import Testing

@Suite struct ShutdownTests {
    @Test func shutdownStopsSessionsAndAnswersCalls() {
        var scenario = Scenario()
        let first = scenario.listen(by: .editor)
        let second = scenario.listen(by: .terminal) { $0.lingers = true }
        let commit = scenario.call(.commit, by: .terminal)
        let stop = scenario.call(.stop, by: .terminal)
        scenario.clear()
        scenario.handle(.shutdown)
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(first) == ["Stopped shutdown"])
        scenario.handle(.recognition(second, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: commit).count == 1)
        #expect(scenario.answers(to: stop) == [.reply(.done)])
        #expect(!scenario.machine.hasSessions)
        #expect(scenario.machine.nextDeadline == nil)
    }

    @Test func shutdownCommitsTheOpenBlock() throws {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("one", in: session)
        scenario.handle(.recognition(session, .hypothesis(1, "tw")))
        scenario.clear()
        scenario.handle(.shutdown)
        #expect(scenario.captures.isEmpty)
        #expect(scenario.finals(session).isEmpty)
        scenario.say("two", in: session)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        let final = try #require(scenario.finals(session).first)
        #expect(final.text == "one two" && final.isAutomatic)
        #expect(scenario.story(session).last == "Stopped shutdown")
        #expect(!scenario.machine.hasSessions)
    }

    @Test func shutdownGivesTheTextThatWasShownIfTheRecogniserIsSlow() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("one", in: session)
        scenario.handle(.recognition(session, .hypothesis(1, "tw")))
        scenario.handle(.shutdown)
        scenario.wait(.seconds(2))
        #expect(scenario.finals(session).map(\.text) == ["one tw"])
        #expect(scenario.story(session).last == "Stopped shutdown")
    }

    @Test func shutdownWaitsForSpeechThatIsNotTextYet() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.recognition(session, .speechBegan(1, at: 0)))
        scenario.handle(.shutdown)
        #expect(scenario.machine.hasSessions)
        scenario.say("one", in: session)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).map(\.text) == ["one"])
    }

    @Test func shutdownCommitsSilenceNotAndTextWithoutPermissionNot() {
        var scenario = Scenario()
        let silent = scenario.listen(by: .terminal)
        let session = scenario.listen()
        scenario.say("secret", in: session)
        scenario.handle(.permission(Client.editor.identity, .notDetermined))
        scenario.clear()
        scenario.handle(.shutdown)
        #expect(scenario.story(silent) == ["Stopped shutdown"])
        #expect(scenario.story(session) == ["Stopped shutdown"])
        #expect(scenario.finals(session).isEmpty && scenario.finals(silent).isEmpty)
    }

    @Test func shutdownEndsRecordingsWithTheirBlock() {
        var scenario = Scenario()
        let session = scenario.listen { $0.recording = RecordingRequest() }
        scenario.say("one", in: session)
        scenario.clear()
        scenario.handle(.shutdown)
        let commands = scenario.effects.compactMap { effect -> RecorderCommand? in
            if case .recorder(session, let command) = effect { command } else { nil }
        }
        #expect(commands == [.endBlock(1), .finish])
        // It does not wait longer for the disk.
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.machine.hasSessions)
        scenario.wait(.seconds(2))
        #expect(!scenario.machine.hasSessions)
    }

    @Test func shutdownLeavesWhatNobodyReadsToTheNextService() throws {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.call(.subscribe(text: false), by: .mail)
        scenario.handle(.clientVanished(Client.editor.name))
        scenario.say("one", in: session)
        scenario.clear()
        scenario.handle(.shutdown)
        let texts = [JournalText(Segment(text: "one"))]
        #expect(scenario.captures.isEmpty)
        #expect(scenario.effects.last == .leave(session, [UncommittedBlock(number: 1, texts: texts)]))
        #expect(!scenario.effects.contains(.discard(session)))
        #expect(scenario.story(session).isEmpty && !scenario.machine.hasSessions)

        // A subscriber reads it.
        scenario = Scenario()
        let read = scenario.listen { $0.lingers = true }
        scenario.call(.subscribe(text: true), by: .terminal)
        scenario.handle(.clientVanished(Client.editor.name))
        scenario.say("one", in: read)
        scenario.handle(.shutdown)
        scenario.handle(.recognition(read, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(read).map(\.text) == ["one"])
        #expect(scenario.story(read).last == "Stopped shutdown")
    }

    @Test func shutdownAnswersTheCommitsOfASessionThatItLeaves() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.handle(.clientVanished(Client.editor.name))
        scenario.say("one", in: session)
        let commit = scenario.call(.commit, by: .terminal)
        scenario.say("two", in: session, block: 2)
        scenario.handle(.shutdown)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: commit).map(\.committed) == ["1 one"])
        let texts = [JournalText(Segment(text: "two"))]
        #expect(scenario.effects.last == .leave(session, [UncommittedBlock(number: 2, texts: texts)]))

        scenario = Scenario()
        let slow = scenario.listen { $0.lingers = true }
        scenario.handle(.clientVanished(Client.editor.name))
        scenario.say("one", in: slow)
        let unfinished = scenario.call(.commit, by: .terminal)
        scenario.say("two", in: slow, block: 2)
        scenario.handle(.shutdown)
        scenario.wait(.seconds(2))
        #expect(scenario.answers(to: unfinished) == [.refused(.cancelled)])
        guard case .leave(slow, let blocks) = scenario.effects.last else {
            Issue.record("\(scenario.effects)")
            return
        }
        #expect(blocks.map(\.number) == [1, 2] && blocks.map(\.texts.count) == [1, 1])
    }

    @Test func shutdownRefusesNewSessions() {
        var scenario = Scenario()
        scenario.handle(.shutdown)
        scenario.start()
        #expect(scenario.answers(to: CallID(rawValue: 1)) == [.refused(.cancelled)])
    }

    @Test func isIdleWithoutSessionsAndCalls() {
        var scenario = Scenario()
        #expect(scenario.machine.isIdle)
        scenario.call(.subscribe(text: false), by: .terminal)
        #expect(!scenario.machine.isIdle)
        scenario.handle(.clientVanished(Client.terminal.name))
        #expect(scenario.machine.isIdle)
    }
}
