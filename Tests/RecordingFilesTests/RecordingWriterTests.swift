import DictationCore
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

@testable import RecordingFiles

/// Files of recordings, on real file systems.
@Suite struct RecordingWriterTests {
    private static func samples(_ count: Int, from first: Int = 0) -> [Int16] {
        (first..<first + count).map { Int16(truncatingIfNeeded: $0 &* 31 &+ 7) }
    }

    private static func segment(_ number: Int, start: Int = 0, frames: Int = 0) -> RecordedSegment {
        var segment = RecordedSegment(number: number, block: 1, start: start)
        segment.frames = frames
        return segment
    }

    @Test func aFolderGetsAFileForEachSegment() async throws {
        let folder = try TemporaryDirectory()
        let writer = try Written(folder.path, O_PATH)
        for number in 1...3 {
            writer.perform(
                .open(Self.segment(number)), .write(Self.samples(5000, from: number)),
                .write(Self.samples(77)), .close(Self.segment(number, frames: 5077)))
        }
        let events = try await writer.finish()
        let names = events.compactMap { if case .closed(let segment) = $0 { segment.name } else { nil } }
        #expect(names.count == 3)
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == Set(names))
        for (index, name) in names.enumerated() {
            let found = try WaveFile.samples(of: folder.path(of: name))
            #expect(found == Self.samples(5000, from: index + 1) + Self.samples(77))
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(of: name))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func aFileIsReadableBeforeItIsFinished() async throws {
        let folder = try TemporaryDirectory()
        let writer = try Written(folder.path, O_RDONLY | O_DIRECTORY)
        writer.perform(.open(Self.segment(1)), .write(Self.samples(16_000)))
        // The header follows within a second.
        try await eventually("the header announces the sound") {
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            guard let file = files.first else { return false }
            // It has no header for a moment.
            return (try? WaveFile.samples(of: folder.path(of: file))) == Self.samples(16_000)
        }
        _ = try await writer.finish()
    }

