import DictationCore
import DictationTestKit
import Testing
import Wyoming

@testable import DictationConfiguration

@Suite struct EngineConfigurationTests {
    private func load(user: String = "", administrator: String = "") throws -> Configuration {
        let folder = try TemporaryDirectory()
        var loader = ConfigurationLoader(
            explicit: try folder.write(user, to: "user.yaml"), environment: ["HOME": folder.path])
        loader.administratorFile = try folder.write(administrator, to: "administrator.yaml")
        return try loader.load()
    }

    @Test func readsEngines() throws {
        let configuration = try load(
            user: """
                engine: [whisper, pocketsphinx]
                engines:
                  - name: whisper
                    wyoming: unix:/run/user/1000/dictation-engine/engine.sock
                    fallback: wait
                  - {name: parakeet, wyoming: "tcp://127.0.0.1:10300"}
                """)
        #expect(configuration.engine == ["whisper", "pocketsphinx"])
        #expect(
            configuration.engines == [
                EngineConfiguration(
                    name: "whisper", address: .unix("/run/user/1000/dictation-engine/engine.sock"),
                    fallback: .wait),
                EngineConfiguration(name: "parakeet", address: .tcp(host: "127.0.0.1", port: 10300)),
            ])
        #expect(try load(user: "engine: pocketsphinx").engine == ["pocketsphinx"])
        #expect(try load().engineWait == .seconds(5))
        #expect(try load(user: "engine-wait: 9").engineWait == .seconds(9))
        #expect(try load(user: "models: {fr-FR: /srv/fr}").models == ["fr-FR": "/srv/fr"])
    }

    @Test(arguments: [
        "engine: []", "engine: {a: b}", "engines: whisper", "engines: [whisper]",
        "engines: [{wyoming: \"unix:/a\"}]", "engines: [{name: Whisper, wyoming: \"unix:/a\"}]",
        "engines: [{name: pocketsphinx, wyoming: \"unix:/a\"}]", "engines: [{name: a}]",
        "engines: [{name: a, wyoming: \"http://a\"}]",
        "engines: [{name: a, wyoming: \"unix:/a\", fallback: no}]",
        "engines: [{name: a, wyoming: \"unix:/a\", port: 1}]",
        "engines: [{name: a, wyoming: \"unix:/a\"}, {name: a, wyoming: \"unix:/b\"}]",
        "engines: [{name: a, wyoming: \"tcp://192.0.2.1:1\"}]", "allow-remote-engines: true",
        "engine-wait: 0", "engine-wait: 41", "models: [/a]", "models: {fr-FR: relative}",
        "models: {\"\": /a}",
    ])
    func refusesInvalidEngines(_ text: String) {
        #expect(throws: ConfigurationError.self) { try load(user: text) }
    }

    @Test func onlyTheAdministratorAllowsOtherMachines() throws {
        let remote = "engines: [{name: a, wyoming: \"tcp://192.0.2.1:1\"}]"
        #expect(try load(user: remote, administrator: "allow-remote-engines: true").engines.count == 1)
        #expect(throws: ConfigurationError.self) { try load(administrator: remote) }
    }
}
