import DBus
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

    @Test func commitsInProgressAreAnsweredInOrderEachOnce() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            async let first = client.dictation.commit()
            async let second = client.dictation.commit()
            async let third = client.dictation.commit()
            let blocks = try await [first.block, second.block, third.block]
            #expect(Set(blocks) == [1, 2, 3])
            try await client.signal("the third Final") { _ in client.finals.count == 3 ? true : nil }
            #expect(client.finals == [1, 2, 3])
        }
    }

    @Test func stopFinishesTheCommitsInProgress() async throws {
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

    @Test func theEndOfTheServiceAnswersTheCommitsInProgress() async throws {
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
            // The text, or what there is of it, or Cancelled, but not silence.
            do {
                let (_, text, details) = try await commit
                let problems = details[FinalKey.problems].flatMap { [String]($0) } ?? []
                #expect(
                    text.contains("leisure to consider") || problems == ["segment-lost"],
                    "\(text); \(details)")
            } catch let error as DBusError {
                #expect(error.name == DictationInterface.errorName("Cancelled"))
            }
            #expect(try await rig.daemon.exitStatus() == .exited(0))
        }
    }

    @Test func theDeathOfTheOwnerClosesTheMicrophoneAndEndsEverything() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let watcher = try await TestClient(on: rig)
            try await watcher.dictation.subscribe(options: [:])
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            let commit = Task { try await client.dictation.commit() }
            await client.vanish()
            _ = await commit.result
            try await watcher.signal("the end") { signal in
                if case .stopped(_, "owner-vanished", _) = signal { true } else { nil }
            }
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            #expect(watcher.finals.isEmpty)
        }
    }

    @Test func theDeathOfTheBusClosesTheMicrophoneAndThenEndsTheDaemon() async throws {
        try await withRig(tones, endsByItself: true) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            try await rig.bus.kill()
            guard case .exited(let code) = try await rig.daemon.exitStatus() else {
                throw TestFailure("killed by a signal")
            }
            #expect(code != 0)
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
        }
    }
}
