import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// The sound server and the session manager are killed, stopped and restarted during a session of the real daemon.
@Suite struct SoundServerTests {
    /// `packaging/soak graph` runs longer.
    private static let soak = ProcessInfo.processInfo.environment["DICTATION_SOAK_CYCLES"].flatMap { Int($0) }

    @Test func recoversFromEveryServerRestart() async throws {
        let rounds = Self.soak ?? 5
        try await withRig(tones) { rig in
            var microphone = try await rig.plugIn(pace: .spoken)
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: microphone, on: rig)
            let before = try await rig.usageAtRest()
            for round in 1...rounds {
                let resumed = client.story.count { $0.hasPrefix("Resumed") }
                try await rig.audio.kill()
                try await client.comes("Interrupted audio-server-lost", times: round)
                try await rig.audio.start()
                microphone = try await rig.plugIn(pace: .spoken)
                try await eventually("round \(round): resumed") {
                    client.story.count { $0.hasPrefix("Resumed") } > resumed
                }
                try await rig.say(Speech.tones(900), into: microphone)
                let text = try await client.dictation.commit().text
                #expect(text.hasSuffix("t900"), "round \(round): \(client.story.suffix(8))")
            }
            try await rig.expectAsBefore(before)
            let change = "server-restarted: microphone → microphone"
            #expect(client.story.count { $0 == change } == rounds)
            print("pipewire killed \(rounds) times: \(before) … \(try rig.usage())")
        }
    }

    @Test func reconnectingCostsLittleProcessorTime() async throws {
        try await withRig(tones) { rig in
            try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.audio.kill()
            try await client.comes("Interrupted audio-server-lost")
            let start = ContinuousClock.now
            let before = try rig.processorTime()
            // 50 + 100 + 200 + … ms apart: the seventh comes after some three seconds.
            try await eventually("it has tried seven times") {
                rig.daemon.text(of: .errors).split(separator: "\n").count { $0.contains("cannot be reached") }
                    >= 7
            }
            let used = try rig.processorTime() - before
            let passed = start.duration(to: .now)
            #expect(used < passed / 10)
            print("processor time while the server was down: \(used) in \(passed)")
        }
    }

    @Test func aHangingServerIsLostUntilItResponds() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: microphone, on: rig)
            let before = try await rig.usageAtRest()
            let start = ContinuousClock.now
            let processor = try rig.processorTime()
            // Since PipeWire 1.4 a microphone of another process continues without the server, unlike a sound card.
            microphone.hang(true)
            try rig.audio.pause()
            try await client.comes("Interrupted audio-server-lost", within: .seconds(60))
            #expect(client.story == ["Interrupted audio-server-lost"])
            if Self.soak != nil {
                try await eventually(
                    "a further try has timed out, and half a minute has passed", within: .seconds(90)
                ) {
                    rig.daemon.text(of: .errors).split(separator: "\n").count {
                        $0.contains("does not answer")
                    } >= 2
                        && start.duration(to: .now) >= .seconds(30)
                }
            }
            print(
                "processor time while it hung: \(try rig.processorTime() - processor) in \(start.duration(to: .now))"
            )
            rig.audio.resume()
            microphone.hang(false)
            try await client.comes("Resumed audio-server-lost")
            try await client.hears(900, from: microphone, on: rig)
            #expect(try await client.dictation.commit().text == "t500 t900")
            try await rig.expectAsBefore(before)
        }
    }

    /// A WirePlumber 0.4 that was restarted links nothing while a source lives that was in use before.
    @Test func recoversWhenTheSessionManagerRestartsAlone() async throws {
        try await withRig(tones) { rig in
            let first = try await rig.plugIn("first")
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: first, on: rig)
            let before = try await rig.usageAtRest(afterPausing: client)
            try await rig.audio.killSessionManager()
            try await rig.audio.startSessionManager()
            try await rig.isListening(to: "first")
            try await client.hears(700, from: first, on: rig)
            // Without the source, the session manager links again.
            first.unplug()
            let second = try await rig.plugIn("second")
            try await rig.isListening(to: "second")
            try await client.hears(900, from: second, on: rig)
            #expect(try await client.dictation.commit().text == "t500 t700 t900")
            let turns = client.story.filter { $0.hasPrefix("Interrupted") || $0.hasPrefix("Resumed") }
            #expect(turns.last != "Interrupted no-source")
            try await rig.expectAsBefore(before)
        }
    }

    @Test func recoversWithAMicrophoneThatCameWhileThereWasNoSessionManager() async throws {
        try await withRig(tones) { rig in
            let first = try await rig.plugIn("first")
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: first, on: rig)
            try await rig.audio.killSessionManager()
            let second = try DriverMicrophone(
                "second", of: rig.audio, pace: .brisk, ["priority.session": "9000"])
            try await rig.audio.startSessionManager()
            try await rig.isListening(to: "second")
            #expect(try await !rig.audio.graph().links("first", to: "dictation.capture"))
            try await client.hears(900, from: second, on: rig)
            #expect(try await client.dictation.commit().text == "t500 t900")
            second.unplug()
            first.unplug()
        }
    }

    @Test func listensWithoutASessionManager() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: microphone, on: rig)
            let links = try await rig.audio.graph()
                .links(feeding: "dictation.capture", bySessionManager: true)
            try await rig.audio.killSessionManager()
            try await eventually("the session manager's link is gone") {
                try await rig.audio.graph().links(feeding: "dictation.capture").isDisjoint(with: links)
            }
            try await rig.isListening(to: "microphone")
            try await client.hears(900, from: microphone, on: rig)
            #expect(try await client.dictation.commit().text == "t500 t900")
        }
    }

    @Test func followsMicrophonesWithoutAnInterruption() async throws {
        let rounds = Self.soak == nil ? 10 : 1000
        try await withRig(tones) { rig in
            let last = try await rig.plugIn("last")
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: last, on: rig)
            let before = try await rig.usageAtRest(afterPausing: client)
            for round in 1...rounds {
                let passing = try DriverMicrophone("passing", of: rig.audio, ["priority.session": "9000"])
                try await client.comes("new-device: last → passing", times: round)
                passing.unplug()
                try await client.comes("device-removed: passing → last", times: round)
            }
            try await client.hears(900, from: last, on: rig)
            #expect(client.story.count == 2 * rounds)
            #expect(try await client.dictation.commit().text == "t500 t900")
            try await rig.expectAsBefore(before)
            print("\(rounds) microphones came and went: \(before) … \(try rig.usage())")
        }
    }
}

extension Rig {
    /// The service's processor time, in user and system mode, in hundredths of a second.
    fileprivate func processorTime() throws -> Duration {
        try processes().reduce(.zero) { try $0 + processorTime(of: $1) }
    }

    private func processorTime(of process: Int32) throws -> Duration {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // After the name, which is in parentheses: proc(5).
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
            throw TestFailure("The kernel has no figure for the processor time.")
        }
        return .milliseconds(10 * (user + system))
    }
}
