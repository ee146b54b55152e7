import DictationRig
import DictationTestKit
import Testing

/// Retracted text is deleted from the field it was typed into, and nothing else is.
@Suite(.serialized, .sharedDesk(engine: "[answering, scripted]")) struct RetractionTests {
    /// Says words that are recognised as the text, and commits it.
    private func dictate(_ text: String, to server: ScriptedEngineServer, on desk: ShellDesk) async throws {
        try await server.become("answer", text: text)
        try await desk.say(500, 600)
        try await desk.run("global.extension()._dictation._service.commit()")
    }

    private func knows(_ text: String, _ desk: ShellDesk) async throws {
        try await eventually("the shell knows what stands there", equals: "\"\(text)\"") {
            try await desk.evaluate("Main.inputMethod.getSurroundingText()[0]")
        }
    }

    @Test(arguments: ["gtk4-entry", "gtk3-entry", "gtk4-view", "gtk3-view"])
    func deletesRetractedText(kind: String) async throws {
        try await withDesk { desk in
            let window = try await desk.open(kind)
            let server = try await desk.startEngine(answering: "One day.")
            try await desk.startDictating()
            try await dictate("One day.", to: server, on: desk)
            try await window.text("One day.")
            try await knows("One day.", desk)
            try await dictate("Two days.", to: server, on: desk)
            try await window.text("One day. Two days.")
            try await knows("One day. Two days.", desk)
            for rest in ["One day.", ""] {
                try await dictate("Scratch that.", to: server, on: desk)
                try await window.text(rest)
                try await knows(rest, desk)
            }
            try await eventually("no text is offered any more") {
                try await desk.dictation("texts.filter(each => /One|Two/.test(each.text)).length") == "0"
            }
            // There is nothing left to take back.
            try await dictate("Three days.", to: server, on: desk)
            try await window.text("Three days.")
            try await desk.stopDictating()
            server.process.terminate()
            _ = try await server.process.exitStatus()
            try await window.close()
        }
    }

    @Test func deletesOnlyItsOwnText() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-form")
            try await window.fill("Said.", on: desk)
            let server = try await desk.startEngine(answering: "One day.")
            try await desk.startDictating()
            try await dictate("One day.", to: server, on: desk)
            try await window.text("Said. One day.")
            try await knows("Said. One day.", desk)
            // The user types something after it.
            try await desk.press("x")
            try await window.text("Said. One day.x")
            try await knows("Said. One day.x", desk)
            try await dictate("Scratch that.", to: server, on: desk)
            try await eventually("the user is told") {
                try await desk.notifications().contains("Delete it by hand")
            }
            #expect(window.text() == "Said. One day.x")
            try await desk.stopDictating()
            server.process.terminate()
            _ = try await server.process.exitStatus()
            try await window.close()
        }
    }

    /// If nothing can be deleted, the words are text.
    @Test func asksForNoCommandsInATerminal() async throws {
        try await withDesk { desk in
            let window = try await desk.open("terminal", "Terminal", desk.files.path(of: "home/typed-2"))
            let server = try await desk.startEngine(answering: "Scratch that.")
            try await desk.startDictating()
            try await desk.say(500, 600)
            try await desk.stopDictating()
            try await eventually("the words are text", equals: "\"Scratch that.\"") {
                try await desk.dictation("texts[0].text")
            }
            server.process.terminate()
            _ = try await server.process.exitStatus()
            try await window.close()
        }
    }
}
