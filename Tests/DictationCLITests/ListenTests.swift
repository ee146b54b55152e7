import DBus
import DictationInterface
import DictationTestKit
import Foundation
import Glibc
import ScriptedService
import Testing

@Suite struct ListenTests {
    private struct Stage {
        let bus: PrivateBus
        let service: ScriptedService
        let terminal: PseudoTerminal

        init(columns: Int = 60, rows: Int = 12, options: [String] = []) async throws {
            bus = try await PrivateBus()
            service = try await ScriptedService(at: bus.address)
            await service.offer([])
            terminal = try PseudoTerminal(
                [try BuiltProgram.path(of: "dictation-cli"), "listen"] + options,
                environment: bus.environment, columns: columns, rows: rows)
            try await terminal.shows("Listening")
        }

        func say(_ stable: String, _ volatile: String = "", offset: Int = 0) async throws {
            let session = try #require(await service.session)
            try await service.emit(
                .partial(
                    session: session.id, block: session.block, offset: UInt64(offset), stable: stable,
                    volatile: volatile, details: [:]))
        }

        func called(_ method: DictationMethod) async throws {
            try await eventually("\(method) is called") {
                await service.requests.contains { $0.method == method }
            }
        }

        func strike() async { await service.vanish() }
    }

    @Test func theMeterIsAsWideAsTheTerminalAndHoldsThePeak() async throws {
        let stage = try await Stage(columns: 69, options: ["--meter"])
        let session = try #require(await stage.service.session)
        #expect(session.options["levels"] == .bool(true))
        for (rms, peak) in [(-30.0, -6.0), (-60, -54)] {
            try await stage.service.emit(
                .level(session: session.id, rmsDbfs: rms, peakDbfs: peak, details: [:]))
        }
        try await eventually("an empty bar with the held peak") {
            stage.terminal.screen.lines.contains { line in
                line.hasPrefix("▕  ") && line.contains("│") && line.hasSuffix("-6 dB")
            }
        }
        stage.terminal.press("q")
        #expect(try await stage.terminal.exitCode() == 0)
        await stage.strike()
    }

    @Test func rewritesPartialTextAndObeysKeys() async throws {
        let stage = try await Stage()
        await stage.service.hear("hello world", "the end")
        try await stage.terminal.shows("Space pauses")
        try await stage.say("hello ", "word")
        try await stage.terminal.shows("hello word")
        try await stage.say("", "wor", offset: 6)
        try await stage.terminal.shows("hello wor")

        stage.terminal.press("\n")
        try await stage.terminal.shows("hello world")
        stage.terminal.press(" ")
        try await stage.terminal.shows("Paused")
        try await stage.terminal.shows("Space resumes")
        stage.terminal.press(" ")
        try await stage.terminal.shows("Listening")
        try await stage.say("rubbish")
        try await stage.terminal.shows("rubbish")
        stage.terminal.press("\u{1B}")
        try await eventually("the text is gone") { !stage.terminal.screen.lines.joined().contains("rubbish") }
        stage.terminal.press("q")

        #expect(try await stage.terminal.exitCode() == 0)
        #expect(stage.terminal.screen.lines.filter { !$0.isEmpty } == ["hello world", "the end"])
        #expect(stage.terminal.isCooked)
        let methods = await stage.service.requests.map(\.method).filter { $0 != .getSession }
        #expect(methods == [.checkPermission, .start, .commit, .pause, .resume, .cancel, .commit, .stop])
        await stage.strike()
    }

