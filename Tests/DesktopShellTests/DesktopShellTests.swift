import DictationRig
import DictationTestKit
import Foundation
import Testing

/// Tests with recorded words, GNOME Shell and windows.
@Suite(.serialized, .sharedDesk) struct DesktopShellTests {
    @Test(arguments: ["gtk4-entry", "gtk3-view"])
    func spokenWordsArriveWhereTheCursorIs(kind: String) async throws {
        try await withDesk { desk in
            let window = try await desk.open(kind)
            let empty = try await desk.pictureOfTheWindow()
            try await desk.startDictating()
            try await desk.say(500, 600)
            try await window.preedit("T500 t600")
            #expect(window.text() == "")
            let live = try await desk.takeScreenshot("\(kind)-live", unlike: empty)
            try await desk.stopDictating()
            try await window.text("T500 t600")
            try await window.preedit("")
            let committed = try await desk.takeScreenshot("\(kind)-committed", unlike: live)
            #expect(committed != empty)
            // The window notifies the shell a little later than the test.
            try await eventually("the shell knows") {
                try await desk.dictation("texts[0]").contains(#""text":"T500 t600","outcome":"arrived""#)
            }
            try await eventually("the microphone is closed") { try await !desk.isCapturing() }
            try await window.close()
        }
    }

    @Test func aTerminalGetsOneLineOfText() async throws {
        try await withDesk { desk in
            let file = desk.files.path(of: "home/typed")
            let window = try await desk.open("terminal", "Terminal", file)
            let empty = try await desk.pictureOfTheWindow()
            try await desk.startDictating()
            try await desk.say(500)
            try await eventually("it is heard", equals: "\"T500\"") { try await desk.dictation("text") }
            let live = try await desk.takeScreenshot("terminal-live", unlike: empty)
            try await desk.stopDictating()
            try await desk.startDictating()
            try await desk.say(600)
            try await desk.stopDictating()
            let committed = try await desk.takeScreenshot("terminal-committed", unlike: live)
            #expect(committed != empty)
            try await desk.press("Return")
            try await eventually("the line is there") {
                (try? String(contentsOfFile: file, encoding: .utf8)) == "[t500 t600]"
            }
            try await eventually("both texts are listed", equals: #"["T600 sent","T500 sent"]"#) {
                try await desk.evaluate(
                    "global.extension()._dictation.texts.slice(0, 2).map(each => `${each.text} ${each.outcome}`)"
                )
            }
            try await window.close()
        }
    }

    @Test func aTextIsListedAfterTheStartOfTheNextDictation() async throws {
        try await withDesk { desk in
            let file = desk.files.path(of: "home/typed-before")
            let window = try await desk.open("terminal", "Terminal", file)
            try await desk.startDictating()
            try await desk.say(500)
            try await eventually("it is heard", equals: "\"T500\"") { try await desk.dictation("text") }
            let latest = "global.extension()._dictation._sessions[0]"
            let begun = try await desk.evaluate(latest)
            try await desk.run(
                "global.extension()._dictation.toggle(); global.extension()._dictation.toggle()")
            try await eventually("the next session has begun") { try await desk.evaluate(latest) != begun }
            try await eventually("the text is listed", equals: #""T500 sent""#) {
                try await desk.evaluate(
                    "global.extension()._dictation.texts.slice(0, 1).map(each => `${each.text} ${each.outcome}`)[0]"
                )
            }
            try await desk.stopDictating()
            try await window.close()
        }
    }

    @Test func passwordsAndPinsAreNotTyped() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-form")
            for secret in [2, 3] {
                try await window.command("focus \(secret)")
                try await eventually("the field is known") {
                    try await desk.evaluate("Main.inputMethod.content_hints & 192") != "0"
                }
                try await desk.dismissNotifications()
                try await desk.press("Super_L", "d")
                try await eventually("the user is told") {
                    try await desk.notifications().contains("does not type into password fields")
                }
                #expect(try await desk.dictation("isWanted") == "false")
            }
            // The focus moves there in the middle of a sentence.
            try await window.command("focus 0")
            try await eventually("the field is known", equals: "0") {
                try await desk.evaluate("Main.inputMethod.content_hints & 192")
            }
            try await desk.startDictating()
            try await desk.say(500)
            try await window.preedit("T500")
            try await window.leave(for: 2, on: desk)
            try await desk.say(600)
            try await desk.stopDictating()
            #expect(try await desk.dictation("texts[0]").contains(#""why":"left""#))
            try await window.command("focus 0")
            for secret in [2, 3] { #expect(window.everything(in: secret) == []) }
            #expect(window.text(of: 0) == "")
            try await window.close()
        }
    }

