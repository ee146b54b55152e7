import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// The evidence for a locked screen, with the real daemon and each kind of lock screen.
@Suite struct LockTests {
    @Test func theLockedHintAloneInterrupts() async throws {
        try await withRig(tones) { rig in
            let desk = try await Desk(rig)
            try await desk.logind.setLockedHint(true, "c1")
            try await expectLocked(by: "locked-hint", desk)
            try await desk.logind.setLockedHint(false, "c1")
            try await expectUnlocked(desk)
        }
    }

    @Test func aScreenSaverAloneInterrupts() async throws {
        try await withRig(tones) { rig in
            let desk = try await Desk(rig)
            let screenSaver = try await MockScreenSaver(
                "org.gnome.ScreenSaver", at: "/org/gnome/ScreenSaver", interface: "org.gnome.ScreenSaver",
                on: rig.bus.address, by: desk.client.connection)
            try await screenSaver.setActive(true)
            try await expectLocked(by: "org.gnome.ScreenSaver", desk)
            _ = try await commandLine("start", rig)
            #expect(try await commandLine("status", rig).contains("Locked by   org.gnome.ScreenSaver"))
            _ = try await commandLine("stop", rig)
            try await screenSaver.setActive(false)
            try await expectUnlocked(desk)
        }
    }

    /// Like sway with swaylock: neither lock nor unlock is reported.
    @Test func resumingEndsAnUnconfirmedLock() async throws {
        try await withRig(tones) { rig in
            let desk = try await Desk(rig)
            try await desk.logind.lock("c1")
            try await desk.client.story("Interrupted session-locked")
            // Too early, right after the request.
            try await desk.client.dictation.resume()
            try await expectLocked(by: "lock-signal", desk)
            try await eventually("it listens again") {
                try await desk.client.dictation.resume()
                return try await desk.client.dictation.getSession()["state"] != Value("interrupted")
            }
            try await expectUnlocked(desk)
        }
    }

    private func commandLine(_ verb: String, _ rig: Rig) async throws -> String {
        try await rig.output(of: [executable("dictation-cli"), verb, "--address", rig.bus.address])
    }

    private func expectLocked(by source: String, _ desk: Desk) async throws {
        try await desk.client.story("Interrupted session-locked")
        let session = try await desk.client.dictation.getSession()
        #expect(session["locked-by"] == Value(source))
        #expect(session["reasons"] == Value(["session-locked"]))
        try await desk.expectMicrophone(isOpen: false)
    }

    private func expectUnlocked(_ desk: Desk) async throws {
        try await desk.client.story("Interrupted session-locked", "Resumed session-locked")
        #expect(try await desk.client.dictation.getSession()["locked-by"] == nil)
        try await desk.expectMicrophone(isOpen: true)
    }
}
