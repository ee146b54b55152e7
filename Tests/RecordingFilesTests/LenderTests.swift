import DictationCore
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

@testable import RecordingFiles

/// Files that another process makes for the writer.
@Suite struct LenderTests {
    /// Makes the files itself, or gives something else.
    private struct Lender: RecordingLender {
        var name: String?
        var file: Descriptor?

        func check(_ folder: Descriptor) throws(RecordingError) {
            try RecordingFolder(folder, prefix: "").check()
        }

        func create(
            in folder: Descriptor, prefix: String, number: Int
        ) throws(RecordingError) -> (name: String, file: Descriptor) {
            let made = try RecordingFolder(folder, prefix: prefix).create(number)
            return (name ?? made.name, file ?? made.file)
        }

        func remove(_ file: RecordingFile, in folder: Descriptor) throws(RecordingError) {
            try RecordingFolder(folder, prefix: "").remove(file)
        }
    }

    @Test func lentFilesAreWrittenAndRemoved() async throws {
        let folder = try TemporaryDirectory()
        let writer = try Written(Written.open(folder.path, O_PATH), lender: Lender())
        for number in 1...2 {
            writer.perform(.open(.init(number: number, block: 1, start: 0)), .write([1, 2, 3]))
            writer.perform(.close(.init(number: number, block: 1, start: 0)))
        }
        writer.perform(.remove(number: 1))
        _ = try await writer.finish()
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.count == 1 && left[0].hasSuffix("-0002.wav"), "\(left)")
        #expect(try WaveFile.samples(of: folder.path(of: left[0])) == [1, 2, 3])
    }

    @Test(arguments: ["pipe", "file that is not new", "name"])
    func refusesAnythingButANewFile(gift: String) async throws {
        let folder = try TemporaryDirectory()
        try folder.write("a letter", to: "letter")
        var lender = Lender()
        switch gift {
        case "pipe": lender.file = try Descriptor.pipe().writing
        case "name": lender.name = "../dictation-1.wav"
        default: lender.file = try Written.open(folder.path(of: "letter"), O_WRONLY)
        }
        let writer = try Written(Written.open(folder.path, O_PATH), lender: lender)
        writer.perform(.open(.init(number: 1, block: 1, start: 0)), .write([1, 2, 3]))
        let events = try await writer.finish()
        #expect(events.contains { if case .failed = $0 { true } else { false } })
        #expect(try String(contentsOfFile: folder.path(of: "letter"), encoding: .utf8) == "a letter")
    }

    @Test func namesAreThoseOfRecordings() {
        for name in ["dictation-20260131-235959-0001.wav", "dictation-20260131-235959-0001-9.wav"] {
            #expect(RecordingName.isName(name))
        }
        let others = [
            "", ".wav", "dictation-.wav", "dictation-1", "dictation-1.mp3", "dictation-../1.wav",
            "dictation-1/2.wav", ".dictation-1.wav", "dictation-x.wav", "dictation-1\0.wav",
            "dictation-" + String(repeating: "1", count: 60) + ".wav",
        ]
        for name in others { #expect(!RecordingName.isName(name), "\(name)") }
        #expect(RecordingName.isPrefix("dictation-20260131-235959"))
        for prefix in ["dictation-", "x-1", "dictation-1/"] { #expect(!RecordingName.isPrefix(prefix)) }
    }
}
