import DictationRig
import DictationTestKit
import Testing

/// Access to a lingering session of another program.
@Suite struct SessionAccessTests {
    private static let rules = "permissions:\n  allow: [\"*\"]\n  deny: [\"executable:*/restricted\"]\n"

    /// busctl's session, which has finished a block and continues.
    private func withLingeringSession(_ body: (Rig) async throws -> Void) async throws {
        try await withRig(tones + Self.rules, allowsEveryone: false) { rig in
            let microphone = try await rig.plugIn()
            _ = try await rig.busctl("Start", ["a{sv}", "1", "linger", "b", "true"])
            try await eventually("it listens") { try await rig.busctl("GetSession").contains("listening") }
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await rig.busctl("Commit").contains("t500"))
            try await rig.say(Speech.tones(600), into: microphone)
            try await eventually("it is understood") { try await rig.busctl("GetSession").contains("t600") }
            try await body(rig)
        }
    }

    @Test(arguments: [
        ("Resume", "[]"), ("Commit", "[]"), ("Subscribe", #"[{"text": true}]"#),
        ("SelectRoute", #"["", {}]"#),
    ])
    func aDeniedProgramIsRefused(method: String, arguments: String) async throws {
        try await withLingeringSession { rig in
            let denied = try await OtherProgram(.program("restricted"), on: rig)
            let outcome = try await denied.call(CallMatrixTests.method(method), arguments)
            #expect(outcome.error == "org.example.Dictation.Error.PermissionDenied")
        }
    }

    @Test func aDeniedProgramReadsNoTextAndMayStopAll() async throws {
        try await withLingeringSession { rig in
            let denied = try await OtherProgram(.program("restricted"), on: rig)
            let report = try await denied.call(CallMatrixTests.method("GetSession"))
            #expect(report.state == "listening")
            #expect(report.text.isEmpty)
            let allowed = try await OtherProgram(.program("allowed"), on: rig)
            #expect(try await allowed.call(CallMatrixTests.method("GetSession")).text == "t600 t500")
            #expect(try await denied.call(CallMatrixTests.method("StopAll"), "[{}]").error.isEmpty)
            #expect(try await !rig.isCapturing())
            #expect(try await allowed.call(CallMatrixTests.method("GetSession")).state == "idle")
        }
    }

    @Test func anUnknownProgramMayNotLinger() async throws {
        try await withRig(tones) { rig in
            let unknown = try await OtherProgram(.unknown, on: rig)
            let start = try CallMatrixTests.method("Start")
            let lingering = try await unknown.call(start, #"[{"linger": true}]"#)
            #expect(lingering.error == "org.freedesktop.DBus.Error.AccessDenied")
            #expect(try await unknown.call(start, "[{}]").error.isEmpty)
        }
    }

    @Test func aSelectedMicrophoneSurvivesARestart() async throws {
        try await withRig(tones) { rig in
            try await rig.plugIn("one")
            let other = try await rig.plugIn("other")
            _ = try await rig.busctl("SelectRoute", ["sa{sv}", "other", "0"])
            other.unplug()
            try await rig.restart()
            try await eventually("the choice is known") {
                let routes = try await rig.gdbus("ListRoutes")
                return routes.contains("'name': <'other'>") && routes.contains("'selected': <true>")
            }
        }
    }
}