    @Test(
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func signalsCommitAndRestoreTheTerminal(signal: Int32) async throws {
        let stage = try await Stage()
        await stage.service.hear("last words")
        stage.terminal.send(signal)
        try await stage.called(.commit)
        #expect(try await stage.terminal.exitCode() == 0)
        #expect(stage.terminal.screen.lines.contains("last words"))
        #expect(stage.terminal.isCooked)
        await stage.strike()
    }

    /// A terminal that is closed ends its input and sends SIGHUP.
    @Test func requestsToEndThatComeTogetherCommit() async throws {
        let stage = try await Stage()
        await stage.service.hear("last words")
        for method in [DictationMethod.commit, .stop] { await stage.service.leaveUnanswered(method) }
        stage.terminal.press("\u{4}")
        stage.terminal.send(SIGHUP)
        stage.terminal.send(SIGTERM)
        try await stage.called(.stop)
        stage.terminal.send(SIGHUP)
        await stage.service.answerAll()
        #expect(try await stage.terminal.exitCode() == 0)
        #expect(stage.terminal.screen.lines.contains("last words"))
        await stage.strike()
    }

    @Test func secondControlCKeepsWhatIsShown() async throws {
        let stage = try await Stage()
        await stage.service.leaveUnanswered(.commit)
        await stage.service.leaveUnanswered(.stop)
        try await stage.say("half a ", "sentence")
        try await stage.terminal.shows("half a sentence")
        stage.terminal.press("\u{3}")
        try await stage.called(.stop)
        try await eventually("it ends") {
            stage.terminal.press("\u{3}")
            return stage.terminal.hasEnded
        }
        #expect(try await stage.terminal.exitCode() == 130)
        // Keys that came later may be echoed below it.
        #expect(stage.terminal.screen.lines.first == "half a sentence")
        #expect(stage.terminal.isCooked)
        await stage.strike()
    }

    @Test func discardedTextIsBroughtBackByAKey() async throws {
        let stage = try await Stage()
        try await stage.say("half a ", "sentence")
        try await stage.terminal.shows("half a sentence")
        stage.terminal.press("\u{1B}")
        try await stage.terminal.shows("u brings it back")
        stage.terminal.press("u")
        // What the service had recognised.
        try await stage.terminal.shows("so far")
        stage.terminal.press("q")
        #expect(try await stage.terminal.exitCode() == 0)
        #expect(stage.terminal.screen.lines.filter { !$0.isEmpty } == ["so far"])
        await stage.strike()
    }

    /// As over a slow connection.
    @Test func cursorKeyInTwoPiecesDiscardsNothing() async throws {
        for attempt in 1...5 {
            let stage = try await Stage()
            // Listening, it asks for the microphone once.
            try await stage.called(.getSession)
            let before = await stage.service.requests.count
            let start = ContinuousClock.now
            stage.terminal.press("\u{1B}")
            stage.terminal.press("[A")
            let isLate = ContinuousClock.now - start > .milliseconds(25)
            // Calls are sent in order.
            stage.terminal.press(" ")
            try await stage.called(.pause)
            let methods = await stage.service.requests.dropFirst(before).map(\.method)
            stage.terminal.press("q")
            #expect(try await stage.terminal.exitCode() == 0)
            let isCancelled = await stage.service.requests.contains { $0.method == .cancel }
            await stage.strike()
            // On a busy machine Escape may have been alone for as long as the key.
            if attempt < 5, isLate { continue }
            #expect(methods == [.pause])
            #expect(!isCancelled)
            break
        }
    }

    @Test func paragraphsStayInFinalText() async throws {
        let stage = try await Stage(options: ["--once"])
        let session = try #require(await stage.service.session)
        #expect(session.options["auto-commit"] == Value(UInt32(1000)))
        try await stage.service.emit(
            .final(session: session.id, block: 1, text: "one\n\ntwo\u{1B}c", details: [:]))
        #expect(try await stage.terminal.exitCode() == 0)
        #expect(Array(stage.terminal.screen.lines.prefix(3)) == ["one", "", "two c"])
        await stage.strike()
    }

    @Test func controlCQuits() async throws {
        let stage = try await Stage()
        await stage.service.hear("last words")
        stage.terminal.press("\u{3}")
        #expect(try await stage.terminal.exitCode() == 0)
        #expect(stage.terminal.screen.lines.contains("last words"))
        await stage.strike()
    }

    @Test func controlZPausesAndRestoresTheTerminal() async throws {
        let stage = try await Stage()
        stage.terminal.press("\u{1A}")
        try await eventually("it sleeps") { stage.terminal.isStopped }
        #expect(stage.terminal.isCooked)
        try await stage.called(.pause)
        stage.terminal.send(SIGCONT)
        try await stage.called(.resume)
        try await stage.terminal.shows("Listening")
        #expect(!stage.terminal.isCooked)
        stage.terminal.press("q")
        #expect(try await stage.terminal.exitCode() == 0)
        await stage.strike()
    }

    @Test func showsAnInterruptionUntilItEnds() async throws {
        let stage = try await Stage()
        let reasons = Value(["call"])
        try await stage.service.emit(.interrupted(session: 1, reason: "call", details: ["reasons": reasons]))
        try await stage.terminal.shows("A call has the microphone; waiting until the call ends.")
        try await stage.service.emit(.resumed(session: 1, reason: "call", details: ["reasons": reasons]))
        try await eventually("the banner is gone") { !stage.terminal.screen.lines.joined().contains("call") }
        stage.terminal.press("q")
        #expect(try await stage.terminal.exitCode() == 0)
        await stage.strike()
    }

    @Test func wrapsTextAgainAfterAResize() async throws {
        let stage = try await Stage(columns: 70)
        let words = (1...12).map { "word\($0)" }.joined(separator: " ")
        try await stage.say(words)
        try await stage.terminal.shows("word11")
        let before = stage.terminal.transcript.count
        stage.terminal.size = (24, 12)
        try await eventually("it is drawn again") { stage.terminal.transcript.count > before }
        try await eventually("it fits") {
            let drawn = String(stage.terminal.transcript.dropFirst(before))
            return drawn.contains("word12")
                && drawn.split(separator: "\n").contains { $0.contains("word1 word2 word3") }
                && !drawn.contains("word1 word2 word3 word4 word5")
        }
        stage.terminal.press("q")
        #expect(try await stage.terminal.exitCode() == 0)
        await stage.strike()
    }

    @Test func continuesWithTheNextService() async throws {
        let stage = try await Stage()
        try await stage.say("half a sentence")
        try await stage.terminal.shows("half a sentence")
        await stage.service.vanish()
        try await stage.terminal.shows("service has ended")
        let next = try await ScriptedService(at: stage.bus.address)
        try await eventually("a session begins") { await next.session != nil }
        try await stage.terminal.shows("● Listening")
        await next.hear("second half")
        stage.terminal.press("q")
        #expect(try await stage.terminal.exitCode() == 0)
        #expect(stage.terminal.screen.lines.filter { !$0.isEmpty } == ["half a sentence", "second half"])
        await next.vanish()
    }

    @Test(
        arguments: [
            ("stopped", "Another program has ended the session."),
            ("shutdown", "The session ended: the service was shut down."),
        ])
    func keepsTextWhenTheSessionIsEndedFromElsewhere(reason: String, notice: String) async throws {
        let stage = try await Stage()
        try await stage.say("half a ", "sentence")
        try await stage.terminal.shows("half a sentence")
        try await stage.service.end(reason)
        #expect(try await stage.terminal.exitCode() == 0)
        #expect(stage.terminal.screen.lines.filter { !$0.isEmpty } == ["half a sentence", notice])
        #expect(stage.terminal.isCooked)
        await stage.strike()
    }

    @Test func tellsTheErrorThatEndedTheSession() async throws {
        let stage = try await Stage()
        try await stage.service.emit(
            .error(
                session: 1, name: DictationInterface.errorName(.engineUnavailable).rawValue,
                message: "Install the engine.", details: [:]))
        try await stage.terminal.shows("Install the engine.")
        try await stage.service.end("error")
        #expect(try await stage.terminal.exitCode() == 0)
        #expect(
            stage.terminal.screen.lines.filter { !$0.isEmpty } == [
                "Install the engine.", "The session ended: the request cannot be carried out.",
            ])
        await stage.strike()
    }

