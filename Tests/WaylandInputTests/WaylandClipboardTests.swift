import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing
import Typing
import TypingRoutes
import WaylandInput

/// Pasting in a headless sway, with windows of GTK and foot. The clipboard of other programs is that of wl-clipboard.
@Suite(.serialized, .timeLimit(.minutes(1))) @EventLoopActor struct WaylandClipboardTests {
    private func pasting(_ desk: SwayDesk) async throws -> RouteUser {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: tests).deletingLastPathComponent().appending(path: "dictation-worker").path
        let user = RouteUser(desk, means: .clipboard(keeper: [path, "keep-clipboard"]))
        try await user.open()
        return user
    }

    /// "mine" was copied and "mine too" selected, and a window has the focus.
    private func deskWithSelections() async throws -> (SwayDesk, RouteUser, TestWindow) {
        let desk = try await SwayDesk()
        try await desk.copy("mine")
        try await desk.copy("mine too", "--primary")
        let user = try await pasting(desk)
        let window = try await desk.window("gtk3-entry", "one", hasTextInput: false)
        try await user.field("a window") { $0?.abilities == [.commitReports] }
        return (desk, user, window)
    }

    @Test func pastesIntoAFieldAndRestoresTheSelections() async throws {
        let (desk, user, window) = try await deskWithSelections()
        #expect(try await user.type("Grüße 👍 an alle", token: 1) == .unknown)
        try await window.text("Grüße 👍 an alle")
        // 5,000 characters, in pieces as they come.
        for token in 2...3 {
            #expect(
                try await user.type(String(repeating: "x", count: 2500), token: UInt64(token)) == .unknown)
        }
        try await window.text("Grüße 👍 an alle" + String(repeating: "x", count: 5000))
        #expect(try await desk.clipboard() == "mine")
        await user.route.close()
        // They last longer than the route.
        #expect(try await desk.clipboard() == "mine")
        #expect(try await desk.clipboard("--primary") == "mine too")
        try await desk.copy("next")
        #expect(try await desk.clipboard() == "next")
    }

    /// A window that does not read, and a program that copies something meanwhile.
    @Test func marksTheTextAsSecretAndKeepsASelectionOfAnotherProgram() async throws {
        let (desk, user, window) = try await deskWithSelections()
        try window.process.stop()
        async let pasted = user.type("text", token: 1)
        try await eventually("the clipboard has the text") {
            try await desk.clipboard("--list-types").contains("x-kde-passwordManagerHint")
        }
        try await desk.copy("theirs")
        #expect(try await pasted == .refused)
        #expect(try await desk.clipboard() == "theirs")
        #expect(try await desk.clipboard("--primary") == "mine too")
        window.process.send(SIGCONT)
        await user.route.close()
    }

    /// A picture is restored. What a password manager has copied is left alone, because it clears it itself; then nothing is
    /// pasted, because some windows would paste the secret.
    @Test func pastesBesideAPictureAndNothingBesideASecret() async throws {
        let desk = try await SwayDesk()
        let user = try await pasting(desk)
        let terminal = try await desk.terminal()
        try await user.field("a window") { $0?.abilities == [.commitReports] }
        try await desk.copy("picture", "--type", "image/png")
        #expect(try await user.type("ls -l\n", token: 1) == .unknown)
        try await eventually("the line") { terminal.lines == ["ready", "ls -l"] }
        #expect(try await desk.clipboard("--type", "image/png") == "picture")
        let secret = "x-kde-passwordManagerHint"
        try await desk.copy("password", "--type", secret)
        #expect(try await user.type("kept\n", token: 2) == .refused)
        #expect(try await desk.clipboard("--type", secret) == "password")
        // The next line shows that nothing came before it.
        try await desk.copy("mine")
        #expect(try await user.type("pwd\n", token: 3) == .unknown)
        try await eventually("the next line") { terminal.lines.count > 2 }
        #expect(terminal.lines == ["ready", "ls -l", "pwd"])
        await user.route.close()
    }
}
