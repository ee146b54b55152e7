import DictationTestKit
import Foundation
import Testing

extension DesktopShellTests {
    /// The example application: permission in the shell, and its keys.
    @Test func theExampleDictatesAfterPermission() async throws {
        try await withDesk { desk in
            let program = desk.files.path(of: "dictation-example")
            try? FileManager.default.removeItem(atPath: program)
            try FileManager.default.copyItem(
                atPath: repository.appending(path: "packaging/example-gtk/dictation-example").path,
                toPath: program)
            let monitor = try await desk.monitor("Final")
            let example = try desk.start(["env", "ADW_DISABLE_PORTAL=1", "/usr/bin/python3", program])
            try await desk.title("Dictation Example: idle")

            try await desk.press("Alt_L", "s")
            try await eventually("the user is asked") {
                try await desk.evaluate("global.stage.key_focus?.label === 'Not Now'") == "true"
            }
            for key in ["Tab", "Tab", "Return"] { try await desk.press(key) }
            try await desk.title("Dictation Example: listening")
            try await desk.say(500, 600)
            try await desk.press("Alt_L", "f")
            _ = try await monitor.line(of: .output) { $0.contains("t500 t600") }
            let live = try await desk.monitor("Partial")
            try await desk.say(700, 800)
            _ = try await live.line(of: .output) { $0.contains("t800") }
            try await desk.press("Alt_L", "p")
            try await desk.title("Dictation Example: paused")
            try await desk.takeScreenshot("example")
            // A banner says why it does not listen.
            try await desk.press("Alt_L", "r")
            try await desk.title("Dictation Example: listening")
            try await desk.setDesktop("interface", "color-scheme", "string('prefer-dark')")
            let python = URL(filePath: "/usr/bin/python3").resolvingSymlinksInPath().path
            let own = "{'kind': <'executable'>, 'id': <'\(python)'>}"
            let deny = try desk.gdbus("Permissions.Set", [own, "microphone", "denied"])
            _ = try await desk.output(of: deny)
            try await desk.title("Dictation Example: interrupted")
            try await desk.settle()
            try await desk.takeScreenshot("example-banner-dark")
            let grant = try desk.gdbus("Permissions.Set", [own, "microphone", "granted"])
            _ = try await desk.output(of: grant)
            try await desk.title("Dictation Example: listening")
            try await desk.resetDesktop("interface", "color-scheme")
            try await desk.press("Alt_L", "p")
            try await desk.title("Dictation Example: paused")
            // Stop keeps the text so far.
            try await desk.press("Alt_L", "s")
            _ = try await monitor.line(of: .output) { $0.contains("t800") }
            try await desk.title("Dictation Example: idle")
            #expect(example.text(of: .errors) == "")
            example.terminate()
            _ = try await example.exitStatus()
        }
    }
}

extension ShellDesk {
    /// Waits until the focused window has this title.
    fileprivate func title(_ wanted: String) async throws {
        try await eventually(wanted) {
            try await evaluate("global.display.focus_window?.title") == "\"\(wanted)\""
        }
    }
}
