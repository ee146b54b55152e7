import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

/// Recordings of the real daemon where files cannot be written.
@Suite struct RecordingFaultTests {
    /// A process that does not ignore SIGXFSZ ends there.
    @Test func aLimitOnTheSizeOfFilesEndsTheRecordingAndNotTheService() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let limit = ["prlimit", "--pid", "\(try rig.workerPid())", "--fsize=100000"]
            #expect(try await ChildProcess.run(limit).status == .exited(0))
            let folder = try TemporaryDirectory()
            let client = try await TestClient.listening(on: rig, ["record": try folder.descriptor])
            try await rig.say(Speech.silence(6), into: microphone)
            try await client.waitForFailedWrite()
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await client.dictation.commit().text == "t500")
            try await client.dictation.stop()
            let segment = try #require(try await client.recordedSegments().first)
            let samples = try WaveFile.samples(of: folder.path(of: segment.name))
            #expect(samples.count == segment.frames)
            #expect(samples.count == (100_000 - 44) / 2)
        }
    }

    @Test func aFileSystemThatDoesNotAnswerDelaysOnlyItsRecording() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let disk = try await FaultyFileSystem()
            let folder = Descriptor(owning: open(disk.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
            let client = try await TestClient.listening(
                on: rig, ["record": .descriptor(folder), "segment-seconds": .uint32(5)])
            try await eventually("the recording has begun") { try await !disk.names().isEmpty }
            try disk.stop()
            let sound = recordedSound(7 * 16_000)
            try await rig.say(sound + Speech.silence(0.5), into: microphone)
            _ = try await client.dictation.commit()
            try await rig.say(Speech.tones(500), into: microphone)
            try await eventually("it is understood", equals: .string("t500")) {
                try await client.dictation.getSession()["text"]
            }
            var waits: [Duration] = []
            for _ in 0..<5 {
                let before = ContinuousClock.now
                _ = try await client.dictation.getSession()
                waits.append(before.duration(to: .now))
            }
            // A busy machine may delay some of them.
            #expect(waits.min() ?? .zero < .seconds(1))
            disk.resume()
            try await client.dictation.stop()
            let segments = try await client.recordedSegments()
            let whole = try segments.flatMap { try WaveFile.samples(of: "\(disk.path)/\($0.name)") }
            try expectSamples(sound, in: whole)
        }
    }

    @Test func limitsConcurrentRecordingsOfAnApplication() async throws {
        try await withRig(tones + "session-limit: 20\n") { rig in
            try await rig.plugIn()
            let folder = try TemporaryDirectory()
            var clients: [TestClient] = []
            for _ in 0..<5 { clients.append(try await TestClient(on: rig, listensToAll: false)) }
            for client in clients.dropLast() {
                #expect(await client.refusal(["record": try folder.descriptor]) == nil)
            }
            let refusal = await clients[4].refusal(["record": try folder.descriptor])
            #expect(refusal?.name == DictationInterface.errorName(.limitExceeded))
            // One that has ended makes room.
            try await clients[0].dictation.stop()
            try await eventually("there is room") {
                await clients[4].refusal(["record": try folder.descriptor]) == nil
            }
        }
    }
}
