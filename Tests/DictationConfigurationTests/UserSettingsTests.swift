import DBus
import DictationCore
import DictationTestKit
import Foundation
import Testing

@testable import DictationConfiguration

/// The settings of a user's file arrive at the service of the machine.
@Suite struct UserSettingsTests {
    /// Every key of a user, with a value that is not the default.
    private static let file = """
        language: de-DE
        route: alsa_input.usb
        prefer-bluetooth: true
        pause-playback: false
        auto-commit: 900
        speech-seconds: 30
        formatting: dictation
        replacements:
          pipe wire: PipeWire
          app:org.example.*: {pipe wire: pw, sign off: "Kind regards\\nJo"}
        idle-pause: 20
        idle-stop: 80
        interrupting: [call, source-muted]
        resume-within: {call: 60, suspend: 0}
        calls: {roles: [Phone], applications: [Zoom, Teams], ignored: [Recorder]}
        """

    private func reading(_ text: String = Self.file) throws -> ConfigurationReading {
        let reading = try ConfigurationFile(path: "user.yaml", mayDecideForAll: false).read(text)
        #expect(reading.errors.isEmpty)
        return reading
    }

    @Test func everyKeyArrives() throws {
        let reading = try reading()
        #expect(reading.names == Set(ConfigurationKey.ofUsers.map(\.name)))
        let values = reading.userSettings.values
        #expect(reading.userSettings.errors.isEmpty)
        #expect(values.count == ConfigurationKey.ofUsers.count)
        // As the bus carries them.
        let bytes = try ValueBytes.encode([Value(values)])
        let received = try #require(try ValueBytes.decode(bytes, within: .answer).first)
        var configuration = Configuration()
        try UserSettings(try #require([BusText: Value](received))).apply(to: &configuration)
        for key in ConfigurationKey.ofUsers {
            let arrived = try #require(key.busValue(in: configuration))
            #expect(arrived == key.busValue(in: reading.configuration), "\(key.name)")
            #expect(arrived != key.busValue(in: Configuration()), "\(key.name) has its default")
        }
        #expect(configuration.replacements == reading.configuration.replacements)
        #expect(configuration.ofDictation.route == NodeName("alsa_input.usb"))
    }

    @Test func onlyKeysOfTheFileAreSent() throws {
        let values = try reading("formatting: dictation\nengine: whisper\nwords: [Jo]\ndecoder-limit: 9")
            .userSettings.values
        #expect(values == ["formatting": .string("dictation")])
        var configuration = Configuration()
        configuration.language = "fr-FR"
        try UserSettings(values).apply(to: &configuration)
        #expect(configuration.formatting == .dictation)
        #expect(configuration.language == "fr-FR")
    }

    @Test func valuesBeyondTheLimitsOfTheBusAreLeftOut() throws {
        let (values, errors) = try reading(
            """
            formatting: dictation
            language: "en\\0US"
            route: \(Self.long)
            calls: {roles: [\(Self.long)], ignored: [Recorder]}
            """
        ).userSettings
        #expect(values.keys.sorted() == ["calls.ignored", "formatting"])
        #expect(errors.count == 3)
        for name in ["language", "route", "calls.roles"] {
            #expect(errors.contains { $0.message.contains("'\(name)'") }, "\(name)")
        }
    }

    @Test func theAdministratorsSettingsAndUnknownKeysAreKept() throws {
        var configuration = Configuration()
        configuration.administered = ["formatting"]
        let values: [BusText: Value] = [
            "formatting": .string("dictation"), "language": .string("de-DE"), "decoder-limit": .uint32(9),
            "permissions.allow": Value(["*"]), "engine": .string("none"), "newer": .bool(true),
        ]
        try UserSettings(values).apply(to: &configuration)
        #expect(configuration.formatting == .plain)
        #expect(configuration.language == "de-DE")
        #expect(configuration.decoderLimit == Configuration().decoderLimit)
        #expect(configuration.permissionRules == PermissionRules())
        #expect(configuration.engine == Configuration().engine)
    }

    private static func entries(_ entries: [[String]]) -> Value {
        .array(entries.map { .structure($0.map { .string($0) }) }, of: "(sss)")
    }

    private static let long = String(repeating: "a", count: 256)

    @Test(
        arguments: [
            ("language", .bool(true), "a string"), ("language", .string(long), "a string"),
            ("prefer-bluetooth", .uint32(1), "true or false"), ("auto-commit", .uint32(199), "200 to 60000"),
            ("auto-commit", .int32(900), "200 to 60000"), ("speech-seconds", .uint32(0), "5 to 60"),
            ("idle-stop", .uint32(604_801), "604800"), ("formatting", .string("nice"), "\"dictation\""),
            ("interrupting", Value(["suspend"]), "a list"), ("interrupting", .string("call"), "a list"),
            ("resume-within", Value(["call": UInt32(86_401)] as [BusText: UInt32]), "86400"),
            ("resume-within", Value(["preempted": UInt32(1)] as [BusText: UInt32]), "86400"),
            ("calls.roles", Value([BusText(long)]), "a list"),
            ("calls.roles", Value([BusText](repeating: "a", count: 65)), "a list"),
            ("replacements", Value(["a"]), "a(sss)"), ("replacements", entries([["a", "b"]]), "a(sss)"),
            ("replacements", entries([["", "", "b"]]), "255"),
            ("replacements", entries([["", long, "b"]]), "255"),
            ("replacements", entries([["nobody", "a", "b"]]), "a kind"),
            ("replacements", entries([["app:" + long, "a", "b"]]), "255"),
            ("replacements", entries([["", "a", String(repeating: "b", count: 4097)]]), "4096"),
            ("replacements", entries([[String]](repeating: ["", "a", "b"], count: 1001)), "1000"),
            (
                "replacements",
                entries([[String]](repeating: ["", "a", String(repeating: "b", count: 4096)], count: 32)),
                "131072"
            ),
            ("replacements", entries((0...32).map { ["app:\($0)", "a", "b"] }), "32"),
        ] as [(BusText, Value, String)])
    func wrongValuesAreRefused(_ key: BusText, _ value: Value, _ message: String) {
        let error = #expect(throws: SettingError.self) { try UserSettings([key: value]) }
        #expect(error?.message.contains("'\(key)'") == true)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    /// SetSettings in the interface lists the keys and their types.
    @Test func theInterfaceListsTheKeys() throws {
        let interface = try String(
            contentsOf: repository.appending(path: "dbus/org.example.Dictation.xml"), encoding: .utf8)
        let comment = try #require(interface.firstMatch(of: #/@settings: keys of(?s:.*?)Errors:/#)).output
        let listed = comment.matches(of: #/\n        ([a-z.-]+) ([a-z{}()]+)  /#)
            .map { "\($0.output.1) \($0.output.2)" }
        let keys = ConfigurationKey.ofUsers.map { key in
            "\(key.name) \(key.busValue(in: Configuration())?.signature.rawValue ?? "")"
        }
        #expect(Set(listed) == Set(keys))
        #expect(listed.count == keys.count)
    }
}
