import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// The service used by one-line commands.
@Suite struct CommandLineTests {
    /// Every method in a sensible order, with arguments in gdbus's and busctl's format.
    static let calls: [(method: String, gdbus: [String], busctl: [String])] = [
        ("CheckPermission", [], []),
        (
            "RequestPermission", ["['microphone', 'speech']", "{}"],
            ["asa{sv}", "2", "microphone", "speech", "0"]
        ),
        ("ListRoutes", [], []),
        ("SelectRoute", ["", "{}"], ["sa{sv}", "", "0"]),
        ("Subscribe", ["{}"], ["a{sv}", "0"]),
        ("Start", ["{'linger': <true>}"], ["a{sv}", "1", "linger", "b", "true"]),
        ("GetSession", [], []),
        ("Pause", [], []),
        ("Resume", [], []),
        ("Cancel", [], []),
        ("Commit", [], []),
        ("Stop", [], []),
        ("StopAll", ["{}"], ["a{sv}", "0"]),
    ]

    @Test func theTestsCoverTheWholeInterface() {
        let described = DictationInterface.description.methods.map(\.name.rawValue)
        #expect(Set(Self.calls.map(\.method)) == Set(described))
    }

    @Test func everyMethodAnswersGDBus() async throws {
        try await withRig(tones) { rig in
            for call in Self.calls {
                let answer = try await rig.gdbus(call.method, call.gdbus)
                #expect(answer.hasPrefix("("), "\(call.method): \(answer)")
            }
        }
    }

    @Test func everyMethodAnswersBusctl() async throws {
        try await withRig(tones) { rig in
            for call in Self.calls { _ = try await rig.busctl(call.method, call.busctl) }
        }
    }

    @Test func separateProcessesDriveALingeringSession() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn()
            #expect(try await rig.busctl("Start", ["a{sv}", "1", "linger", "b", "true"]) == "t 1")
            try await rig.say(Speech.john(), into: microphone)
            try await eventually("it is decoded, but for a second", within: .seconds(120)) {
                let report = try await rig.busctl("GetSession")
                let lag = try #require(report.firstMatch(of: /"lag" d ([0-9.e-]+)/), "\(report)")
                return try #require(Double(lag.output.1)) < 1
            }
            #expect(try await rig.busctl("Pause").isEmpty)
            #expect(try await rig.busctl("Resume").isEmpty)
            let answer = try await rig.busctl("Commit")
            #expect(answer.hasPrefix("tsa{sv} 1 \""), "\(answer)")
            #expect(answer.contains("leisure to consider"), "\(answer)")
        }
    }

    @Test func gdbusMonitorShowsABroadcastSession() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let monitor = try rig.start([
                "gdbus", "monitor", "--address", rig.bus.address, "--dest", "\(DictationInterface.busName)",
            ])
            _ = try await monitor.line(of: .output) { $0.contains("is owned by") }
            _ = try await rig.gdbus("Start", ["{'linger': <true>, 'broadcast': <true>}"])
            try await rig.say(Speech.tones(500, 600), into: microphone)
            _ = try await rig.gdbus("Commit")
            let final = try await monitor.line(of: .output) { $0.contains(".Final ") }
            #expect(final.contains("t500 t600"), "\(final)")
        }
    }

    @Test func busctlMonitorShowsTheSignals() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let monitor = try rig.start(["busctl", "--address=\(rig.bus.address)", "monitor"])
            _ = try await monitor.line(of: .errors) { $0.contains("Monitoring bus") }
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await rig.say(Speech.tones(500, 600), into: microphone)
            _ = try await client.dictation.commit()
            for member in ["StateChanged", "Partial", "Final"] {
                _ = try await monitor.line(of: .output) { $0.contains("Member=\(member)") }
            }
        }
    }

    @Test func aProgramPassesAFileByItsDescriptor() async throws {
        try await withRig(tones) { rig in
            let file = rig.home.path(of: "tones.wav")
            try WaveFile.write(Speech.tones(700, 800), to: file)
            let listener = try await TestClient(on: rig)
            let program = """
                import dbus, sys
                bus = dbus.bus.BusConnection(sys.argv[1])
                dictation = bus.get_object("org.example.Dictation", "/org/example/Dictation")
                options = {"input": dbus.types.UnixFd(open(sys.argv[2], "rb")), "linger": True, "broadcast": True}
                print(dictation.Start(dbus.Dictionary(options, signature="sv"), dbus_interface="org.example.Dictation"))
                """
            _ = try await rig.output(of: ["/usr/bin/python3", "-c", program, rig.bus.address, file])
            #expect(try await listener.final(1) == "t700 t800")
            try await listener.signal("the end") { signal in
                if case .stopped(_, "end-of-input", _) = signal { true } else { nil }
            }
        }
    }
}
