import DictationCore
import DictationTestKit
import Foundation
import Glibc
import HistoryFiles
import Testing

/// A history in a folder of the user's.
@Suite struct HistoryFolderTests {
    private static let settings = History.Settings(lifetime: .seconds(86_400), keepsSound: true)

    private static func history(_ texts: String...) -> History {
        var history = History(settings: settings)
        for (index, text) in texts.enumerated() {
            history.keep(
                KeptText(
                    session: SessionID(rawValue: 1), block: UInt64(index + 1),
                    identity: Identity(uid: getuid(), kind: .executable, id: "/bin/x"), language: "en-US",
                    engine: "fake", text: text), frames: 4, at: 1000)
        }
        return history
    }

    private static func names(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    @Test func whatWasWrittenIsReadAndOnlyTheUserMayReadIt() throws {
        let parent = try TemporaryDirectory()
        let folder = HistoryFolder(parent.path(of: "history"), uid: getuid())
        #expect(try folder.read().history.entries.isEmpty)
        #expect(Self.names(parent.path).isEmpty)
        var history = Self.history("one", "two")
        try folder.write(history, sounds: [1: [1, 2, 3, 4], 2: [5, 6, 7, 8]])
        let read = try folder.read()
        #expect(read.history.entries.map(\.text) == ["one", "two"])
        #expect(!read.isDamaged)
        #expect(Self.names(folder.path) == ["1.wav", "2.wav", "texts"])
        for name in ["texts", "1.wav"] {
            var status = stat()
            #expect(stat(folder.path + "/" + name, &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
        let sound = try Data(contentsOf: URL(filePath: folder.sound(of: 2)))
        #expect(sound.count == 44 + 8 && sound.prefix(4) == Data("RIFF".utf8))
        #expect(sound.suffix(2) == Data([8, 0]))

        // What is forgotten is gone, with its sound.
        #expect(history.forget([1]) == 1)
        try folder.write(history, sounds: [:])
        #expect(Self.names(folder.path) == ["2.wav", "texts"])
        #expect(try folder.read().history.entries.map(\.text) == ["two"])
        let bytes = try Data(contentsOf: URL(filePath: folder.path + "/texts"))
        #expect(bytes.range(of: Data("one".utf8)) == nil)
    }

    @Test func turnedOffNothingIsLeft() throws {
        let parent = try TemporaryDirectory()
        let folder = HistoryFolder(parent.path(of: "history"), uid: getuid())
        try folder.write(Self.history("one"), sounds: [1: [1]])
        let found = try folder.read()
        var off = found.history
        off.use(History.Settings(), at: 1001)
        #expect(!found.isUpToDate(with: off))
        #expect(try folder.write(off, sounds: [:]).isUpToDate(with: off))
        #expect(Self.names(parent.path).isEmpty)
        try folder.erase()
    }

    @Test func soundThatIsMissingAndFilesOfNoTextAreFound() throws {
        let parent = try TemporaryDirectory()
        let folder = HistoryFolder(parent.path(of: "history"), uid: getuid())
        let history = Self.history("one")
        try folder.write(history, sounds: [:])
        let read = try folder.read()
        #expect(read.history.entries.map(\.frames) == [0])
        var own = read.history
        own.use(Self.settings, at: 1001)
        #expect(read.isUpToDate(with: own))
        try parent.write("sound", to: "history/1.wav")
        var silent = history
        silent.loseSound(of: 1)
        #expect(try folder.read().history.entries.map(\.frames) == [4])
        try folder.write(silent, sounds: [:])
        try parent.write("sound", to: "history/1.wav")
        #expect(try !folder.read().isUpToDate(with: silent))
    }

    @Test func aFileThatIsNoHistoryIsNotRead() throws {
        let parent = try TemporaryDirectory()
        let folder = HistoryFolder(parent.path(of: "history"), uid: getuid())
        try parent.write("no history", to: "history/texts")
        #expect(try folder.read().isDamaged)
        unlink(folder.path + "/texts")
        #expect(mkfifo(folder.path + "/texts", 0o600) == 0)
        #expect(throws: HistoryFilesError.self) { try folder.read() }
        unlink(folder.path + "/texts")
        #expect(symlink("/etc/passwd", folder.path + "/texts") == 0)
        #expect(throws: HistoryFilesError.self) { try folder.read() }
    }
}
