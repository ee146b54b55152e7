import DictationCore
import Testing

@Suite struct PermissionTests {
    @Test(arguments: [
        (Permission.notDetermined, Refusal.Kind.permissionRequired),
        (Permission(microphone: .granted, speech: .denied), .permissionDenied),
        (Permission(microphone: .restricted, speech: .granted), .permissionDenied),
        (Permission(microphone: .denied, speech: .notDetermined), .permissionDenied),
    ])
    func startIsRefusedBeforeAnythingIsOpened(_ permission: Permission, _ kind: Refusal.Kind) {
        var scenario = Scenario()
        scenario.handle(.permission(Client.editor.identity, permission))
        scenario.start()
        #expect(scenario.answers(to: CallID(rawValue: 1)) == [.refused(kind)])
        #expect(scenario.effects.count == 1)
    }

    @Test func anUndeterminedCallerMustRequestPermission() {
        var scenario = Scenario()
        scenario.start(by: .stranger)
        #expect(scenario.answers(to: CallID(rawValue: 1)) == [.refused(.permissionRequired)])
        let check = scenario.call(.checkPermission, by: .stranger)
        #expect(scenario.answers(to: check) == [.reply(.permission(.notDetermined))])
    }

    @Test func inputNeedsTheSpeechPermissionOnly() {
        var scenario = Scenario()
        scenario.handle(
            .permission(Client.editor.identity, Permission(microphone: .denied, speech: .granted)))
        let session = scenario.start { $0.hasInput = true }
        #expect(scenario.answers(to: CallID(rawValue: 1)) == [.reply(.started(session))])
    }

    @Test func revokingOneApplicationKeepsOthers() {
        var scenario = Scenario()
        let mail = scenario.listen(by: .mail)
        scenario.handle(.permission(Client.chat.identity, .notDetermined))
        #expect(scenario.effects.isEmpty)
        scenario.handle(.permission(Client.mail.identity, .notDetermined))
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(mail).first == "Interrupted permission-lost")
    }
}

@Suite struct AllowOnceTests {
    private func listening() -> (Scenario, SessionID) {
        var scenario = Scenario()
        scenario.handle(.permission(Client.editor.identity, .notDetermined))
        scenario.handle(.allowedOnce(.editor, Resource.dictation))
        let session = scenario.listen()
        return (scenario, session)
    }

    @Test func grantingOneOfTwoResourcesInterruptsNothing() {
        var (scenario, session) = listening()
        scenario.clear()
        scenario.handle(
            .permission(Client.editor.identity, Permission(microphone: .granted, speech: .notDetermined)))
        #expect(scenario.story(session).isEmpty && scenario.captures.count == 1)
    }

    @Test func grantingOneOfTwoResourcesKeepsACommit() {
        var (scenario, session) = listening()
        scenario.say("one", in: session)
        let commit = scenario.call(.commit)
        scenario.handle(
            .permission(Client.editor.identity, Permission(microphone: .granted, speech: .notDetermined)))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: commit).map(\.committed) == ["1 one"])
    }

    @Test func aResetEndsAllowOnceOfAConnectionWithoutASession() {
        var scenario = Scenario()
        scenario.handle(.permission(Client.editor.identity, .notDetermined))
        scenario.handle(.allowedOnce(.editor, Resource.dictation))
        scenario.handle(.permission(Client.editor.identity, .notDetermined))
        scenario.start()
        #expect(scenario.answers(to: CallID(rawValue: 1)) == [.refused(.permissionRequired)])
        scenario.handle(.allowedOnce(.editor, Resource.dictation))
        scenario.handle(
            .permission(Client.editor.identity, Permission(microphone: .denied, speech: .notDetermined)))
        scenario.handle(.permission(Client.editor.identity, .notDetermined))
        scenario.start()
        #expect(scenario.answers(to: CallID(rawValue: 2)) == [.refused(.permissionRequired)])
        // The service becomes idle.
        scenario.handle(.allowedOnce(.editor, Resource.dictation))
        #expect(!scenario.machine.isIdle)
        scenario.handle(.clientVanished(Client.editor.name))
        #expect(scenario.machine.isIdle)
    }

    @Test(arguments: [Permission.notDetermined, Permission(microphone: .denied, speech: .notDetermined)])
    func resetAndDenialEndAllowOnce(_ permission: Permission) {
        var (scenario, session) = listening()
        scenario.clear()
        scenario.handle(.permission(Client.editor.identity, permission))
        #expect(scenario.story(session).first == "Interrupted permission-lost")
        // The permission for one connection does not come back after a reset.
        scenario.handle(.permission(Client.editor.identity, .notDetermined))
        #expect(scenario.captures.isEmpty)
    }
}

@Suite struct IdentityTests {
    @Test func identitiesAreComparedByBytes() {
        let composed = Identity(uid: 1000, kind: .executable, id: "/caf\u{e9}")
        let decomposed = Identity(uid: 1000, kind: .executable, id: "/cafe\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        var scenario = Scenario()
        scenario.handle(.permission(composed, .granted))
        #expect(scenario.machine.world.permissions[decomposed] == nil)
    }
}
