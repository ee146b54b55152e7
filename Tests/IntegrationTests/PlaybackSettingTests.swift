import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// Whether players are paused: the administrator's setting, then the call's, then the user's.
@Suite struct PlaybackSettingTests {
    struct Case: CustomStringConvertible {
        var administrator: String?
        var user: String?
        var call: String?
        var pauses: Bool

        var description: String {
            "administrator \(administrator ?? "-"), user \(user ?? "-"), call \(call ?? "-")"
        }
    }

    @Test(arguments: [
        Case(administrator: "false", user: "true", call: "pause", pauses: false),
        Case(administrator: "true", user: "false", call: "mix", pauses: true),
        Case(administrator: nil, user: "false", call: "pause", pauses: true),
        Case(administrator: nil, user: "true", call: "mix", pauses: false),
        Case(administrator: nil, user: "false", call: nil, pauses: false),
        Case(administrator: nil, user: nil, call: nil, pauses: true),
    ])
    func theHigherSettingWins(_ item: Case) async throws {
        func setting(_ value: String?) -> String? { value.map { "pause-playback: \($0)\n" } }
        try await withRig(
            tones + (setting(item.user) ?? ""), administrator: setting(item.administrator)
        ) { rig in
            try await rig.plugIn()
            let client = try await TestClient(on: rig)
            let music = try await MockPlayer("music", "Playing", on: rig.bus.address, by: client.connection)
            // The service knows the player when it has handled earlier messages.
            for _ in 0..<3 {
                _ = try await client.dictation.getSession()
                _ = try await music.status()
            }
            let options = item.call.map { [StartOption.playback: Value.string($0)] } ?? [:]
            _ = try await client.dictation.start(options: options)
            try await client.state("listening")
            if item.pauses {
                try await eventually("the player is paused") { try await music.status() == "Paused" }
                try await client.dictation.stop()
                try await eventually("the player plays again") { try await music.status() == "Playing" }
            } else {
                try await client.dictation.stop()
                for _ in 0..<3 {
                    _ = try await client.dictation.getSession()
                    _ = try await music.status()
                }
                #expect(try await music.calls() == [])
            }
        }
    }
}
