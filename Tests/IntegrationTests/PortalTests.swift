import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// The desktop's own dialog: shown by the real backend, answered by a real key.
@Suite(.serialized) struct PortalTests {
    private let both: [BusText] = ["microphone", "speech"]

    /// - Returns: the result of the dialog's button.
    private func answer(_ keys: [String], _ client: TestClient, _ screen: PortalScreen) async throws
        -> [BusText: String]
    {
        async let status = client.dictation.requestPermission(resources: both, options: [:], timeout: nil)
        let dialog = try await screen.dialog()
        for key in keys { try await screen.press(key: key, in: dialog) }
        return try await status
    }

    private func withScreen(_ body: (Rig, PortalScreen) async throws -> Void) async throws {
        try await withRig(tones, allowsEveryone: false) { rig in
            let screen = try await PortalScreen(on: rig.bus.address, home: rig.home.path)
            let client = try await TestClient(on: rig)
            try await eventually("the backend is on the bus") {
                try await client.connection.owner(of: "org.freedesktop.impl.portal.desktop.gtk") != nil
            }
            try await body(rig, screen)
        }
    }

    /// The button to deny has the focus at first.
    @Test(arguments: [(["Tab", "Return"], "granted"), (["Return"], "denied")])
    func anAnswerIsStoredAndSurvivesARestart(keys: [String], status: String) async throws {
        try await withScreen { rig, screen in
            try await rig.plugIn()
            let client = try await TestClient(on: rig)
            let expected: [BusText: String] = ["microphone": status, "speech": status]
            #expect(try await answer(keys, client, screen) == expected)
            try await eventually("the dialog is gone") { try await screen.dialogs().isEmpty }

            try await rig.restart()
            let stored = expected.merging(["typing": "not-determined"]) { $1 }
            #expect(try await client.dictation.checkPermission().status == stored)
            let log = try await rig.output(
                of: [executable("dictation-cli"), "permissions", "log", "--address", rig.bus.address])
            let lines = log.split(separator: "\n")
            let program = try executableOfThisProcess()
            #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix("\(status)  by portal") }, "\(log)")
            #expect(lines.allSatisfy { $0.contains(program) }, "\(log)")
        }
    }

    @Test func theDialogClosesWithTheServiceOrTheCaller() async throws {
        try await withScreen { rig, screen in
            let client = try await TestClient(on: rig)
            let asking = Task {
                try await client.dictation.requestPermission(resources: both, options: [:], timeout: nil)
            }
            _ = try await screen.dialog()
            await client.vanish()
            _ = await asking.result
            try await eventually("the dialog is gone") { try await screen.dialogs().isEmpty }

            let other = try await TestClient(on: rig)
            let waiting = Task {
                try await other.dictation.requestPermission(resources: both, options: [:], timeout: nil)
            }
            _ = try await screen.dialog()
            try await rig.restart()
            await #expect(throws: DBusError.self) { try await waiting.value }
            try await eventually("the dialog is gone") { try await screen.dialogs().isEmpty }
        }
    }

    @Test func aDecisionElsewhereClosesTheDialog() async throws {
        try await withScreen { rig, screen in
            let client = try await TestClient(on: rig)
            async let status = client.dictation.requestPermission(resources: both, options: [:], timeout: nil)
            _ = try await screen.dialog()
            _ = try await rig.output(of: [
                executable("dictation-cli"), "permissions", "grant", try executableOfThisProcess(),
                "--address", rig.bus.address,
            ])
            #expect(try await status == ["microphone": "granted", "speech": "granted"])
            try await eventually("the dialog is gone") { try await screen.dialogs().isEmpty }
        }
    }
}