    @Test func anotherWindowGetsNothingOfASentence() async throws {
        try await withDesk { desk in
            let first = try await desk.open("gtk4-form", "First")
            try await first.fill("Said.", on: desk)
            try await desk.startDictating()
            try await desk.say(500)
            try await first.preedit(" T500")
            let second = try await desk.open("gtk3-view", "Second")
            try await desk.say(600)
            try await eventually("the words are heard") { try await desk.dictation("text").contains("t600") }
            try await desk.run("global.extension()._dictation._service.commit()")
            try await eventually("the text is kept") {
                try await desk.dictation("texts[0]").contains(#""text":"T500 t600","outcome":"kept""#)
            }
            #expect(second.everything() == [])
            #expect(first.text() == "Said.")
            // It waits for its field.
            try await desk.focus(first)
            try await first.text("Said. T500 t600")
            #expect(second.everything() == [])
            try await second.close()
            try await desk.stopDictating()
            try await first.close()
        }
    }

    @Test func anotherFieldOfTheWindowGetsNothingOfASentence() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-form")
            try await desk.startDictating()
            try await desk.say(500)
            try await window.preedit("T500")
            try await window.leave(for: 1, on: desk)
            try await window.preedit("")
            try await desk.say(600)
            try await desk.stopDictating()
            #expect(
                try await desk.dictation("texts[0]").contains(
                    #""text":"T500 t600","outcome":"kept","why":"left""#))
            #expect(window.text() == "")
            #expect(window.everything(in: 1) == [])
            try await window.close()
        }
    }

    @Test func escapeDiscardsWhileDictating() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-entry")
            try await desk.startDictating()
            try await desk.say(500)
            try await window.preedit("T500")
            try await desk.settle()
            try await desk.press("Escape")
            try await window.preedit("")
            try await desk.say(600)
            try await desk.stopDictating()
            try await window.text("T600")
            #expect(!window.everything().contains("T500 t600"))
            #expect(
                try await desk.evaluate("global.extension()._keys._isDictating") == "false")
            try await window.close()
        }
    }

    @Test func aHeldKeyWorksWithoutAReleaseEvent() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-entry")
            try await desk.run("global.press('Super_L', true); global.press('d', true)")
            try await eventually("it listens", equals: "\"listening\"") { try await desk.dictation("state") }
            try await desk.say(500)
            try await window.preedit("T500")
            // Until the keyboard repeats the key.
            try await eventually("it is no tap", equals: "true") {
                try await desk.evaluate(
                    "imports.gi.GLib.get_monotonic_time() / 1000 - global.extension()._keys._hold._pressed > 900"
                )
            }
            // The modifier first, so there is no release event.
            try await desk.run("global.press('Super_L', false)")
            try await window.text("T500")
            try await desk.run("global.press('d', false)")
            try await eventually("it no longer listens", equals: "\"idle\"") {
                try await desk.dictation("state")
            }
            try await window.close()
        }
    }

    @Test func fiveThousandCharactersArriveInOneBlock() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk3-view")
            try await desk.startDictating()
            try desk.microphone.go(at: .cycle(every: .microseconds(700)))
            let words = (0..<100).flatMap { index in
                let frequency = 1000 + 100 * (index % 2 == 0 ? index / 2 % 20 : 20 - index / 2 % 20)
                return Speech.tone(frequency, seconds: 0.14) + Speech.silence(0.06)
            }
            // On a busy machine some audio is lost at this speed, so only recognised words count.
            try await eventually("enough is heard", within: .seconds(120)) {
                try await desk.say(words)
                return try await desk.evaluate("global.extension()._dictation.text.length > 5100") == "true"
            }
            try desk.microphone.go(at: .brisk)
            try await desk.stopDictating()
            try await eventually("it has been typed", equals: "true") {
                try await desk.evaluate("global.extension()._dictation.texts[0]?.text.length > 5000")
            }
            let heard = try await desk.dictation("texts[0].text").replacing("\"", with: "")
            try await window.text("T" + heard.dropFirst())
            #expect(window.everything().allSatisfy { $0.utf8.count < 1200 || $0.utf8.count >= 3000 - 10 })
            #expect(try await desk.dictation("texts[0].outcome") == "\"arrived\"")
            try await window.close()
        }
    }

    @Test func theLastOfQuickTapsWins() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-entry")
            // The shell handles keys after the call that presses them.
            try await desk.run(
                """
                // However slow the machine is, no tap lasts long enough to be a hold.
                global.extension()._keys._now = () => 0;
                const hold = global.extension()._keys._hold;
                const press = hold.press;
                global.taps = 0;
                hold.press = function (...parameters) {
                    global.taps += 1;
                    return press.apply(this, parameters);
                }
                """)
            for _ in 0..<5 { try await desk.press("Super_L", "d") }
            try await eventually("all taps are handled", equals: "5") {
                try await desk.evaluate("global.taps")
            }
            try await desk.run(
                "delete global.extension()._keys._hold.press; delete global.extension()._keys._now")
            #expect(try await desk.dictation("isWanted") == "true")
            try await eventually("it no longer stops", equals: "false") {
                try await desk.dictation("_isStopping")
            }
            try await eventually("it listens", equals: "\"listening\"") { try await desk.dictation("state") }
            try await desk.say(500)
            try await window.preedit("T500")
            try await desk.stopDictating()
            try await eventually("the microphone is closed") { try await !desk.isCapturing() }
            try await window.close()
        }
    }

    @Test func textFitsTheTextBeforeTheCursor() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-form")
            try await window.fill("Grüße.", on: desk)
            try await desk.startDictating()
            try await desk.say(500)
            try await desk.stopDictating()
            try await window.text("Grüße. T500")
            try await window.close()
        }
    }
}
