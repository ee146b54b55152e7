import DBus
import Desktop
import DictationCore
import DictationTestKit
import EventLoop
import Prompts
import Testing

/// The dialog of xdg-desktop-portal-gtk, with real key presses.
@Suite(.serialized, .timeLimit(.minutes(1))) struct PortalPrompterTests {
    static let prompt = Prompt(
        client: Identity(uid: 1000, kind: .flatpak, id: "org.example.Editor"),
        resources: [.microphone, .speech])

    @Test func allowIsReported() async throws {
        try await withPortal { rig in
            async let decision = rig.prompter.ask(Self.prompt)
            try await rig.screen.press(.allow, of: rig.screen.dialog())
            #expect(try await decision == .allow)
            try await eventually("no dialog is shown") { try await rig.screen.dialogs().isEmpty }
        }
    }

    @Test func denyIsReported() async throws {
        try await withPortal { rig in
            async let decision = rig.prompter.ask(Self.prompt)
            try await rig.screen.press(.deny, of: rig.screen.dialog())
            #expect(try await decision == .deny)
        }
    }

    @Test func escapeIsReportedAsNoAnswer() async throws {
        try await withPortal { rig in
            async let decision = rig.prompter.ask(Self.prompt)
            try await rig.screen.press(key: "Escape", in: rig.screen.dialog())
            #expect(try await decision == nil)
        }
    }

    @Test func cancellingClosesTheDialog() async throws {
        try await withPortal { rig in
            let asking = Task { try await rig.prompter.ask(Self.prompt) }
            _ = try await rig.screen.dialog()
            asking.cancel()
            #expect(try await asking.value == nil)
            try await eventually("no dialog is shown") { try await rig.screen.dialogs().isEmpty }
            async let decision = rig.prompter.ask(Self.prompt)
            try await rig.screen.press(.allow, of: rig.screen.dialog())
            #expect(try await decision == .allow)
        }
    }

    @Test func questionsAreAskedOneAtATime() async throws {
        try await withPortal { rig in
            async let first = rig.prompter.ask(Self.prompt)
            let dialog = try await rig.screen.dialog()
            async let second = rig.prompter.ask(Self.prompt)
            let withdrawn = Task { try await rig.prompter.ask(Self.prompt) }
            withdrawn.cancel()
            #expect(try await withdrawn.value == nil)
            #expect(try await rig.screen.dialogs() == [dialog])
            try await rig.screen.press(.deny, of: dialog)
            #expect(try await first == .deny)
            // The first may still be shown for a moment.
            try await rig.screen.press(.allow, of: rig.screen.dialog(besides: dialog))
            #expect(try await second == .allow)
        }
    }

    @Test func aCrashedDialogIsNoAnswer() async throws {
        try await withPortal { rig in
            let asking = Task { try await rig.prompter.ask(Self.prompt) }
            _ = try await rig.screen.dialog()
            rig.screen.backend.kill()
            #expect(await failure { try await asking.value } == .noPrompter)
        }
    }
}
