import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

/// A client passes a file of a file system that does not answer.
@Suite struct BlockedInputTests {
    private static let speech = "/usr/share/pocketsphinx/test/data/numbers.raw"

    private func open(_ files: StoppableFileSystem) -> Descriptor {
        Descriptor(owning: Glibc.open(files.path, O_RDONLY | O_CLOEXEC))
    }

    /// The daemon's threads for files.
    private func readers(_ rig: Rig) throws -> Int {
        let folder = "/proc/\(try rig.workerPid())/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { thread in
            (try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)) == "audio-input\n"
        }
    }

    @Test func onlyTheClientOfABlockedFileWaits() async throws {
        try await withRig(tones) { rig in
            let desk = try await Desk(rig)
            let files = try await StoppableFileSystem(serving: Self.speech)
            let file = open(files)
            let client = try await TestClient(on: rig)
            try files.stop()
            let start = Task { try await client.dictation.start(options: ["input": .descriptor(file)]) }
            try await eventually("the file is being examined") { try readers(rig) == 1 }
            let report = Task { try await client.dictation.getSession() }

            var times: [Duration] = []
            for _ in 0..<20 {
                let before = ContinuousClock.now
                #expect(try await desk.client.dictation.getSession()["state"] == .string("listening"))
                times.append(ContinuousClock.now - before)
            }
            times.sort()
            #expect(times[times.count / 2] < .milliseconds(50), "\(times)")
            print("answered beside a blocked file: median \(times[10]), longest \(times[19])")

            try await desk.logind.lock("c1")
            try await desk.client.story("Interrupted session-locked")
            #expect(try await !rig.isCapturing())

            files.resume()
            let session = try await start.value
            // The connection's later call took effect after its Start.
            #expect(try await report.value["session"] == .uint64(session))
            try await client.story("Stopped end-of-input")
            try await eventually("the thread has ended") { try readers(rig) == 0 }
        }
    }

    @Test func aFileSystemThatNeverAnswersEndsTheCall() async throws {
        try await withRig(tones) { rig in
            let files = try await StoppableFileSystem(serving: Self.speech)
            let file = open(files)
            let client = try await TestClient(on: rig)
            try files.stop()
            let error = await #expect(throws: DBusError.self) {
                _ = try await client.dictation.start(options: ["input": .descriptor(file)])
            }
            #expect(error?.name == DictationInterface.errorName(.timeout))
            #expect(try await client.dictation.getSession()["state"] == .string("idle"))
            files.resume()
            try await eventually("the thread has ended") { try readers(rig) == 0 }
        }
    }

    @Test func checksPermissionBeforeTheFile() async throws {
        try await withRig(tones, allowsEveryone: false) { rig in
            let files = try await StoppableFileSystem(serving: Self.speech)
            let file = open(files)
            let client = try await TestClient(on: rig)
            try files.stop()
            let error = await #expect(throws: DBusError.self) {
                _ = try await client.dictation.start(options: ["input": .descriptor(file)])
            }
            #expect(error?.name == DictationInterface.errorName(.permissionRequired))
            #expect(try readers(rig) == 0)
            files.resume()
        }
    }
}
