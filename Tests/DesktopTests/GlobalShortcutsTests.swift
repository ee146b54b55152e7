import DBus
import Desktop
import DictationTestKit
import EventLoop
import Testing

/// With the real xdg-desktop-portal, and a desktop that the test controls.
@Suite(.timeLimit(.minutes(1))) @EventLoopActor struct GlobalShortcutsTests {
    /// The response of the desktop: GNOME 48 returns 2 for a key that is bound.
    @Test(arguments: [UInt32(0), 2]) func reportsPressesOfTheBoundKey(_ response: UInt32) async throws {
        try await withShortcut { rig, portal in
            portal.answer = .bind(response: response)
            rig.shortcut.start()
            try await rig.expect([ShortcutRig.bound])
            #expect(portal.wishes == ["LOGO+ALT+space"])
            try portal.press("another")
            try portal.press()
            try portal.release()
            try await rig.expect([ShortcutRig.bound, .activated("dictate"), .deactivated("dictate")])
            #expect(rig.troubles.isEmpty)
        }
    }

    /// One dialog asks about all keys.
    @Test func severalKeysAreBoundTogether() async throws {
        try await withShortcut(languages: ["de", "fr"]) { rig, portal in
            portal.unbound = ["dictate-fr"]
            rig.shortcut.start()
            let bound = GlobalShortcuts.Event.bound(
                triggers: ["dictate": "Super+Alt+Space", "dictate-de": "Super+Alt+Space"])
            try await rig.expect([bound])
            #expect(portal.wishes == ["LOGO+ALT+space", "LOGO+ALT+d", "LOGO+ALT+d"])
            #expect(portal.dialogCount == 1)
            try portal.press("dictate-de")
            try portal.press("dictate-fr")
            try portal.press()
            try await rig.expect([bound, .activated("dictate-de"), .activated("dictate")])
        }
    }

    @Test func signalsOfAnotherProgramAreIgnored() async throws {
        try await withShortcut { rig, portal in
            rig.shortcut.start()
            try await rig.expect([ShortcutRig.bound])
            let impostor = try await Connection(to: .custom(rig.bus.address))
            let session = try #require(portal.session)
            for path: ObjectPath in ["/org/freedesktop/portal/desktop", session] {
                for member: MemberName in ["Activated", "Closed"] {
                    let interface: InterfaceName =
                        member == "Closed"
                        ? "org.freedesktop.portal.Session" : "org.freedesktop.portal.GlobalShortcuts"
                    try impostor.emit(
                        path: path, interface: interface, member: member,
                        [.objectPath(session), .string("dictate"), .uint64(0), Value([:])],
                        to: rig.connection.uniqueName)
                }
            }
            // What the portal passes on after this comes after the impostor's signals.
            _ = try await impostor.owner(of: rig.connection.uniqueName)
            try portal.release()
            try await rig.expect([ShortcutRig.bound, .deactivated("dictate")])
            await impostor.close()
        }
    }

    @Test func bindsAgainWhenThePortalRestartsAndWhenTheDesktopEndsTheSession() async throws {
        try await withShortcut { rig, portal in
            rig.shortcut.start()
            try await rig.expect([ShortcutRig.bound])
            try await portal.kill()
            try await rig.expect([ShortcutRig.bound, .unbound])
            try await portal.start()
            try await rig.expect([ShortcutRig.bound, .unbound, ShortcutRig.bound])
            try portal.endSession()
            try await rig.expect([
                ShortcutRig.bound, .unbound, ShortcutRig.bound, .unbound, ShortcutRig.bound,
            ])
            #expect(portal.wishes.count == 3)
        }
    }

    /// Another question would be shown to the user.
    @Test func aRefusalHoldsUntilThePortalRestarts() async throws {
        try await withShortcut { rig, portal in
            portal.answer = .refuse
            rig.shortcut.start()
            try await eventually("the refusal is told") { rig.troubles.map(\.code) == [.noShortcut] }
            #expect(rig.troubles.first?.description.contains("the user refused") == true)
            try await eventually("the session is closed") { portal.closedSessions == 1 }
            portal.answer = .bind(response: 0)
            try await portal.kill()
            try await portal.start()
            try await rig.expect([ShortcutRig.bound])
            #expect(portal.wishes.count == 2)
        }
    }

    @Test func stoppingClosesTheDialogAndTheSession() async throws {
        try await withShortcut { rig, portal in
            portal.answer = .wait
            rig.shortcut.start()
            try await eventually("the dialog is shown") { portal.wishes.count == 1 }
            await rig.shortcut.stop()
            try await eventually("both are closed") {
                portal.closedDialogs == 1 && portal.closedSessions == 1
            }
            #expect(rig.events.isEmpty)
            #expect(rig.troubles.isEmpty)
        }
    }

    @Test func aDesktopWithoutShortcutsIsReportedOnce() async throws {
        try await withShortcut(hasShortcuts: false) { rig, portal in
            rig.shortcut.start()
            try await eventually("it is told") { !rig.troubles.isEmpty }
            // Its restart is the next occasion.
            try await portal.kill()
            try await portal.start()
            try await eventually("it is told again") { rig.troubles.count > 1 }
            #expect(Set(rig.troubles.map(\.code)) == [.noShortcut])
            #expect(rig.events.isEmpty)
        }
    }

    @Test func registersItsApplicationFirst() async throws {
        let rig = try await ShortcutRig()
        let portal = try await RegisteringPortal(on: rig.bus)
        rig.shortcut.start()
        try await rig.expect([.bound(triggers: ["dictate": ""])])
        #expect(portal.registered == ["org.example.Dictation"])
        await rig.close()
        await portal.close()
    }
}
