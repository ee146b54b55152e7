import DBus
import DictationClient
import DictationInterface
import DictationTestKit
import Foundation
import ScriptedService
import Testing

@testable import dictation_cli

/// What programs read is documented, and stays.
@Suite struct SchemaTests {
    @Test func eventsFollowTheSchema() async throws {
        let final = Final(block: 2, text: "two\nlines")
        let events: [DictationEvent] = [
            .partial(PartialText(block: 2, offset: 3, stable: "a", volatile: "b")), .final(final),
            .stateChanged(StateChange(state: .interrupted, cause: "call", reasons: [.call], pending: 1)),
            .interrupted(.call, all: [.call]), .resumed(.call, all: [.call], seconds: 1.5),
            .routeChanged(.selected, previous: nil, current: nil), .stopped(.stopped),
            .failed(DictationError(.engineFailed, name: "x.y", message: "no")),
            .level(Level(rms: -20, peak: -3)),
            .segmentRecorded(RecordedSegment(name: "a.wav", start: 0, duration: 30)),
            .retracted(Retraction(block: 2, offset: 3, scalars: 4)), .command("send it"),
            .permissionChanged(.speech, .denied), .serviceVanished, .serviceAppeared,
        ]
        let lines = events.map { SessionEvent(session: 7, event: $0).json.text }
        try await SchemaCheck.check(lines.joined(separator: "\n"), against: "event")
    }

    @Test func outputsOfCommandsFollowTheSchema() async throws {
        let bus = try await PrivateBus()
        let service = try await ScriptedService(at: bus.address)
        let home = try TemporaryDirectory()
        try home.write("language: en-US\n", to: ".config/dictation/dictation.yaml")
        await service.offer([
            [
                RouteKey.name: Value("lid"), RouteKey.description: Value("The lid"),
                RouteKey.available: Value(true),
                RouteKey.default: Value(true),
            ]
        ])
        func output(_ arguments: String..., exits status: Int32 = 0) async throws -> String {
            let run = try await ChildProcess.run(
                [try BuiltProgram.path(of: "dictation-cli")] + arguments,
                adding: bus.environment.merging(["HOME": home.path, "XDG_CONFIG_HOME": ""]) { $1 })
            #expect(run.status == .exited(status), "\(run.errors)")
            return run.output
        }
        _ = try await output("words", "add", "nginx", "--sounds-like", "engine ex")
        #expect(
            try await output("words", "list", "--json") == #"[{"word":"nginx","sounds-like":"engine ex"}]"#
                + "\n")
        for (definition, arguments) in [
            ("routes", ["routes"]), ("engines", ["engines"]), ("status", ["status"]),
            ("own-words", ["words", "list"]),
            ("started", ["start"]), ("status", ["status"]),
        ] {
            let run = try await ChildProcess.run(
                [try BuiltProgram.path(of: "dictation-cli")] + arguments + ["--json"],
                adding: bus.environment.merging(["HOME": home.path, "XDG_CONFIG_HOME": ""]) { $1 })
            #expect(run.status == .exited(0), "\(run.errors)")
            try await SchemaCheck.check(run.output, against: definition)
        }
        // Something is missing on this machine.
        try await SchemaCheck.check(try await output("doctor", "--json", exits: 69), against: "findings")
        await service.hear("hello", "again")
        try await SchemaCheck.check(try await output("commit", "--json"), against: "final")
        try await SchemaCheck.check(try await output("toggle", "--json"), against: "toggled")
        try await SchemaCheck.check(try await output("toggle", "--json"), against: "toggled")
        await service.vanish()
    }
}
