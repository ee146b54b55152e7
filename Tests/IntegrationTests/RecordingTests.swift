import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

/// Recordings of sessions, by the real daemon.
@Suite struct RecordingTests {
    /// `packaging/soak recordings` has 200.
    private static let kills =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_KILLS"].flatMap { Int($0) } ?? 2

    /// `packaging/soak recordings` has ten minutes.
    private static let seconds =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_SECONDS"].flatMap { Int($0) } ?? 23

    @Test func theFilesOfAFolderHaveTheSamplesBitForBit() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let folder = try TemporaryDirectory()
            let client = try await TestClient.listening(
                on: rig, ["record": try folder.descriptor, "segment-seconds": .uint32(5)])
            let first = Self.sound(Self.seconds * 16_000)
            try await rig.say(first + Speech.silence(0.5), into: microphone)
            let final = try await client.dictation.commit()
            let second = Self.sound(20_000)
            try await rig.say(second + Speech.silence(0.5), into: microphone)
            let other = try await client.dictation.commit()
            try await client.dictation.stop()

            let segments = try await client.recordedSegments()
            let files = try segments.map { try WaveFile.samples(of: folder.path(of: $0.name)) }
            #expect(segments.map(\.frames) == files.map(\.count))
            let ofFirst = segments.filter { $0.block == 1 }
            #expect(ofFirst.count > 4 && ofFirst.dropLast().allSatisfy { $0.frames == 80_000 })
            #expect(segments.contains { $0.block == 2 })
            let whole = files.flatMap { $0 }
            try expectSamples(first, in: whole)
            try expectSamples(second, in: whole)
            let starts = files.indices.map { Double(files[..<$0].reduce(0) { $0 + $1.count }) / 16_000 }
            #expect(segments.map(\.start) == starts)

