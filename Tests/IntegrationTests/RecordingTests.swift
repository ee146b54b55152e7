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
            let first = recordedSound(Self.seconds * 16_000)
            let end = microphone.played + first.count + 8000
            microphone.play(first + Speech.silence(0.5))
            try await eventually("all has been said", within: .seconds(30 + Self.seconds)) {
                microphone.played >= end
            }
            let final = try await client.dictation.commit()
            let second = recordedSound(20_000)
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
            let stretches = try [final, other].map { try #require(recordedStretch($0.details)) }
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
            let before = recordedSound(16_000)
            try await rig.say(before + Speech.silence(0.1), into: microphone)
            try await client.dictation.pause()
            client.beginStep()
            try await client.dictation.resume()
            try await client.state("listening")
            try await rig.say(Speech.silence(0.5), into: microphone)
            let kept = try await client.dictation.commit()
            try await rig.say(recordedSound(16_000, from: 5000), into: microphone)
            #expect(try await client.dictation.cancel() == 2)
            // The file is cut while the session goes on.
            let frames = try #require(recordedStretch(kept.details)).duration * 16_000
            try await rig.say(Speech.tones(500), into: microphone)
            let last = try await client.dictation.commit()
            #expect(last.text == "t500")
            let stretch = try #require(recordedStretch(last.details))
            #expect(stretch.start * 16_000 == frames)
            try await client.dictation.stop()

            let segments = try await client.recordedSegments()
            let samples = try WaveFile.samples(of: path)
            #expect(segments.map(\.frames) == [samples.count])
            #expect(segments[0].name.isEmpty)
            // Sound goes on between the last Commit and Stop.
            #expect(samples.count >= Int((frames + stretch.duration * 16_000).rounded()))
            try expectSamples(before, in: samples)
            #expect(!samples.dropFirst(Int(frames)).contains(recordedSound(16_000, from: 5000)[10]))
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
            try await eventually("two files are finished") { client.segments.count >= 3 }
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
                (["record": record, "quality": .string("best")], .invalidArgs),
                (["record": record, "segment-seconds": .uint32(4)], .invalidArgs),
                (["record": record, "segment-seconds": .uint32(3601)], .invalidArgs),
                (["record": record, "segment-seconds": .uint32(.max)], .invalidArgs),
                (["record": record, "segment-seconds": .double(.nan)], .invalidArgs),
                (["record": record, "segment-seconds": .int64(-5)], .invalidArgs),
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
            try await client.waitForFailedWrite()
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

    @Test func cancelRemovesWhatItsBlockRecordedBeforeTheDiskWasFull() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let disk = try await SmallDisk(kilobytes: 256)
            let client = try await TestClient.listening(
                on: rig, ["record": .descriptor(disk.folder), "segment-seconds": .uint32(5)])
            try await rig.say(Speech.tones(500), into: microphone)
            _ = try await client.dictation.commit()
            try await rig.say(Speech.silence(12), into: microphone)
            try await client.waitForFailedWrite()
            #expect(try disk.names.count > 1)
            _ = try await client.dictation.cancel()
            try await client.dictation.stop()
            #expect(try disk.names == [client.segments[0].name])
        }
    }

    @Test func aKilledDaemonLeavesFilesThatOpenAndLosesASecondAtMost() async throws {
        try await withRig(tones, endsByItself: true) { rig in
            let microphone = try await rig.plugIn(pace: .realTime)
            var random = SystemRandomNumberGenerator()
            var lost: [Int] = []
            for _ in 0..<Self.kills {
                let folder = try TemporaryDirectory()
                let client = try await TestClient.listening(on: rig, ["record": try folder.descriptor])
                let began = microphone.emitted
                let moment = Int.random(in: 0..<40_000, using: &random)
                // The next block has another file.
                let commit = Int.random(in: 0..<80_000, using: &random)
                if commit < moment {
                    try await eventually("the end of the block has come") {
                        microphone.emitted - began >= commit
                    }
                    _ = try await client.dictation.commit()
                }
                try await eventually("the moment has come") { microphone.emitted - began >= moment }
                let heard = microphone.emitted - began
                rig.daemon.kill()
                _ = try await rig.daemon.exitStatus()
                await client.vanish()
                let frames = try await Self.framesByReaders(in: folder)
                lost.append(heard - frames)
                #expect(heard - frames <= 16_000, "\(heard) were heard, \(frames) are there")
                try await rig.replaceDaemon()
                try await eventually("the microphone is a route") {
                    try await rig.gdbus("ListRoutes").contains("'default': <true>")
                }
            }
            lost.sort()
            let median = lost[lost.count / 2]
            print("lost by \(lost.count) kills, in frames: median \(median), most \(lost.last ?? 0)")
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
            let sound = recordedSound(8000)
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
            let sound = recordedSound(16_000)
            try await one.say(sound + Speech.silence(0.5))
            listen.terminate()
            #expect(try await listen.exitStatus() == .exited(0))
            let told = listen.text(of: .output)
            #expect(told.contains("segment-recorded"), "\(told)\(listen.text(of: .errors))")
            try expectSamples(sound, in: try WaveFile.samples(of: path))

            let again = try one.start([rig.commandLine] + arguments + [path])
            #expect(try await again.exitStatus() == .exited(74))
        }
    }

    /// The service of the machine may not make files in a user's folder. The user's agent makes them.
    @Test func theAgentMakesTheFilesInAUsersFolder() async throws {
        try await withUsers { rig, one, _ in
            let folder = try TemporaryDirectory()
            try one.user.own(folder)
            func names() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            }
            let listen = [rig.commandLine, "listen", "--address", rig.bus.address]
            let record = ["--record", folder.path]
            let terminal = try PseudoTerminal(
                ["/usr/bin/env"] + one.user.command(listen + record), environment: one.audio.environment,
                columns: 90)
            try await terminal.shows("● Listening")
            let sound = recordedSound(6 * 16_000)
            try await one.say(sound)
            terminal.press("\n")
            try await eventually("the next block has a file") { try names().count == 2 }
            let cancelled = try names()[1]
            terminal.press("\u{1b}")
            try await eventually("it is gone") { try !names().contains(cancelled) }
            terminal.press("q")
            #expect(try await terminal.exitCode() == 0)

            let files = try names()
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(of: files[0]))
            #expect(attributes[.ownerAccountID] as? UInt32 == one.user.uid)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            try expectSamples(
                sound, in: try WaveFile.samples(of: folder.path(of: files[0])))

            // Where the user may not write, the agent may not either.
            chmod(folder.path, 0o500)
            let refused = try one.start(listen + record)
            #expect(try await refused.exitStatus() == .exited(74))
            let error = refused.text(of: .errors)
            #expect(error.contains("Permission denied"), "\(error)")
            #expect(try names() == files)
        }
    }

    // MARK: Sound and files

    private static func create(_ path: String) throws -> Value {
        let opened = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw TestFailure(path) }
        return .descriptor(Descriptor(owning: opened))
    }

    /// The frames of the folder's files, by readers that trust the header.
    private static func framesByReaders(in folder: TemporaryDirectory) async throws -> Int {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        if names.isEmpty { return 0 }
        let program = """
            import sys, wave
            count = 0
            for name in sys.argv[1:]:
                file = wave.open(name)
                assert file.getparams()[:3] == (1, 2, 16000)
                assert len(file.readframes(file.getnframes())) == 2 * file.getnframes()
                count += file.getnframes()
            print(count)
            """
        let paths = names.map { folder.path(of: $0) }
        let result = try await ChildProcess.run(["/usr/bin/python3", "-c", program] + paths)
        let text = result.output.trimmingCharacters(in: .whitespacesAndNewlines)
        guard result.status == .exited(0), let frames = Int(text) else { throw TestFailure(result.errors) }
        var counted = 0
        for path in paths {
            let opened = try await ChildProcess.run(["soxi", "-s", path])
            #expect(opened.errors.isEmpty, "\(opened.errors)")
            counted += Int(opened.output.trimmingCharacters(in: .newlines)) ?? -1
        }
        #expect(counted == frames)
        return frames
    }

    /// The daemon's threads that write recordings.
    private static func writers(of rig: Rig) throws -> Int {
        let folder = "/proc/\(try rig.workerPid())/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { thread in
            (try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)) == "recording\n"
        }
    }
}
