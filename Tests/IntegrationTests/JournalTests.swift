import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Testing

/// Who gets what was not committed when the daemon was killed, and what erases it.
@Suite struct JournalTests {
    private static let rules = "permissions:\n  allow: [\"*\"]\n  deny: [\"executable:*/restricted\"]\n"

    private static func expectNothing(_ rig: Rig, after what: String) async throws {
        try await eventually("nothing is left after \(what)") {
            try rig.journals().allSatisfy(\.isEmpty) && rig.traces(of: "t500").isEmpty
        }
    }

    @Test func nothingIsLeftAfterEveryEndOfABlock() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            var client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            _ = try await client.dictation.commit()
            // Not later than its reply.
            #expect(try rig.traces(of: "t500").isEmpty)
            try await rig.speak(into: microphone)
            _ = try await client.dictation.cancel()
            try await Self.expectNothing(rig, after: "Cancel")
            try await rig.speak(into: microphone)
            try await client.dictation.stop()
            try await Self.expectNothing(rig, after: "Stop")
            client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            _ = try await client.dictation.stopAll(options: [:])
            try await Self.expectNothing(rig, after: "StopAll")
            client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            await client.vanish()
            try await Self.expectNothing(rig, after: "the owner's end")
            #expect(try rig.journalNames().isEmpty)
            client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            try await rig.restart()
            try await Self.expectNothing(rig, after: "an ordinary end of the service")
        }
    }

    @Test func nothingIsKeptWithoutPermission() async throws {
        try await withRig(tones, endsByItself: true, allowsEveryone: false) { rig in
            let microphone = try await rig.plugIn()
            try await rig.setPermission("grant")
            var client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            try await rig.setPermission("deny")
            try await Self.expectNothing(rig, after: "the permission was lost")
            // With the permission the text returns, and is kept again.
            try await rig.setPermission("grant")
            try await client.signal("Resumed") { if case .resumed = $0 { true } else { nil } }
            #expect(try await client.dictation.getSession().text == "t500")
            try await rig.speak(600, into: microphone)
            #expect(try !rig.traces(of: "t500").isEmpty)

            // The permission is lost while the session waits for its client.
            try await rig.crashAndReplaceDaemon()
            try await rig.setPermission("deny")
            try await Self.expectNothing(rig, after: "the permission was lost while it waited")
            try await rig.setPermission("grant")
            #expect(try await client.dictation.getSession().state == "idle")

            // The permission is lost while no service runs.
            client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            try await rig.crash()
            try rig.home.write(
                tones + "permissions:\n  deny: [\"*\"]\n", to: "dictation.yaml")
            try await rig.replaceDaemon()
            try await Self.expectNothing(rig, after: "the permission was lost while no service ran")
            #expect(try await client.dictation.getSession().state == "idle")
        }
    }

    /// Two seconds after a failed write everything is written again.
    @Test func aFailedWriteIsMadeUpFor() async throws {
        try await withRig(tones, endsByItself: true) { rig in
            func limitFiles(to bytes: String) async throws {
                let limit = ["prlimit", "--pid", "\(try rig.workerPid())", "--fsize=\(bytes):unlimited"]
                #expect(try await ChildProcess.run(limit).status == .exited(0))
            }
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            try await limitFiles(to: "100")
            try await rig.say(Speech.tones(600) + Speech.silence(1.5), into: microphone)
            _ = try await rig.daemon.line(of: .errors) { $0.contains("not kept if the service fails now") }
            #expect(try rig.traces(of: "t500").isEmpty)
            try await limitFiles(to: "unlimited")
            _ = try await rig.daemon.line(of: .errors) { $0.contains("is kept again") }
            try await eventually("the journal has all texts") {
                try !rig.traces(of: "t500").isEmpty && !rig.traces(of: "t600").isEmpty
            }
            try await rig.crashAndReplaceDaemon()
            #expect(try await client.dictation.getSession().text == "t500 t600")
        }
    }

    @Test func nobodyElseGetsIt() async throws {
        try await withRig(tones + Self.rules, endsByItself: true, allowsEveryone: false) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            let sameProgram = try await TestClient(on: rig)
            try await rig.speak(into: microphone)
            try await rig.crashAndReplaceDaemon()
            #expect(try await sameProgram.dictation.getSession().state == "idle")
            await #expect(throws: DBusError.self) { try await sameProgram.dictation.resume() }
            await #expect(throws: DBusError.self) { _ = try await sameProgram.dictation.commit() }
            let kinds: [OtherProgram.Kind] = [
                .program("other"), .program("restricted"), .sandboxed("org.example.Other"), .unknown,
            ]
            for kind in kinds {
                let other = try await OtherProgram(kind, on: rig)
                let outcome = try await other.call(CallMatrixTests.method("GetSession"))
                #expect(outcome.state == "idle" && outcome.text.isEmpty, "\(kind)")
                #expect(try await !other.call(CallMatrixTests.method("Commit")).error.isEmpty, "\(kind)")
            }
            let stranger = try await OtherProgram(.stranger, on: rig)
            let refused = try await stranger.call(CallMatrixTests.method("GetSession"))
            #expect(refused.error == "org.freedesktop.DBus.Error.AccessDenied" && refused.text.isEmpty)
            // Others may begin sessions of their own.
            _ = try await sameProgram.dictation.start(options: [:])
            try await sameProgram.dictation.stop()
            // It is still there for its client.
            #expect(try await client.dictation.commit().text == "t500")

            // Of a connection that is gone nothing returns.
            try await client.dictation.stop()
            let again = try await TestClient.listening(on: rig)
            try await rig.speak(600, into: microphone)
            try await rig.crash()
            await again.vanish()
            try await rig.replaceDaemon()
            try await eventually("it is deleted") { try rig.traces(of: "t600").isEmpty }
        }
    }

    /// The timer of the next confirmation does not count sleep.
    @Test func aCrashAfterANightLosesNothing() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            let logind = try await rig.logind(steeredBy: client)
            try await rig.speak(into: microphone)
            try await client.dictation.pause()
            let path = try #require(
                try rig.journalNames().first
                    .map { "\(rig.journalFolder)/\($0)" })
            for isAsleep in [true, false] {
                let evening = timeval(tv_sec: time(nil) - 8 * 3600, tv_usec: 0)
                try #require(utimes(path, [evening, evening]) == 0)
                try await logind.prepareForSleep(isAsleep)
                try await eventually("the journal is confirmed") {
                    var status = stat()
                    return stat(path, &status) == 0 && status.st_atim.tv_sec > evening.tv_sec
                }
            }
            try await rig.crashAndReplaceDaemon()
            #expect(try await client.dictation.getSession().text == "t500")
        }
    }

    /// A sentence may be longer than what may wait for decoding.
    @Test func allOfALongSentenceReturns() async throws {
        let rig = try await Rig(tones + "backlog-limit: 10\n")
        let microphone = try await rig.plugIn()
        let client = try await TestClient.listening(on: rig, ["speech-seconds": .uint32(60)])
        let frequencies = [3...34, 3...34].joined().map { 100 * $0 }
        microphone.play(frequencies.flatMap { Speech.tone($0, seconds: 0.25) + Speech.silence(0.15) })
        try await eventually("13 s are in the journal") { try rig.journalSize() > 13 * 32_000 }
        try await rig.crashAndReplaceDaemon()
        try await eventually("more than 10 s are there") {
            try await client.dictation.getSession().words.count > 25
        }
        let session = try await client.dictation.getSession()
        #expect(frequencies.map { "t\($0)" }.starts(with: session.words))
        #expect(try session.dropouts() <= 16_000)
        try await rig.end()
        try await rig.audio.kill()
    }

    /// The session returns when the engine is there again.
    @Test func callsAreAnsweredWithoutTheEngineOfALeftSession() async throws {
        try await withRig(tones + Self.rules, allowsEveryone: false) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            try await rig.crash()
            try rig.home.write(Self.rules, to: "dictation.yaml")
            try await rig.replaceDaemon()
            #expect(try await client.dictation.getSession(timeout: .seconds(10)).state == "idle")
            #expect(try !rig.traces(of: "t500").isEmpty)
            try await rig.crash()
            try rig.home.write(tones + Self.rules, to: "dictation.yaml")
            try await rig.replaceDaemon()
            #expect(try await client.dictation.getSession().text == "t500")
        }
    }

    @Test func aStartBeginsAnew() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            try await rig.crashAndReplaceDaemon()
            // A Start that is refused changes nothing.
            await #expect(throws: DBusError.self) {
                _ = try await client.dictation.start(options: ["language": .string("xx")])
            }
            #expect(try !rig.traces(of: "t500").isEmpty)
            let second = try await client.dictation.start(options: [:])
            let final = try await client.signal("the text of the block before the crash") { signal in
                if case .final(1, 1, let text, _) = signal { text } else { nil }
            }
            #expect(final == "t500")
            try await Self.expectNothing(rig, after: "Start")
            #expect(try await client.dictation.getSession().text.isEmpty)
            #expect(second == 2)
        }
    }

    @Test func aStartWaitsForTheCallsBeforeIt() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            // With a lexicon, restoring takes a moment.
            let client = try await TestClient.listening(on: rig, ["formatting": .string("dictation")])
            try await rig.speak(into: microphone)
            try await rig.crashAndReplaceDaemon()
            let commit = Task.immediate { try await client.dictation.commit() }
            let start = Task.immediate { try await client.dictation.start(options: [:]) }
            #expect(try await commit.value.text.lowercased().contains("t500"))
            let refusal = await #expect(throws: DBusError.self) { _ = try await start.value }
            #expect(refusal?.name == "org.example.Dictation.Error.AlreadyRunning")
        }
    }

    @Test func aLingeringSessionReturnsForOthers() async throws {
        try await withRig(tones + Self.rules, endsByItself: true, allowsEveryone: false) { rig in
            let microphone = try await rig.plugIn()
            let start = ["a{sv}", "1", "linger", "b", "true"]
            func begin() async throws {
                _ = try await rig.busctl("Start", start)
                try await eventually("it listens") {
                    try await rig.busctl("GetSession").contains("listening")
                }
            }
            try await begin()
            try await rig.speak(into: microphone)
            try await rig.crashAndReplaceDaemon()
            let denied = try await OtherProgram(.program("restricted"), on: rig)
            #expect(try await denied.call(CallMatrixTests.method("GetSession")).text.isEmpty)
            let sandboxed = try await OtherProgram(.sandboxed("org.example.Other"), on: rig)
            #expect(try await sandboxed.call(CallMatrixTests.method("GetSession")).state == "idle")
            #expect(try await rig.busctl("Commit").contains("t500"))
            _ = try await rig.busctl("Stop")

            // Another lingering session does not take its place.
            try await begin()
            try await rig.speak(into: microphone)
            try await rig.crashAndReplaceDaemon()
            await #expect(throws: TestFailure.self) { _ = try await rig.busctl("Start", start) }
            #expect(try await rig.busctl("Commit").contains("t500"))
        }
    }

    /// There is no place for the files.
    @Test func dictationGoesOnWithoutAJournal() async throws {
        let rig = try await Rig(tones)
        try await rig.end()
        // Others may write there.
        chmod(rig.journalFolder, 0o777)
        try await rig.replaceDaemon()
        let microphone = try await rig.plugIn()
        let client = try await TestClient.listening(on: rig)
        try await rig.say(Speech.tones(500, 600) + Speech.silence(1.5), into: microphone)
        #expect(try await client.dictation.commit().text == "t500 t600")
        _ = try await rig.daemon.line(of: .errors) { $0.contains("what is not committed is not kept") }
        #expect(try rig.journals().isEmpty)
        try await rig.end()
        try await rig.audio.kill()
    }
}