    @Test func keepsTextWhenTheBusIsLost() async throws {
        let stage = try await Stage()
        try await stage.say("half a sentence")
        try await stage.terminal.shows("half a sentence")
        try await stage.bus.kill()
        #expect(try await stage.terminal.exitCode() == 69)
        #expect(
            stage.terminal.screen.lines.filter { !$0.isEmpty } == [
                "half a sentence", "The connection to the dictation service is lost.",
            ])
    }

    @Test func ignoresCallsThatTheServiceDidNotAnswer() async throws {
        let stage = try await Stage()
        await stage.service.leaveUnanswered(.pause)
        stage.terminal.press(" ")
        try await stage.called(.pause)
        await stage.service.vanish()
        try await stage.terminal.shows("service has ended")
        let next = try await ScriptedService(at: stage.bus.address)
        try await stage.terminal.shows("● Listening")
        #expect(!stage.terminal.transcript.contains("without replying"))
        stage.terminal.press("q")
        #expect(try await stage.terminal.exitCode() == 0)
        await next.vanish()
    }

    @Test func losingTheBusRestoresTheTerminal() async throws {
        let stage = try await Stage()
        try await stage.bus.kill()
        #expect(try await stage.terminal.exitCode() == 69)
        #expect(stage.terminal.isCooked)
    }
}
