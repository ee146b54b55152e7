import Clipboard
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing
import Typing
import TypingRoutes

/// Under Xvfb, with windows of GTK that have no input method.
@Suite(.serialized, .timeLimit(.minutes(1))) @EventLoopActor struct ClipboardRouteTests {
    /// A virtual screen, a window with the focus, and a route.
    @EventLoopActor private final class Desk {
        let route: ClipboardRoute
        private(set) var events: [RouteEvent] = []
        private var lastToken: UInt64 = 0
        let window: ChildProcess
        let files = try? TemporaryDirectory()
        private let screen: ChildProcess
        private let environment: [String: String]

        init(_ kind: String, toolTimeout: Duration = DictationTestKit.timeout) async throws {
            screen = try ChildProcess(
                ["Xvfb", "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"])
            let display = try await screen.line(of: .output)
            environment = [
                "PATH": "/usr/bin:/bin", "HOME": files?.path ?? "/", "DISPLAY": ":\(display)",
                "GDK_BACKEND": "x11", "GTK_IM_MODULE": "gtk-im-context-simple", "NO_AT_BRIDGE": "1",
                "GSETTINGS_BACKEND": "memory", "LC_ALL": "C.UTF-8",
            ]
            route = ClipboardRoute(environment: environment, toolTimeout: toolTimeout)
            let program = repository.appending(path: "Tests/DesktopShellTests/Resources/window.py").path
            let arguments = ["/usr/bin/python3", program, kind, "Window", files?.path(of: "lines") ?? ""]
            window = try ChildProcess(arguments, environment: environment)
            try await run(
                "xdotool", "search", "--sync", "--onlyvisible", "--name", "^Window$", "windowfocus",
                "--sync")
        }

        @discardableResult func run(_ command: String...) async throws -> String { try await run(command) }

        private func run(_ command: [String]) async throws -> String {
            try await ChildProcess.run(command, environment: environment).output
        }

        func start(_ command: String...) throws -> ChildProcess {
            try ChildProcess(command, environment: environment)
        }

        /// Makes a program own a selection.
        func own(_ selection: String, _ text: String, _ options: String...) async throws {
            let file = try #require(try files?.write(text, to: "selection"))
            // xclip goes into the background and keeps its output open.
            let command = ["xclip", "-selection", selection] + options + [file]
            let run = try ChildProcess(command, environment: environment)
            _ = try await run.exitStatus()
            // The program in the background may not be the owner yet.
            try await eventually("it owns the selection", equals: text) {
                try await self.run(["xclip", "-selection", selection] + options + ["-out"])
            }
        }

        /// The sessions of the programs that own a selection.
        var sessionsOfOwners: [pid_t] {
            let display = "DISPLAY=\(environment["DISPLAY"] ?? "")"
            let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return processes.compactMap { pid_t($0) }.filter { process in
                let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
                let variables = try? String(contentsOfFile: "/proc/\(process)/environ", encoding: .utf8)
                guard name == "xclip\n", let variables else { return false }
                return variables.split(separator: "\0").contains { $0 == display }
            }.map { getsid($0) }
        }

        func open() async throws {
            try await route.open { [weak self] in self?.events.append($0) }
        }

        /// The outcome of a commit.
        func paste(_ text: String) async throws -> Arrival {
            lastToken += 1
            let token = lastToken
            route.perform([.commit(text, token: token)])
            var arrival: Arrival?
            try await eventually("the commit is reported") {
                for case .committed(token, let told) in events { arrival = told }
                return arrival != nil
            }
            return try #require(arrival)
        }
    }

    @Test func pastesIntoAFieldAndRestoresTheSelections() async throws {
        let desk = try await Desk("gtk3-entry")
        try await desk.own("clipboard", "mine")
        try await desk.own("primary", "mine too")
        try await desk.open()
        #expect(try await desk.paste("Grüße 👍 an alle") == .unknown)
        try await eventually("the text") {
            desk.window.text(of: .output).contains(#""text": "Gr\u00fc\u00dfe \ud83d\udc4d an alle""#)
        }
        // 5,000 characters, in pieces as they come.
        for _ in 0..<2 { #expect(try await desk.paste(String(repeating: "x", count: 2500)) == .unknown) }
        try await eventually("the long text") {
            desk.window.text(of: .output).contains(String(repeating: "x", count: 5000) + "\"")
        }
        #expect(try await desk.run("xclip", "-selection", "clipboard", "-out") == "mine")
        #expect(try await desk.run("xclip", "-selection", "primary", "-out") == "mine too")
        await desk.route.close()
    }

    /// The program that owns the clipboard is busy.
    @Test func aSelectionWhoseOwnerDoesNotAnswerIsLeftAlone() async throws {
        let desk = try await Desk("gtk3-entry", toolTimeout: .seconds(5))
        let file = try #require(try desk.files?.write("mine", to: "mine"))
        let owner = try desk.start("xclip", "-selection", "clipboard", "-quiet", file)
        try await eventually("it owns the clipboard") {
            try await desk.run("xclip", "-selection", "clipboard", "-out") == "mine"
        }
        try await desk.open()
        try owner.stop()
        #expect(try await desk.paste("text") == .refused)
        // It is still the owner: nobody answers.
        let request = try desk.start("timeout", "1", "xclip", "-selection", "clipboard", "-out")
        #expect(try await request.exitStatus() == .exited(124))
        await desk.route.close()
    }

    /// The window could paste the picture's selection in place of the text.
    @Test func pastesNothingBesideAPicture() async throws {
        let desk = try await Desk("terminal")
        try await desk.own("clipboard", "picture", "-target", "image/png")
        try await desk.open()
        #expect(try await desk.paste("kept") == .refused)
        #expect(
            try await desk.run("xclip", "-selection", "clipboard", "-target", "image/png", "-out")
                == "picture")
        // The next line shows that nothing came before it.
        try await desk.own("clipboard", "mine")
        #expect(try await desk.paste("ls -l") == .unknown)
        try await desk.run("xdotool", "key", "Return")
        let file = try #require(desk.files?.path(of: "lines"))
        try await eventually("the line") {
            (try? String(contentsOfFile: file, encoding: .utf8))?.isEmpty == false
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "[ls -l]")
        await desk.route.close()
    }

    /// Ctrl-C ends the programs of the terminal's session.
    @Test func ownersOfTheRestoredSelectionsAreInOtherSessions() async throws {
        let desk = try await Desk("gtk3-entry")
        try await desk.own("clipboard", "mine")
        try await desk.own("primary", "mine too")
        try await desk.open()
        #expect(try await desk.paste("text") == .unknown)
        await desk.route.close()
        try await eventually("two programs own the selections, in other sessions than this one") {
            let sessions = desk.sessionsOfOwners
            return sessions.count == 2 && !sessions.contains(getsid(0))
        }
        #expect(try await desk.run("xclip", "-selection", "clipboard", "-out") == "mine")
    }

    /// It reads whatever is copied.
    private static let clipboardManager = """
        import gi
        gi.require_version("Gdk", "3.0")
        gi.require_version("Gtk", "3.0")
        from gi.repository import Gdk, Gtk
        clipboard = Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD)
        clipboard.connect(
            "owner-change", lambda *_: clipboard.request_text(lambda _, text: print(text, flush=True)))
        print("ready", flush=True)
        Gtk.main()
        """

    /// The window is busy: it does not read the text.
    @Test func aClipboardManagerIsNotTakenForTheWindow() async throws {
        let desk = try await Desk("gtk3-entry")
        let manager = try desk.start("/usr/bin/python3", "-c", Self.clipboardManager)
        _ = try await manager.line(of: .output) { $0 == "ready" }
        try await desk.open()
        try desk.window.stop()
        // Usually the manager reads before the key is pressed.
        var arrivals: [Arrival] = []
        while arrivals.count < 5, arrivals.last != .refused { arrivals.append(try await desk.paste("text")) }
        #expect(arrivals.last == .refused)
        #expect(manager.lines(of: .output).contains("text"))
        await desk.route.close()
    }

    /// A window that pastes nothing, and a program that copies something meanwhile.
    @Test func keepsASelectionOfAnotherProgram() async throws {
        let desk = try await Desk("gtk3-entry")
        try await desk.own("clipboard", "mine")
        try await desk.run("xdotool", "search", "--name", "^Window$", "windowunmap")
        try await desk.open()
        async let pasted = desk.paste("text")
        try await eventually("the clipboard has the text") {
            try await desk.run("xclip", "-selection", "clipboard", "-out") == "text"
        }
        try await desk.own("clipboard", "theirs")
        _ = try await pasted
        #expect(try await desk.run("xclip", "-selection", "clipboard", "-out") == "theirs")
        await desk.route.close()
    }

    @Test func reportsAMissingScreen() async throws {
        let route = ClipboardRoute(environment: ["PATH": "/usr/bin"])
        await #expect(throws: RouteError.self) { try await route.open { _ in } }
    }
}
