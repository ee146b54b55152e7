import DictationCore
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import HistoryFiles
import Logging
import Testing

@testable import DictationWorker

/// A worker's history and its folder.
@EventLoopActor
@Suite struct HistoryKeeperTests {
    private static let week = History.Settings(lifetime: .seconds(7 * 86_400), keepsSound: true)
    private static let program = Identity(uid: getuid(), kind: .executable, id: "/bin/x")

    private let home: TemporaryDirectory
    private let folder: HistoryFolder

    init() throws {
        home = try TemporaryDirectory()
        folder = HistoryFolder(home.path(of: "history"), uid: getuid())
    }

    private static func text(_ text: String, block: UInt64) -> KeptText {
        KeptText(
            session: SessionID(rawValue: 1), block: block, identity: program, language: "en-US",
            engine: "fake", text: text)
    }

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    private func keeper(_ settings: History.Settings? = nil) async -> HistoryKeeper {
        let keeper = HistoryKeeper(in: folder, logger: Logger(label: "test"))
        if let settings { keeper.use(settings) }
        await keeper.settle()
        return keeper
    }

    /// As an earlier worker left it.
    private func leave(_ texts: [String], at time: Int64 = Int64(Glibc.time(nil))) throws {
        var history = History(settings: Self.week)
        var sounds: [HistoryEntry.ID: [Int16]] = [:]
        for (index, text) in texts.enumerated() {
            let id = history.keep(Self.text(text, block: UInt64(index)), frames: 4, at: time)
            sounds[try #require(id)] = [1, 2, 3, 4]
        }
        try folder.write(history, sounds: sounds)
    }

    @Test func aHistoryThatWasTurnedOffMeanwhileIsErased() async throws {
        try leave(["one"])
        let keeper = await keeper(History.Settings())
        #expect(files.isEmpty)
        await keeper.end()
    }

    @Test func textsThatBecameTooOldMeanwhileAreErased() async throws {
        try leave(["one"], at: 1000)
        let keeper = await keeper(Self.week)
        #expect(files == ["texts"])
        let bytes = try Data(contentsOf: URL(filePath: folder.path + "/texts"))
        #expect(bytes.range(of: Data("one".utf8)) == nil)
        await keeper.end()
    }

    @Test func soundThatIsNotWantedAnyMoreIsErased() async throws {
        try leave(["one"])
        let keeper = await keeper(History.Settings(lifetime: Self.week.lifetime))
        #expect(files == ["texts"])
        #expect(keeper.last(5, before: nil).map(\.text) == ["one"])
        await keeper.end()
    }

    @Test func soundWithoutATextIsErased() async throws {
        try leave(["one"])
        try home.write("sound", to: "history/7.wav")
        let keeper = await keeper(Self.week)
        #expect(files == ["1.wav", "texts"])
        await keeper.end()
    }

    @Test func nothingIsErasedUntilTheSettingsAreKnown() async throws {
        try leave(["one"])
        let keeper = await keeper()
        keeper.keep(Self.text("unwanted", block: 7), [])
        #expect(keeper.last(5, before: nil).isEmpty)
        await #expect(throws: Refusal.self) { _ = try await keeper.forget([1]) }
        #expect(files == ["1.wav", "texts"])

        // What is dictated while the folder is read waits.
        keeper.use(Self.week)
        keeper.keep(Self.text("two", block: 8), [5, 6])
        await keeper.settle()
        #expect(keeper.last(5, before: nil).map(\.text) == ["two", "one"])
        #expect(files == ["1.wav", "2.wav", "texts"])
        await keeper.end()
    }

    /// Also if another text is being written.
    @Test func soundIsWaitedForUntilItIsOnTheDisk() async throws {
        let keeper = await keeper(Self.week)
        keeper.keep(Self.text("one", block: 1), [1, 2])
        keeper.keep(Self.text("two", block: 2), [3, 4])
        let entry = try #require(keeper.last(1, before: nil).first)
        #expect(entry.text == "two" && keeper.sound(of: entry) == nil)
        #expect(await keeper.writtenSound(of: entry) == folder.sound(of: entry.id))
        let silent = Self.text("three", block: 3)
        keeper.keep(silent, [])
        let last = try #require(keeper.last(1, before: nil).first)
        #expect(await keeper.writtenSound(of: last) == nil)
        await keeper.end()
    }

    /// The next call lists what is left, also while the folder is still written.
    @Test(arguments: [false, true]) func whatIsErasedIsNotListedAnyMore(isAll: Bool) async throws {
        try leave(["one", "two"])
        let keeper = await keeper(Self.week)
        keeper.keep(Self.text("three", block: 7), [])
        #expect(keeper.isBusy)
        let erasing = Task.immediate { isAll ? try await keeper.clear() : try await keeper.forget([1, 3]) }
        #expect(keeper.last(5, before: nil).map(\.text) == (isAll ? [] : ["two"]))
        #expect(try await erasing.value == (isAll ? 3 : 2))
        #expect(files == (isAll ? ["texts"] : ["2.wav", "texts"]))
        await keeper.end()
    }

    @Test func aHistoryThatIsNotReadCanBeErased() async throws {
        try leave(["one", "two"])
        let undecided = await keeper()
        #expect(try await undecided.clear() == 2)
        #expect(files.isEmpty)
        await undecided.end()

        try leave(["one"])
        unlink(folder.path + "/texts")
        #expect(symlink("/etc/passwd", folder.path + "/texts") == 0)
        let unreadable = await keeper(Self.week)
        unreadable.keep(Self.text("lost", block: 1), [])
        #expect(unreadable.last(5, before: nil).isEmpty)
        #expect(try await unreadable.clear() == 0)
        #expect(files.isEmpty)
        unreadable.keep(Self.text("kept", block: 2), [])
        await unreadable.settle()
        #expect(files == ["texts"])
        await unreadable.end()
    }

    @Test func soundThatCouldNotBeWrittenIsWrittenLater() async throws {
        let keeper = await keeper(Self.week)
        keeper.begin {}
        try home.write("in the way", to: "history")
        keeper.keep(Self.text("one", block: 1), [1, 2])
        await keeper.settle()
        let first = try #require(keeper.entry(1))
        #expect(keeper.sound(of: first) == nil)
        unlink(folder.path)
        keeper.keep(Self.text("two", block: 2), [])
        await keeper.settle()
        #expect(files == ["1.wav", "texts"])
        #expect(keeper.sound(of: first) == folder.sound(of: 1))
        await keeper.end()
    }
}
