import Testing

@testable import DictationCore

/// Sessions of a service that crashed.
@Suite struct RestoredSessionTests {
    private static let id = SessionID(rawValue: 7)

    private func restored(
        by client: Client = .editor, hasOwner: Bool = true, age: Duration = .seconds(1),
        texts: [JournalText] = [JournalText(Segment(text: "one two", end: 2))], attempts: Int = 0,
        _ change: (inout StartOptions) -> Void = { _ in }
    ) throws -> RestoredSession {
        let session = JournalSession(
            id: Self.id, client: client, bus: "0123", lingers: false, options: [])
        var entries: [JournalEntry] = [.session(session), .flow(true)]
        entries += Array(repeating: .attempt, count: attempts)
        for (number, text) in texts.enumerated() {
            entries.append(.text(3, number: number, settled: 32_000, text))
        }
        entries.append(.sound(3, frame: 32_000, [Int16](repeating: 1, count: 16_000)))
        let contents = try #require(
            JournalContents(entries.flatMap { $0.record(of: Self.id).bytes }))
        var options = StartOptions(transcription: TranscriptionRequest(engine: "fake", language: "en-US"))
        change(&options)
        return RestoredSession(
            contents, hasOwner: hasOwner, options: options, idle: .milliseconds(100), age: age)
    }

    private static func report(
        _ scenario: inout Scenario, of client: Client = .editor
    ) throws -> SessionReport {
        let report = scenario.state(of: client)
        return try #require(report)
    }

    @Test func theBlockContinuesPausedWithItsText() throws {
        var scenario = Scenario()
        scenario.handle(.restore(try restored()))
        #expect(scenario.story(Self.id) == ["paused (service-restarted)"])
        #expect(scenario.captures.isEmpty)
        var report = try Self.report(&scenario)
        #expect(report.session == Self.id && report.isOwner && report.state == .paused)
        #expect(report.block == 3 && report.text == "one two")
        #expect(report.droppedFrames == 1600)
        // The recogniser counts from the beginning of the sound.
        let segment = Segment(text: "three", words: [Word("three", start: 0.5, end: 1)], start: 0.5, end: 1)
        scenario.handle(.recognition(Self.id, .segment(3, segment)))
        report = try Self.report(&scenario)
        #expect(report.text == "one two three")
        #expect(
            scenario.signals(Self.id).contains(
                .partial(3, offset: 0, stable: "one two", volatile: "")))

        scenario.clear()
        scenario.call(.resume)
        scenario.flow(Self.id)
        scenario.say("four", in: Self.id, block: 3)
        scenario.call(.commit)
        scenario.handle(.recognition(Self.id, .blockEnded(3, duration: 1.5)))
        let final = try #require(scenario.finals(Self.id).first)
        #expect(final.text == "one two three four")
        #expect(final.droppedFrames == 1600)
        #expect(final.duration == 3.5)
        #expect(final.segments[1].words.first?.start == 2.5)
        #expect(final.number == 3)
    }

    @Test func nobodyElseGetsIt() throws {
        var scenario = Scenario()
        scenario.handle(.restore(try restored()))
        let others = try Self.report(&scenario, of: .terminal)
        #expect(others.session == nil)
        for request in [Request.resume, .commit, .cancel] {
            let call = scenario.call(request, by: .terminal)
            #expect(scenario.answers(to: call) == [.refused(.notRunning)])
        }
    }

    @Test func withoutPermissionItDoesNotReturn() throws {
        var scenario = Scenario()
        scenario.handle(.permission(Client.editor.identity, .notDetermined))
        scenario.handle(.restore(try restored()))
        #expect(!scenario.machine.hasSession(Self.id))
    }

    @Test func endsAfterTenMinutesUnlessItIsUsed() throws {
        var scenario = Scenario()
        scenario.handle(.restore(try restored(age: .seconds(60))))
        scenario.call(.getSession)
        scenario.wait(.seconds(539))
        #expect(scenario.machine.hasSession(Self.id))
        #expect(!scenario.machine.uncommitted(of: Self.id).isEmpty)
        scenario.wait(.seconds(2))
        #expect(scenario.machine.uncommitted(of: Self.id).isEmpty)
        #expect(scenario.story(Self.id).last == "Stopped abandoned")

        scenario = Scenario()
        scenario.handle(.restore(try restored()))
        scenario.call(.resume)
        scenario.wait(.seconds(1000))
        #expect(scenario.machine.hasSession(Self.id))
    }

    @Test func aClientThatBeginsAnewGetsTheTextThatItHad() throws {
        var scenario = Scenario()
        scenario.handle(.restore(try restored()))
        let session = scenario.start()
        #expect(scenario.machine.hasSession(session))
        #expect(scenario.state()?.session == session)
        scenario.say("three", in: Self.id, block: 3)
        scenario.handle(.recognition(Self.id, .blockEnded(3, duration: 1)))
        #expect(scenario.finals(Self.id).map(\.text) == ["one two three"])
        #expect(scenario.story(Self.id).last == "Stopped abandoned")
        #expect(!scenario.machine.hasSession(Self.id))
        // Not when it uses the session already.
        scenario = Scenario()
        scenario.handle(.restore(try restored()))
        scenario.call(.resume)
        scenario.start()
        #expect(scenario.machine.hasSession(Self.id))
        #expect(scenario.machine.sessionCount == 1)
    }

    private static let formatting: Formatting = {
        var table = LanguageTable(language: "x")
        table.commands = [.init(.scratch, spoken: ["scratch that"])]
        var formatting = Formatting(Lexicon(table))
        formatting.punctuatingEngines = ["whisper"]
        return formatting
    }()

    /// The text may be what the service failed on.
    @Test func aTextThatFailedOnceIsNotFormattedAgain() throws {
        let texts = [
            JournalText(Segment(text: "one \\full_stop", end: 1)),
            JournalText(Segment(text: "scratch that", end: 2)),
        ]
        var scenario = Scenario()
        scenario.handle(.restore(try restored(texts: texts) { $0.formatting = Self.formatting }))
        #expect(try Self.report(&scenario).text == "")
        scenario = Scenario()
        scenario.handle(
            .restore(try restored(texts: texts, attempts: 1) { $0.formatting = Self.formatting }))
        #expect(try Self.report(&scenario).text == "one full stop scratch that")
        // The next block is formatted.
        scenario.call(.commit)
        scenario.handle(.recognition(Self.id, .blockEnded(3, duration: 1)))
        scenario.say("three", in: Self.id, block: 4)
        #expect(try Self.report(&scenario).text == "Three")
        let final = try #require(scenario.finals(Self.id).first)
        #expect(final.segments.map(\.text) == ["one full stop", "scratch that"])
    }

    @Test func theTextOfAnEngineThatPunctuatesReturnsWithItsMarks() throws {
        let text = JournalText(Segment(text: "One, two. Three?", end: 2), isPunctuated: true)
        var scenario = Scenario()
        scenario.handle(.restore(try restored(texts: [text]) { $0.formatting = Self.formatting }))
        #expect(try Self.report(&scenario).text == "One, two. Three?")
        #expect(scenario.machine.uncommitted(of: Self.id).map(\.texts) == [[text]])
    }

    @Test func aSessionThatWasAllowedOnceReturnsWhenItIsAllowedAgain() throws {
        var scenario = Scenario()
        scenario.handle(.permission(Client.editor.identity, .notDetermined))
        #expect(scenario.machine.refusal(ofRestoring: try restored())?.kind == .permissionRequired)
        scenario.handle(.allowedOnce(.editor, Resource.dictation))
        #expect(scenario.machine.refusal(ofRestoring: try restored()) == nil)
        scenario.handle(.restore(try restored()))
        #expect(try Self.report(&scenario).text == "one two")
    }

    @Test func aRefusedStartEndsNothing() throws {
        var scenario = Scenario()
        _ = scenario.listen(by: .terminal) { $0.lingers = true }
        scenario.handle(.restore(try restored()))
        let start = scenario.call(
            .start(
                SessionID(rawValue: 99),
                lingering(StartOptions(transcription: TranscriptionRequest(engine: "", language: "en-US")))))
        #expect(scenario.answers(to: start) == [.refused(.alreadyRunning)])
        #expect(try Self.report(&scenario).text == "one two")

        var settings = Settings()
        settings.sessionLimit = 1
        for event in [Event.shutdown, .permission(Client.editor.identity, .notDetermined)] {
            scenario = Scenario(settings: settings)
            scenario.handle(.restore(try restored()))
            let blocks = scenario.machine.uncommitted(of: Self.id)
            #expect(!blocks.isEmpty)
            if event == .shutdown {
                scenario.handle(event)
                #expect(scenario.effects.last == .leave(Self.id, blocks))
            } else {
                scenario.handle(event)
                scenario.start()
                scenario.handle(.permission(Client.editor.identity, .granted))
                #expect(try Self.report(&scenario).text == "one two")
            }
        }
    }

    /// The sessions of others count.
    @Test func aStartInsteadOfARestoredSessionKeepsTheLimit() throws {
        var scenario = Scenario()
        _ = scenario.listen(by: .terminal)
        scenario.handle(.restore(try restored()))
        var settings = Settings()
        settings.sessionLimit = 1
        scenario.handle(.settings(settings))
        let options = StartOptions(transcription: TranscriptionRequest(engine: "", language: "en-US"))
        let start = scenario.call(.start(SessionID(rawValue: 99), options))
        #expect(scenario.answers(to: start) == [.refused(.limitExceeded)])
        #expect(try Self.report(&scenario).text == "one two")
    }

    private func lingering(_ options: StartOptions) -> StartOptions {
        var options = options
        options.lingers = true
        return options
    }

    @Test func aLingeringSessionOfOthersIsNotReplacedByAStart() throws {
        var scenario = Scenario()
        scenario.handle(.restore(try restored(hasOwner: false) { $0.lingers = true }))
        scenario.start(by: .terminal) { $0.lingers = true }
        #expect(scenario.answers(to: CallID(rawValue: 1)) == [.refused(.alreadyRunning)])
        #expect(try Self.report(&scenario, of: .player).text == "one two")
    }

    @Test func isNotRestoredBesideALingeringSessionOfItsControlGroup() throws {
        var scenario = Scenario()
        _ = scenario.listen(by: .terminal) { $0.lingers = true }
        scenario.handle(.restore(try restored { $0.lingers = true }))
        #expect(!scenario.machine.hasSession(Self.id))
    }

    @Test func aLingeringSessionReturnsWithoutItsConnection() throws {
        var scenario = Scenario()
        scenario.handle(.restore(try restored(hasOwner: false)))
        #expect(!scenario.machine.hasSession(Self.id))
        scenario.handle(.restore(try restored(hasOwner: false) { $0.lingers = true }))
        let report = try Self.report(&scenario, of: .terminal)
        #expect(report.session == Self.id && !report.isOwner && report.text == "one two")
    }

    @Test func reportsUncommittedBlocksOfPermittedMicrophoneSessionsOnly() throws {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("one", in: session)
        scenario.call(.commit)
        scenario.say("two", in: session, block: 2)
        #expect(
            scenario.machine.uncommitted(of: session).map(\.texts)
                == [[JournalText(Segment(text: "one"))], [JournalText(Segment(text: "two"))]])
        scenario.handle(.permission(Client.editor.identity, .restricted))
        #expect(scenario.machine.uncommitted(of: session).isEmpty)

        scenario = Scenario()
        let file = scenario.start { $0.hasInput = true }
        scenario.say("one", in: file)
        #expect(scenario.machine.uncommitted(of: file).isEmpty)
    }
}
