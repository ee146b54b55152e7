import DBus
import DictationClient
import DictationInterface
import DictationRig
import DictationTestKit
import Glibc
import Testing

/// Every commit has one outcome, and a cancelled block has none.
@Suite struct OutcomeTests {
    @Test func aCancelledBlockHasNoFinal() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await client.dictation.cancel() == 1)
            try await rig.say(Speech.tones(600), into: microphone)
            let (number, text, _) = try await client.dictation.commit()
            #expect(number == 2)
            #expect(text == "t600")
            #expect(client.finals == [2])
        }
    }

    @Test func answersCommitsInOrderOnce() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await DictationClient(bus: .address(rig.bus.address))
            let session = try await client.start()
            try await eventually("it listens") { try await session.status().state == .listening }
            try await rig.say(Speech.tones(500), into: microphone)
            // Its calls arrive in order.
            let commits = (0..<3).map { _ in Task.immediate { try await session.commit() } }
            var answers: [Final] = []
            for commit in commits { answers.append(try await commit.value) }
            #expect(answers.map(\.block) == [1, 2, 3])
            #expect(answers.map(\.text) == ["t500", "", ""])
            try await session.stop()
            var finals: [Final] = []
            for try await case .final(let final) in session.events { finals.append(final) }
            #expect(finals == answers)
            await client.close()
        }
    }

    @Test func stopFinishesCommitsInProgress() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.john(), into: microphone)
            async let commit = client.dictation.commit()
            try await client.signal("the commit is in progress") { signal in
                if case .stateChanged(_, _, "committed", _) = signal { true } else { nil }
            }
            try await client.dictation.stop()
            #expect(try await commit.text.contains("leisure to consider"))
            #expect(client.finals == [1])
        }
    }

    @Test func shutdownAnswersCommitsInProgress() async throws {
        try await withRig(endsByItself: true) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.john(), into: microphone)
            async let commit = client.dictation.commit()
            try await client.signal("the commit is in progress") { signal in
                if case .stateChanged(_, _, "committed", _) = signal { true } else { nil }
            }
            rig.daemon.terminate()
            // The text so far, or Cancelled, but always a reply.
            do {
                let (_, text, details) = try await commit
                let problems = details[FinalKey.problems].flatMap { [String]($0) } ?? []
                #expect(
                    text.contains("leisure to consider") || problems == ["segment-lost"],
                    "\(text); \(details)")
            } catch let error as DBusError {
                #expect(error.name == DictationInterface.errorName(.cancelled))
            }
            #expect(try await rig.daemon.exitStatus() == .exited(0))
        }
    }

    @Test func theOwnerLeavingEndsTheSession() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let watcher = try await TestClient(on: rig)
            try await watcher.dictation.subscribe(options: [:])
            let client = try await TestClient(on: rig)
            // The subscriber gets all signals of the session, including finals.
            _ = try await client.dictation.start(options: ["broadcast": .bool(true)])
            try await client.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await client.dictation.commit().text == "t500")
            try await watcher.signal("the first block") { _ in watcher.finals == [1] ? true : nil }
            try await rig.say(Speech.tones(600), into: microphone)
            let commit = Task { try await client.dictation.commit() }
            await client.vanish()
            _ = await commit.result
            try await watcher.signal("the end") { signal in
                if case .stopped(_, "owner-vanished", _) = signal { true } else { nil }
            }
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            // The second block has at most one outcome, and none after the end.
            #expect([[1], [1, 2]].contains(watcher.finals))
            guard case .stopped = watcher.signals.last else {
                throw TestFailure("after the end came: \(watcher.signals)")
            }
        }
    }

    @Test func losingTheBusClosesTheMicrophoneAndEndsTheDaemon() async throws {
        try await withRig(tones, endsByItself: true) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            let stream = try await NodeFollower("dictation.capture", of: rig.audio)
            try await stream.waits(for: true)
            // The end of the process closes everything, so its last system call is delayed until the tracer ends: what
            // was closed before was closed explicitly.
            let tracer = try await rig.trace([
                "-e", "trace=exit_group", "-e", "inject=exit_group:delay_enter=300000000",
            ])
            try await rig.bus.kill()
            try await stream.waits(for: false)
            #expect(rig.daemon.isRunning)
            tracer.kill()
            guard case .exited(let code) = try await rig.daemon.exitStatus() else {
                throw TestFailure("killed by a signal")
            }
            #expect(code != 0)
            _ = try await tracer.exitStatus()
        }
    }
}