            // Cut at the same samples as the recogniser's sound.
            let stretches = try [final, other].map { try #require(Self.stretch($0.details)) }
            #expect(stretches[0].start == 0)
            #expect(stretches[1].start == stretches[0].duration)
            for (block, stretch) in zip([final, other], stretches) {
                #expect(block.details[FinalKey.duration] == .double(stretch.duration))
            }
            let stopped = try await client.signal("Stopped") { signal in
                if case .stopped(_, _, let details) = signal { details } else { nil }
            }
            #expect(stopped[StoppedKey.recorded].flatMap { Double($0) } == Double(whole.count) / 16_000)
        }
    }

    @Test func cancelRemovesWhatItsBlockRecordedAndPausesLeaveNoGap() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let folder = try TemporaryDirectory()
            let path = folder.path(of: "all.wav")
            let client = try await TestClient.listening(on: rig, ["record": try Self.create(path)])
            let before = Self.sound(16_000)
            try await rig.say(before + Speech.silence(0.1), into: microphone)
            try await client.dictation.pause()
            client.beginStep()
            try await client.dictation.resume()
            try await client.state("listening")
            try await rig.say(Speech.silence(0.5), into: microphone)
            let kept = try await client.dictation.commit()
            try await rig.say(Self.sound(16_000, from: 5000), into: microphone)
            #expect(try await client.dictation.cancel() == 2)
            // The file is cut while the session goes on.
            let frames = try #require(Self.stretch(kept.details)).duration * 16_000
            try await rig.say(Speech.tones(500), into: microphone)
            let last = try await client.dictation.commit()
            #expect(last.text == "t500")
            let stretch = try #require(Self.stretch(last.details))
            #expect(stretch.start * 16_000 == frames)
            try await client.dictation.stop()

            let segments = try await client.recordedSegments()
            let samples = try WaveFile.samples(of: path)
            #expect(segments.map(\.frames) == [samples.count])
            #expect(segments[0].name.isEmpty)
            // Sound goes on between the last Commit and Stop.
            #expect(samples.count >= Int((frames + stretch.duration * 16_000).rounded()))
            try expectSamples(before, in: samples)
            #expect(!samples.dropFirst(Int(frames)).contains(Self.sound(16_000, from: 5000)[10]))
            guard case .array(let gaps, "(dds)")? = segments[0].details[RecordingKey.gaps],
                case .structure(let gap)? = gaps.first
            else { throw TestFailure("no gaps: \(segments[0])") }
            #expect(gaps.count == 1)
            #expect(gap[2] == .string("paused"))
        }
    }

    @Test func cancelRemovesTheFilesOfItsBlock() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let folder = try TemporaryDirectory()
            let client = try await TestClient.listening(
                on: rig, ["record": try folder.descriptor, "segment-seconds": .uint32(5)])
            try await rig.say(Speech.tones(500), into: microphone)
            _ = try await client.dictation.commit()
            try await rig.say(Speech.silence(12), into: microphone)
            try await eventually("two files are finished") { client.segments.count == 3 }
            _ = try await client.dictation.cancel()
            try await client.dictation.stop()
            // A little sound may have come between Cancel and Stop.
            let names = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
            #expect(names.contains(client.segments[0].name))
            #expect(names.isDisjoint(with: client.segments[1...2].map(\.name)), "\(names)")
        }
    }

    @Test func withoutPermissionTheDescriptorIsNotLookedAt() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let client = try await TestClient(on: rig)
            let pipe = try Descriptor.pipe()
            let refusal = await client.refusal(["record": .descriptor(pipe.writing)])
            #expect(refusal?.name == "org.example.Dictation.Error.PermissionRequired")
        }
        try await withRig(tones) { rig in
            let client = try await TestClient(on: rig)
            let pipe = try Descriptor.pipe()
            let folder = try TemporaryDirectory()
            let record = try folder.descriptor
            let cases: [([BusText: Value], ErrorName)] = [
                (["record": .descriptor(pipe.writing)], .invalidArgs),
                (["record": .string(BusText(folder.path))], .invalidArgs),
                (["record": record, "quality": .string("high")], .notSupported),
                (["record": record, "quality": .string("best")], .invalidArgs),
                (["record": record, "segment-seconds": .uint32(4)], .invalidArgs),
                (["record": record, "input": .descriptor(pipe.reading)], .invalidArgs),
            ]
            for (options, name) in cases {
                #expect(await client.refusal(options)?.name == name, "\(options)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test func aFullDiskEndsTheRecordingAndNotTheDictation() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let disk = try await SmallDisk(kilobytes: 256)
            let client = try await TestClient.listening(on: rig, ["record": .descriptor(disk.folder)])
            try await rig.say(Speech.silence(12), into: microphone)
            try await client.signal("the error") { signal in
                if case .error(_, let name, _, _) = signal {
                    name.hasSuffix("FileWrite") ? true : nil
                } else {
                    nil
                }
            }
            try await rig.say(Speech.tones(500, 600), into: microphone)
            let final = try await client.dictation.commit()
            #expect(final.text == "t500 t600")
            try await client.dictation.stop()
            let errors = client.signals.count { if case .error = $0 { true } else { false } }
            #expect(errors == 1)
            let segment = try #require(client.segments.first)
            #expect(segment.frames > 64_000 && segment.frames < 132_000, "\(segment)")
            let bytes = try disk.contents(of: segment.name)
            #expect(bytes.count >= 44 + 2 * segment.frames)
        }
    }

    @Test func aKilledDaemonLeavesFilesThatOpenAndLosesASecondAtMost() async throws {
        try await withRig(tones, endsByItself: true) { rig in
            let microphone = try await rig.plugIn(pace: .realTime)
            var random = SystemRandomNumberGenerator()
            for _ in 0..<Self.kills {
                let folder = try TemporaryDirectory()
                let client = try await TestClient.listening(on: rig, ["record": try folder.descriptor])
                let began = microphone.emitted
                let moment = Int.random(in: 24_000..<40_000, using: &random)
                try await eventually("the moment has come") { microphone.emitted - began >= moment }
                let heard = microphone.emitted - began
                rig.daemon.kill()
                _ = try await rig.daemon.exitStatus()
                await client.vanish()
                let frames = try await Self.framesByPython(in: folder)
                #expect(heard - frames <= 16_000, "\(heard) were heard, \(frames) are there")
                try await rig.replaceDaemon()
                try await eventually("the microphone is a route") {
                    try await rig.gdbus("ListRoutes").contains("'default': <true>")
                }
            }
            try await rig.end()
        }
    }

    @Test func recordingsLeaveDescriptorsAndThreadsFlat() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let folder = try TemporaryDirectory()
            func cycle() async throws {
                let client = try await TestClient.listening(on: rig, ["record": try folder.descriptor])
                try await rig.say(Speech.silence(0.3), into: microphone)
                try await client.dictation.stop()
                await client.vanish()
            }
            for _ in 0..<2 { try await cycle() }
            try await eventually("threads have ended") { try Self.writers(of: rig) == 0 }
            let before = try rig.usage()
            for _ in 0..<8 { try await cycle() }
            try await eventually("threads have ended") { try Self.writers(of: rig) == 0 }
            try await eventually("the descriptors are those before") {
                try rig.usage().descriptors <= before.descriptors
            }
        }
    }

    @Test func aVanishedClientLeavesAFinishedFile() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let folder = try TemporaryDirectory()
            let path = folder.path(of: "all.wav")
            let client = try await TestClient.listening(on: rig, ["record": try Self.create(path)])
            let sound = Self.sound(8000)
            try await rig.say(sound + Speech.silence(0.5), into: microphone)
            await client.vanish()
            try await eventually("the file is finished") { try Self.writers(of: rig) == 0 }
            try expectSamples(sound, in: try WaveFile.samples(of: path))
        }
    }

    /// The service of the machine cannot make files of users; they open them. With the shipped program.
    @Test func aUserOfTheSystemServiceRecordsIntoAFile() async throws {
        try await withUsers { rig, one, _ in
            let folder = try TemporaryDirectory()
            try one.user.own(folder)
            let path = folder.path(of: "talk.wav")
            let arguments = ["listen", "--json", "--address", rig.bus.address, "--record"]
            let listen = try one.start([rig.commandLine] + arguments + [path])
            _ = try await listen.line(of: .output) { $0.contains("\"listening\"") }
            let sound = Self.sound(16_000)
            try await one.say(sound + Speech.silence(0.5))
            listen.terminate()
            #expect(try await listen.exitStatus() == .exited(0))
            let told = listen.text(of: .output)
            #expect(told.contains("segment-recorded"), "\(told)\(listen.text(of: .errors))")
            try expectSamples(sound, in: try WaveFile.samples(of: path))

            let other = try one.start([rig.commandLine] + arguments + [folder.path])
            #expect(try await other.exitStatus() != .exited(0))
            #expect(other.text(of: .errors).contains("cannot make files"), "\(other.text(of: .errors))")
            let again = try one.start([rig.commandLine] + arguments + [path])
            #expect(try await again.exitStatus() == .exited(74))
        }
    }

    // MARK: Sound and files

    /// Samples of which no two neighbours repeat soon, and none is zero.
    private static func sound(_ count: Int, from first: Int = 1) -> [Int16] {
        (0..<count).map { Int16(1 + (first + $0 &* 7919) % 4999) }
    }

    /// They are in the recording, one after the other.
    private func expectSamples(_ wanted: [Int16], in recording: [Int16]) throws {
        let head = Array(wanted.prefix(16))
        let start = recording.indices.first { index in
            recording[index] == head[0] && recording[index...].starts(with: head)
        }
        let position = try #require(start, "its beginning is not in the recording of \(recording.count)")
        let found = Array(recording[position...].prefix(wanted.count))
        // Not as one expression: a failure would print all samples.
        let isSame = found == wanted
        #expect(isSame, "\(found.count) of \(wanted.count), from \(position)")
    }

    private static func create(_ path: String) throws -> Value {
        let opened = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw TestFailure(path) }
        return .descriptor(Descriptor(owning: opened))
    }

    private static func stretch(_ details: [BusText: Value]) -> (start: Double, duration: Double)? {
        guard case .structure(let fields)? = details[FinalKey.recorded], fields.count == 2,
            let start = Double(fields[0]), let duration = Double(fields[1])
        else { return nil }
        return (start, duration)
    }

    /// The frames of the folder's only file, by a reader that trusts the header.
    private static func framesByPython(in folder: TemporaryDirectory) async throws -> Int {
        let program = """
            import os, sys, wave
            [name] = os.listdir(sys.argv[1])
            file = wave.open(os.path.join(sys.argv[1], name))
            assert file.getparams()[:3] == (1, 2, 16000)
            assert len(file.readframes(file.getnframes())) == 2 * file.getnframes()
            print(file.getnframes())
            """
        let result = try await ChildProcess.run(["/usr/bin/python3", "-c", program, folder.path])
        let text = result.output.trimmingCharacters(in: .whitespacesAndNewlines)
        guard result.status == .exited(0), let frames = Int(text) else { throw TestFailure(result.errors) }
        return frames
    }

    /// The daemon's threads that write recordings.
    private static func writers(of rig: Rig) throws -> Int {
        let folder = "/proc/\(rig.daemon.pid)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { thread in
            (try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)) == "recording\n"
        }
    }
}

/// A signal SegmentRecorded.
private struct Recorded {
    var name: String
    var start: Double
    var details: [BusText: Value]

    var frames: Int { details[RecordingKey.frames].flatMap { UInt64($0) }.map { Int($0) } ?? -1 }
    var block: UInt64? { details[RecordingKey.block].flatMap { UInt64($0) } }
}

extension TestClient {
    fileprivate var segments: [Recorded] {
        signals.compactMap { signal in
            guard case .segmentRecorded(_, let name, let start, _, let details) = signal else { return nil }
            return Recorded(name: name, start: start, details: details)
        }
    }

    /// All of them, after Stop.
    fileprivate func recordedSegments() async throws -> [Recorded] {
        try await signal("Stopped") { if case .stopped = $0 { true } else { nil } }
        return segments
    }

    fileprivate func refusal(_ options: [BusText: Value]) async -> DBusError? {
        do {
            _ = try await dictation.start(options: options)
            return nil
        } catch {
            return error as? DBusError
        }
    }
}

extension TemporaryDirectory {
    fileprivate var descriptor: Value {
        get throws {
            let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard opened >= 0 else { throw TestFailure(path) }
            return .descriptor(Descriptor(owning: opened))
        }
    }
}