    @Test func cancellingRemovesFilesAndLeavesOthers() async throws {
        let folder = try TemporaryDirectory()
        let writer = try Written(folder.path, O_PATH)
        writer.perform(.open(Self.segment(1)), .write(Self.samples(10)), .close(Self.segment(1)), .settle)
        writer.perform(.open(Self.segment(2)), .write(Self.samples(10)), .close(Self.segment(2)))
        writer.perform(.open(Self.segment(3)), .write(Self.samples(10)))
        writer.perform(.remove(number: 2), .remove(number: 3), .remove(number: 1))
        let events = try await writer.finish()
        #expect(!events.contains { if case .failed = $0 { true } else { false } })
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.count == 1 && left[0].hasSuffix("-0001.wav"), "\(left)")
    }

    @Test func aReplacedFileIsNotRemoved() async throws {
        let folder = try TemporaryDirectory()
        let writer = try Written(folder.path, O_PATH)
        writer.perform(.open(Self.segment(1)), .write(Self.samples(10)), .close(Self.segment(1)))
        let name = try await writer.nextClosed()
        // The number of the removed file is often given to the next one.
        try FileManager.default.removeItem(atPath: folder.path(of: name))
        try folder.write("a letter", to: name)
        writer.perform(.remove(number: 1))
        _ = try await writer.finish()
        #expect(try String(contentsOfFile: folder.path(of: name), encoding: .utf8) == "a letter")
    }

    @Test func neverOpensWhatIsThere() throws {
        let folder = try TemporaryDirectory()
        let other = try TemporaryDirectory()
        let target = try RecordingFolder(Written.open(folder.path, O_PATH), prefix: "r")
        try folder.write("kept", to: "r-0001.wav")
        symlink(other.path(of: "elsewhere.wav"), folder.path(of: "r-0001-2.wav"))
        mkfifo(folder.path(of: "r-0001-3.wav"), 0o600)
        mkdir(folder.path(of: "r-0001-4.wav"), 0o700)
        #expect(try target.create(1, rate: 16_000).name == "r-0001-5.wav")
        #expect(try String(contentsOfFile: folder.path(of: "r-0001.wav"), encoding: .utf8) == "kept")
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path).isEmpty)
        for attempt in 6...9 { try folder.write("", to: "r-0001-\(attempt).wav") }
        #expect(throws: RecordingError.self) { _ = try target.create(1, rate: 16_000) }
    }

    /// The folder's descriptor counts, not its path.
    @Test func aFolderThatIsReplacedByALinkChangesNothing() async throws {
        let place = try TemporaryDirectory()
        let other = try TemporaryDirectory()
        mkdir(place.path(of: "folder"), 0o700)
        let writer = try Written(place.path(of: "folder"), O_PATH)
        writer.perform(.open(Self.segment(1)), .write(Self.samples(10)), .close(Self.segment(1)))
        _ = try await writer.nextClosed()
        rename(place.path(of: "folder"), place.path(of: "moved"))
        symlink(other.path, place.path(of: "folder"))
        writer.perform(.open(Self.segment(2)), .write(Self.samples(10)), .close(Self.segment(2)))
        _ = try await writer.finish()
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path(of: "moved")).count == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path).isEmpty)
    }

    @Test func aSingleFileHasEverythingAndIsCut() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "all.wav")
        let writer = try Written(path, O_WRONLY | O_CREAT | O_EXCL)
        writer.perform(.begin, .open(Self.segment(1)), .write(Self.samples(3000)), .truncate(frames: 1000))
        writer.perform(.write(Self.samples(500, from: 9)), .close(Self.segment(1, frames: 1500)))
        _ = try await writer.finish()
        #expect(try WaveFile.samples(of: path) == Self.samples(1000) + Self.samples(500, from: 9))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int == 44 + 3000)
    }

    @Test(arguments: [("", O_RDONLY), ("", O_WRONLY | O_APPEND), ("", O_PATH), ("sound", O_WRONLY)])
    func refusesFilesThatItCannotWrite(content: String, flags: Int32) async throws {
        let folder = try TemporaryDirectory()
        try folder.write(content, to: "file")
        let writer = try Written(folder.path(of: "file"), flags)
        #expect(try await writer.refusal().kind == .unsuitable)
    }

    @Test func refusesPipesDevicesAndFoldersWhereOnlyFilesAreTaken() async throws {
        let folder = try TemporaryDirectory()
        let pipe = try Descriptor.pipe()
        #expect(try await Written(pipe.writing).refusal().kind == .unsuitable)
        for device in ["/dev/full", "/dev/null", "/dev/fuse"] {
            #expect(try await Written(device, O_WRONLY).refusal().kind == .unsuitable)
        }
        let only = try Written(Written.open(folder.path, O_PATH), takesFolder: false)
        #expect(try await only.refusal().kind == .folder)
    }

    /// 64 KiB are 2 s of sound.
    @Test func aFullDiskKeepsWhatFits() async throws {
        let disk = try await SmallDisk(kilobytes: 64)
        let writer = try Written(disk.folder, takesFolder: true)
        writer.perform(.open(Self.segment(1)))
        for part in 0..<10 { writer.perform(.write(Self.samples(16_000, from: part))) }
        let events = try await writer.finish()
        let failures = events.compactMap { event -> RecordedSegment? in
            if case .failed(let error, let segment) = event {
                #expect(error.kind == .write)
                return segment
            }
            return nil
        }
        #expect(failures.count == 1)
        let part = try #require(failures.first)
        #expect(part.frames > 16_000 && part.frames < 33_000, "\(part)")
        let bytes = try disk.contents(of: part.name)
        #expect(Array(bytes.prefix(44)) == GrowingWaveFile.header(frames: part.frames, rate: 16_000))
        #expect(bytes.count >= 44 + 2 * part.frames)
    }

    /// The folder has 64 KiB: 2 s of sound.
    @Test func cancelRemovesFilesAfterTheDiskWasFull() async throws {
        let disk = try await SmallDisk(kilobytes: 64)
        let writer = try Written(disk.folder, takesFolder: true)
        writer.perform(.open(Self.segment(1)), .write(Self.samples(1000)), .close(Self.segment(1)), .settle)
        writer.perform(.open(Self.segment(2)), .write(Self.samples(8000)), .close(Self.segment(2)))
        writer.perform(.open(Self.segment(3)), .write(Self.samples(60_000)), .close(Self.segment(3)))
        writer.perform(.open(Self.segment(4)), .write(Self.samples(10)))
        writer.perform(.remove(number: 2), .remove(number: 3), .remove(number: 4))
        let events = try await writer.finish()
        #expect(events.count { if case .failed = $0 { true } else { false } } == 1)
        let left = try disk.names
        #expect(left.count == 1 && left[0].hasSuffix("-0001.wav"), "\(left)")
    }

    @Test func cancelCutsASingleFileAfterTheDiskWasFull() async throws {
        let disk = try await SmallDisk(kilobytes: 64)
        let opened = openat(disk.folder.rawValue, "all.wav", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(opened >= 0)
        let writer = try Written(Descriptor(owning: opened))
        writer.perform(.begin, .open(Self.segment(1)), .write(Self.samples(1000)))
        writer.perform(.write(Self.samples(60_000, from: 1000)), .write(Self.samples(10)))
        writer.perform(.truncate(frames: 1000), .write(Self.samples(10)), .close(Self.segment(1)))
        let events = try await writer.finish()
        #expect(events.count { if case .failed = $0 { true } else { false } } == 1)
        #expect(events.contains(.closed(Self.segment(1, frames: 1000))))
        let bytes = try disk.contents(of: "all.wav")
        #expect(bytes.count == 44 + 2000)
        #expect(Array(bytes.prefix(44)) == GrowingWaveFile.header(frames: 1000, rate: 16_000))
    }

    /// No room for a header.
    @Test func aFileWithoutAHeaderIsNotLeft() async throws {
        let disk = try await SmallDisk(kilobytes: 64)
        let full = openat(disk.folder.rawValue, "full", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(full >= 0)
        let filler = Descriptor(owning: full)
        let zeros = [UInt8](repeating: 0, count: 4096)
        while write(filler.rawValue, zeros, zeros.count) > 0 {}
        let writer = try Written(disk.folder, takesFolder: true)
        writer.perform(.open(Self.segment(1)), .write(Self.samples(10)))
        let events = try await writer.finish()
        let hasFailed = events.contains { if case .failed(_, Self.segment(1)) = $0 { true } else { false } }
        #expect(hasFailed, "\(events)")
        #expect(try disk.names == ["full"])
    }

    @Test func aDiskThatIsTooSlowEndsTheRecording() async throws {
        let folder = try TemporaryDirectory()
        let writer = try Written(Written.open(folder.path, O_PATH), takesFolder: true, queueLimit: 10_000)
        writer.perform(.open(Self.segment(1)), .write(Self.samples(5001)))
        let events = try await writer.finish()
        let failures = events.compactMap { if case .failed(let error, _) = $0 { error.kind } else { nil } }
        #expect(failures == [.write])
    }

    @Test func theHeaderIsThatOfPCM() {
        let header = GrowingWaveFile.header(frames: 0x01020304 / 2, rate: 16_000)
        #expect(header.count == 44)
        #expect(header[40...] == [0x04, 0x03, 0x02, 0x01])
        #expect(header[4..<8] == [0x28, 0x03, 0x02, 0x01])
    }
}
