import DictationClient
import Testing

@testable import dictation_cli

@Suite struct ListenScreenTests {
    private func screen(_ events: DictationEvent...) -> ListenScreen {
        var screen = ListenScreen()
        for event in events { _ = screen.apply(event) }
        return screen
    }

    private func text(_ screen: ListenScreen, columns: Int = 80, rows: Int = 10) -> [String] {
        screen.lines(columns: columns, rows: rows).map(\.text)
    }

    private func partial(_ stable: String, _ volatile: String = "") -> DictationEvent {
        .partial(PartialText(block: 1, offset: 0, stable: stable, volatile: volatile))
    }

    private func state(
        _ state: SessionState, pending: Int = 0, reasons: [InterruptionReason] = []
    ) -> DictationEvent {
        .stateChanged(StateChange(state: state, cause: "", reasons: reasons, pending: pending))
    }

    @Test func volatileTextIsDim() {
        let lines = screen(state(.listening), partial("hello ", "word")).lines(columns: 80, rows: 10)
        #expect(
            lines.first?.spans == [.init(text: "hello ", style: .plain), .init(text: "word", style: .dim)])
        #expect(lines.last?.text == "● Listening")
    }

    @Test func theMeterIsAWideBarThatHoldsThePeak() throws {
        var screen = ListenScreen()
        screen.meter = LevelBar()
        for event in [state(.listening), .level(Level(rms: -30, peak: -6))] { _ = screen.apply(event) }
        let bar = "▕" + String(repeating: "█", count: 30) + String(repeating: " ", count: 23) + "│"
        #expect(text(screen, columns: 69) == ["● Listening", bar + "      ▏  -6 dB"])
        // The peak stays for a second and a half.
        for _ in 0..<30 { _ = screen.apply(.level(Level(rms: -60, peak: -54))) }
        #expect(text(screen, columns: 69).last?.contains("│") == true)
        #expect(text(screen, columns: 69).last?.hasSuffix("-6 dB") == true)
        _ = screen.apply(.level(Level(rms: -60, peak: -54)))
        #expect(text(screen, columns: 69).last?.hasSuffix("-54 dB") == true)
        // No level without sound, and never wider than the terminal.
        for columns in [1, 9, 10, 200] {
            #expect(screen.lines(columns: columns, rows: 10).allSatisfy { $0.width <= max(columns, 9) })
        }
        _ = screen.apply(state(.paused))
        #expect(text(screen) == ["‖ Paused"])
    }

    @Test func finalTextLeavesTheLiveLines() {
        var screen = screen(state(.listening), partial("hello"))
        #expect(screen.apply(.final(Final(block: 1, text: "hello world"))) == "hello world")
        #expect(text(screen) == ["● Listening"])
        #expect(screen.apply(.final(Final(block: 2, text: ""))) == nil)
    }

    @Test func discardedTextCanBeBroughtBackOnce() {
        var screen = screen(state(.listening), partial("hello ", "world"))
        screen.discardText(of: 1, "hello")
        #expect(text(screen) == ["● Listening", "Discarded. u brings it back."])
        let texts = [screen.takeDiscardedText(), screen.takeDiscardedText()]
        #expect(texts == ["hello", nil])
        #expect(text(screen) == ["● Listening"])
        // The service did not answer in time.
        _ = screen.apply(.partial(PartialText(block: 2, offset: 0, stable: "one", volatile: "")))
        screen.discardText(of: 2, nil)
        let shown = screen.takeDiscardedText()
        #expect(shown == "one")
        let hadText = screen.discardText(of: 3, "")
        #expect(!hadText)
    }

    @Test func newlinesAreShownAndTextCannotControlTheTerminal() {
        let screen = screen(state(.listening), partial("one\ntwo\u{1B}[2J", "\n\nthree"))
        #expect(text(screen) == ["one", "two [2J", "", "three", "● Listening"])
    }

    @Test func aLateFinalKeepsTheCurrentText() {
        var screen = ListenScreen()
        _ = screen.apply(.partial(PartialText(block: 2, offset: 0, stable: "next", volatile: "")))
        _ = screen.apply(.final(Final(block: 1, text: "before")))
        #expect(screen.text.text == "next")
    }

    @Test func removesOrNamesRetractedText() {
        var screen = screen(state(.listening), partial("one two"))
        _ = screen.apply(.retracted(Retraction(block: 1, offset: 3, scalars: 4)))
        #expect(screen.text.text == "one")
        _ = screen.apply(.final(Final(block: 1, text: "one three")))
        _ = screen.apply(.retracted(Retraction(block: 1, offset: 3, scalars: 6)))
        #expect(text(screen) == ["● Listening", "Took back “three”."])
        _ = screen.apply(.retracted(Retraction(block: 1, offset: 0, scalars: 3)))
        #expect(text(screen) == ["● Listening", "Took back “one”."])
        _ = screen.apply(.command("send\u{1B} it"))
        #expect(text(screen).last?.contains("send") == true)
        #expect(text(screen).last?.contains("\u{1B}") == false)
    }

    @Test func discardingClearsTheDiscardedBlockOnly() {
        var screen = screen(partial("one"))
        screen.discardText(of: 1, nil)
        #expect(screen.text.isEmpty)
        _ = screen.apply(.partial(PartialText(block: 2, offset: 0, stable: "two", volatile: "")))
        screen.discardText(of: 1, nil)
        #expect(screen.text.text == "two")
    }

    @Test func aBannerExplainsAnInterruption() {
        var screen = screen(state(.listening), .interrupted(.call, all: [.call]))
        #expect(
            text(screen) == ["▲ Interrupted", "A call has the microphone; waiting until the call ends."])
        _ = screen.apply(state(.interrupted, reasons: [.call, .sessionLocked]))
        #expect(
            text(screen, columns: 200).last
                == "A call has the microphone, and the screen is locked; waiting until the call ends and the screen is unlocked."
        )
        _ = screen.apply(.resumed(.sessionLocked, all: [.call, .sessionLocked], seconds: 3))
        #expect(text(screen) == ["● Listening"])
    }

    @Test(
        arguments: [
            (.call, "A call has the microphone; waiting until the call ends."),
            (.noSource, "There is no microphone; waiting until a microphone is plugged in."),
            (.audioServerLost, "The sound server does not answer; waiting until PipeWire is back."),
            (.suspend, "The computer is going to sleep; waiting until the computer is awake."),
            (.sessionLocked, "The screen is locked; waiting until the screen is unlocked."),
            (
                .sessionInactive,
                "Another user is at the screen; waiting until this user is at the screen again."
            ),
            (.preempted, "Another application is dictating; waiting until it pauses or stops."),
            (.permissionLost, "The permission was revoked; waiting until the permission is granted again."),
            (.engineLost, "The speech engine failed; waiting until the engine works again."),
            (.sourceMuted, "The microphone is muted; waiting until it is unmuted."),
        ] as [(InterruptionReason, String)])
    func everyReasonHasASentence(reason: InterruptionReason, banner: String) {
        var screen = screen(state(.listening), .interrupted(reason, all: [reason]))
        #expect(text(screen) == ["▲ Interrupted", banner])
        _ = screen.apply(.resumed(reason, all: [reason], seconds: 1))
        #expect(text(screen) == ["● Listening"])
    }

    @Test func showsAnUnknownReason() {
        let screen = screen(.interrupted(InterruptionReason(rawValue: "eclipse"), all: []))
        #expect(text(screen).last == "Eclipse; waiting until that is over.")
    }

    @Test(arguments: 1...12)
    func showsTheEndOfLongText(rows: Int) {
        let words = (1...400).map { "word\($0)" }.joined(separator: " ")
        let lines = screen(state(.listening), partial(words)).lines(columns: 30, rows: rows)
        #expect(lines.count <= rows)
        #expect(lines.allSatisfy { $0.width <= 30 })
        #expect(lines.last?.text == "● Listening")
        if rows > 2 {
            #expect(lines.first?.text == "…")
            #expect(lines[lines.count - 2].text.hasSuffix("word400"))
        }
    }

    @Test(arguments: [1, 2, 5, 17, 40])
    func linesFitTheScreen(columns: Int) {
        var screen = screen(
            .interrupted(.noSource, all: [.noSource, .call]), partial("漢字かな混じり文 and 🙂 words", "…"))
        screen.showNotice("Something went wrong that takes more than a line to tell")
        screen.hasKeys = true
        #expect(screen.lines(columns: columns, rows: 20).allSatisfy { $0.width <= max(2, columns) })
    }

    @Test func textCannotMoveTheCursor() {
        var screen = screen(state(.listening), partial("a\u{1B}[2Jb\r\nc", "\u{9B}1m\u{202E}d"))
        screen.showNotice("\u{1B}]0;title\u{7}")
        for line in text(screen) {
            #expect(
                !line.unicodeScalars.contains {
                    $0.properties.generalCategory == .control || $0 == "\u{202E}"
                })
        }
    }

    @Test func countsPendingBlocks() {
        #expect(text(screen(state(.listening, pending: 1))) == ["● Listening  processing"])
        #expect(text(screen(state(.paused, pending: 2))) == ["‖ Paused  processing 2 blocks"])
    }

    @Test func keepsUncommittedTextWhenTheServiceEnds() {
        var screen = screen(state(.listening), partial("half a ", "sentence"), .serviceVanished)
        #expect(screen.takeText() == "half a sentence")
        #expect(screen.takeText() == nil)
        #expect(text(screen).contains { $0.contains("service has ended") })
    }
}
