import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Glibc
import Testing

/// The global shortcut of dictation-worker, from the desktop's portal to the text.
@Suite(.timeLimit(.minutes(2))) struct ShortcutTests {
    @Test func aTapStartsAndFinishesAndAHoldTalks() async throws {
        try await withUsers { _, one, _ in try await tapAndHold(one) }
    }

    @EventLoopActor private func tapAndHold(_ user: DesktopUser) async throws {
        let bus = try await PrivateBus(.system)
        chmod(bus.directory.path, 0o711)
        let portal = try await ShortcutPortal(on: bus)
        try await user.endKeeper()
        try user.startKeeper(sessionBus: bus.address, ["--shortcut", "LOGO+ALT+space"])
        _ = try await user.keeper?.line(of: .errors) { $0.contains("the shortcut is bound") }
        let monitor = try user.monitor()

        try portal.press()
        try portal.release()
        try await user.state("listening")
        try await user.say(Speech.tones(500))
        try portal.press()
        try portal.release()
        _ = try await monitor.line(of: .output) { $0.contains("\"final\"") && $0.contains("t500") }
        try await user.state("paused")

        // The signals of GNOME 48: repeats, and no release.
        try portal.press()
        try await user.state("listening")
        let deadline = ContinuousClock.now + .milliseconds(600)
        try await eventually("the key has been held") {
            try portal.press()
            return ContinuousClock.now >= deadline
        }
        try await user.say(Speech.tones(700))
        try await user.state("paused")
        await portal.close()
    }

    @Test func theSettingsGiveAKeyForEachLanguage() async throws {
        try await withUsers { _, one, _ in try await keysOfTheSettings(one) }
    }

    @EventLoopActor private func keysOfTheSettings(_ user: DesktopUser) async throws {
        let bus = try await PrivateBus(.system)
        chmod(bus.directory.path, 0o711)
        let portal = try await ShortcutPortal(on: bus)
        try await user.endKeeper()
        try user.configure("shortcut: Super+Alt+space\nlanguage-shortcuts: {en-GB: Super+Alt+b}\n")
        try user.startKeeper(sessionBus: bus.address)
        _ = try await user.keeper?.line(of: .errors) {
            $0.contains("the shortcut is bound") && $0.contains("dictate-en-GB")
        }
        #expect(portal.wishes == ["LOGO+ALT+space", "LOGO+ALT+b"])
        #expect(portal.dialogCount == 1)
        let caller = try await Connection(to: .custom(bus.address))
        let told = try await DictationShortcutsProxy(
            connection: caller, destination: DictationShortcutsInterface.busName
        ).get()
        #expect(told.bound == ["dictate": "Super+Alt+Space", "dictate-en-GB": "Super+Alt+Space"])
        await caller.close()

        try portal.press("dictate-en-GB")
        try portal.release("dictate-en-GB")
        try await user.state("listening")
        #expect(try await user.busctl("GetSession").contains(#""language" s "en-GB""#))
        await portal.close()
    }
}
