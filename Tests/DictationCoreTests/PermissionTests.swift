import DictationCore
import Testing

@Suite("Permission")
struct PermissionTests {
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

    @Test func whoWasNeverAskedAboutMustAsk() {
        var scenario = Scenario()
        scenario.start(by: .stranger)
        #expect(scenario.answers(to: CallID(rawValue: 1)) == [.refused(.permissionRequired)])
        let check = scenario.call(.checkPermission, by: .stranger)
        #expect(scenario.answers(to: check) == [.reply(.permission(.notDetermined))])
    }

    @Test func inputNeedsSpeechAlone() {
        var scenario = Scenario()
        scenario.handle(
            .permission(Client.editor.identity, Permission(microphone: .denied, speech: .granted)))
        let session = scenario.start { $0.hasInput = true }
        #expect(scenario.answers(to: CallID(rawValue: 1)) == [.reply(.started(session))])
    }

    @Test func revokingOneApplicationLeavesOthersAlone() {
        var scenario = Scenario()
        let mail = scenario.listen(by: .mail)
        scenario.handle(.permission(Client.chat.identity, .notDetermined))
        #expect(scenario.effects.isEmpty)
        scenario.handle(.permission(Client.mail.identity, .notDetermined))
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(mail).first == "Interrupted permission-lost")
    }
}
