import DictationRig
import DictationTestKit
import Foundation
import Testing

/// What people hear who do not see the screen, in their language.
@Suite struct ScreenReaderTests {
    @Test func stateReasonAndTextsAreAnnounced() async throws {
        let desk = try await ShellDesk(
            settings: "commit-after=uint32 0", hasAccessibility: true, language: "de")
        let reader = try desk.start(["/usr/bin/python3", desk.files.path(of: "screen-reader.py")])
        _ = try await reader.line(of: .output) { $0 == "\"\"" }
        // The shell hears a little later that somebody listens.
        var attempts = 0
        try await eventually("the reader hears the shell; \(reader.text(of: .errors))") {
            attempts += 1
            try await desk.run(
                """
                global.extension()._dictation._typing.texts = [{id: \(1000 + attempts), text: 'x', outcome: 'sent', time: ''}];
                global.extension()._show();
                """)
            return reader.lines(of: .output).contains("\"Gesendet: x\"")
        }
        let window = try await desk.open("gtk4-form")
        try await desk.startDictating()
        try await desk.say(500)
        try await window.preedit("T500")
        _ = try await reader.line(of: .output) { $0 == "\"Hört zu\"" }
        try await desk.stopDictating()
        try await window.text("T500")
        _ = try await reader.line(of: .output) { $0.hasSuffix(": T500\"") }
        _ = try await reader.line(of: .output) { $0 == "\"Das Diktat ist beendet\"" }

        // Refused, because the focus has moved into a field for passwords.
        try await desk.startDictating()
        try await desk.say(600)
        try await window.preedit(" t600")
        try await window.leave(for: 2, on: desk)
        try await desk.stopDictating()
        _ = try await reader.line(of: .output) { $0 == "\"Nicht getippt\"" }

        try await window.command("focus 0")
        try await eventually("the field is known", equals: "0") {
            try await desk.evaluate("Main.inputMethod.content_hints & 192")
        }
        try await desk.startDictating()
        desk.microphone.unplug()
        _ = try await reader.line(of: .output) {
            $0 == "\"Es gibt kein Mikrofon. Das Diktat geht weiter, wenn eines angeschlossen ist.\""
        }
        try await desk.run("global.extension()._dictation.stop()")
        try await window.close()

        try await desk.run(
            """
            (agent => {
                agent._questions.push({cookie: '1', client: {kind: 'executable', id: '/opt/\\u202eeditor'},
                    resources: ['microphone', 'speech'], details: {}, invocation: {return_value() {}}});
                agent._ask();
            })(global.extension()._dictation._agent)
            """)
        try await eventually("the dialog is shown", equals: "1") {
            try await desk.evaluate("Main.modalCount")
        }
        #expect(
            try await desk.evaluate("\(ShellDesk.content).description")
                .contains("Das Programm /opt/editor möchte das Mikrofon hören und Sprache erkennen lassen."))
        try await desk.press("Escape")

        let controls = try await desk.controlsOfTheSettings()
        for role in ["list item", "page tab", "push button", "text"] {
            #expect(controls.contains { $0.first == role }, "\(role)")
        }
        // Lists need no name of their own. The parts of the search are libadwaita's, the choices of a list and the parts of its
        // button GTK's: the list has the name.
        let nameless = controls.filter {
            $0.last == "" && !["list", "scroll pane"].contains($0.first)
                && !["GtkListView", "GtkStackPage", "Another Application"].contains($0[1])
        }
        #expect(nameless == [["entry", "", ""], ["push button", "", ""]])
        reader.kill()
        try await desk.end()
    }
}

extension ShellDesk {
    /// The roles and names of the controls of `dictation-settings`, as a screen reader gets them.
    fileprivate func controlsOfTheSettings() async throws -> [[String]] {
        let settings = try start([
            "env", "DICTATION_CLI=\(executable("dictation-cli"))", "PYTHONDONTWRITEBYTECODE=1",
            "/usr/bin/python3",
            repository.appending(path: "packaging/settings/dictation-settings").path,
        ])
        try await eventually(
            "the window is shown; \(settings.text(of: .errors))", equals: "\"Dictation Settings\""
        ) {
            try await evaluate("global.display.focus_window?.title")
        }
        var names = ""
        try await eventually("the window can be read") {
            let reader = try start([
                "/usr/bin/python3", files.path(of: "screen-reader.py"), "names", "Dictation Settings",
            ])
            let status = try await reader.exitStatus()
            names = reader.text(of: .output)
            return status == .exited(0) && names.contains("What You Can Say")
                && names.contains("PocketSphinx")
        }
        settings.terminate()
        _ = try await settings.exitStatus()
        return try JSONDecoder().decode([[String]].self, from: Data(names.utf8))
    }
}
