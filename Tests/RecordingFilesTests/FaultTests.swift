import DictationCore
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

@testable import RecordingFiles

/// File systems that fail, stop or do not answer while a recording is written.
@Suite struct FaultTests {
    private static let samples = [Int16](repeating: 77, count: 1000)

    private static func segment(_ number: Int) -> RecordedSegment {
        RecordedSegment(number: number, block: 1, start: 0)
    }

    /// A kill at any moment leaves a file that opens.
    @Test(arguments: [false, true])
    func aNewFileHasAHeaderFromTheBeginning(isFUSE: Bool) async throws {
        let folder = try TemporaryDirectory()
        let fuse = isFUSE ? try await FaultyFileSystem() : nil
        let path = fuse?.path ?? folder.path
        let place = try RecordingFolder(Written.open(path, O_PATH), prefix: "dictation-1")
        let name = try place.create(1, rate: 16_000).name
        #expect(try WaveFile.samples(of: "\(path)/\(name)") == [])
        #expect(try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.size] as? Int == 44)
    }

    @Test func cancelRemovesAFileWhoseStateCouldNotBeReadWhenTheQuotaWasReached() async throws {
        let disk = try await FaultyFileSystem()
        let writer = try Written(disk.path, O_PATH)
        writer.perform(.open(Self.segment(1)), .write(Self.samples))
        try await eventually("the file has its sound") {
            let names = try await disk.names()
            guard let name = names.first else { return false }
            // It has no header for a moment.
            return (try? WaveFile.samples(of: "\(disk.path)/\(name)")) == Self.samples
        }
        try await disk.fail(.write, EDQUOT)
        try await disk.fail(.getAttributes, EIO)
        writer.perform(.write(Self.samples))
        try await eventually("the recording has failed") { !writer.failures.isEmpty }
        #expect(writer.failures.map(\.message) == ["The recording cannot be written: Disk quota exceeded."])
        try await disk.fail(.getAttributes, 0)
        writer.perform(.remove(number: 1))
        let events = try await writer.finish()
        #expect(!events.contains { if case .notRemoved = $0 { true } else { false } }, "\(events)")
        #expect(try await disk.names() == [])
    }

    /// Clients commit and cancel as often as they like while the disk does not answer.
    @Test func commandsForAHungDiskAreBounded() async throws {
        let disk = try await FaultyFileSystem()
        let writer = try Written(Written.open(disk.path, O_PATH), queueLimit: 100_000)
        try await eventually("the folder is accepted") { writer.isAccepted }
        try await disk.fail(.create, EIO)
        try disk.stop()
        writer.perform(.open(Self.segment(1)))
        try await eventually("the thread waits") { writer.waiting == 0 }
        for number in 1...20_000 {
            writer.perform(.write([1]), .close(Self.segment(number)), .settle, .remove(number: number))
            writer.perform(.settle, .settle, .open(Self.segment(number + 1)))
        }
        #expect(writer.waiting < 20_000, "\(writer.waiting)")
        disk.resume()
        _ = try await writer.finish()
        #expect(writer.failures.count == 1)
    }

    @Test func aFileThatAnotherProgramCutsStaysReadable() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "all.wav")
        let writer = try Written(path, O_WRONLY | O_CREAT | O_EXCL)
        writer.perform(.begin, .open(Self.segment(1)), .write(Self.samples))
        try await eventually("the sound is there") { try Data(contentsOf: URL(filePath: path)).count == 2044 }
        truncate(path, 0)
        writer.perform(.write(Self.samples), .close(Self.segment(1)))
        _ = try await writer.finish()
        let silence = [Int16](repeating: 0, count: 1000)
        #expect(try WaveFile.samples(of: path) == silence + Self.samples)
    }
}
