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
        try await user.isShown(by: monitor)
        try await user.say(Speech.tones(500))
        try portal.press()
        try portal.release()
        _ = try await monitor.line(of: .output) { $0.contains("\"final\"") && $0.contains("t500") }
        try await user.state("paused")

        // A pause of the test for 0.2 s ends the hold, as on a busy machine.
        for _ in 1...5 {
            let events = try await hold(portal, while: Speech.tones(700), user, monitor)
            if events.contains(where: { $0.contains("\"final\"") && $0.contains("t700") }) { break }
            // Until the next press is no repeat.
            try await Task.sleep(for: .milliseconds(400))
        }
        #expect(monitor.lines(of: .output).contains { $0.contains("\"final\"") && $0.contains("t700") })
        try await user.state("paused")
        await portal.close()
    }

    /// Sends the signals of GNOME 48, repeats and no release, until the key has been held for long enough and this has
    /// been said. Returns the events until the session is paused.
    @EventLoopActor private func hold(
        _ portal: ShortcutPortal, while samples: [Int16], _ user: DesktopUser, _ monitor: ChildProcess
    ) async throws -> [String] {
        try await eventually("the microphone is closed") {
            try await user.audio.graph().nodes(named: "dictation.capture").isEmpty
        }
        let before = monitor.lines(of: .output).count
        var events: [String] { Array(monitor.lines(of: .output).dropFirst(before)) }
        var isPaused: Bool {
            events.contains { $0.contains("\"state-changed\"") && $0.contains("\"paused\"") }
        }
        let end = user.microphone.played + samples.count
        user.microphone.play(samples)
        let begin = ContinuousClock.now
        repeat {
            try portal.press()
            try await Task.sleep(for: .milliseconds(33))
        } while !isPaused
            && (user.microphone.played < end || ContinuousClock.now - begin < .milliseconds(600))
        try await eventually("it is paused, and its text is final") {
            isPaused && events.contains { $0.contains("\"final\"") }
        }
        return events
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
