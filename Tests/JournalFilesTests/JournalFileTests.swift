import DictationCore
import DictationTestKit
import Foundation
import Glibc
import Testing

@testable import JournalFiles

/// Journals in files of the user's runtime folder.
@Suite struct JournalFileTests {
    private static let session = JournalSession(
        id: SessionID(rawValue: 3),
        client: Client(
            name: ClientName(":1.7"), identity: Identity(uid: getuid(), kind: .executable, id: "/bin/x")),
        bus: "0123", lingers: false, options: [])

    /// A journal with a text.
    private static func log(_ text: String = "planted") -> JournalLog {
        var log = JournalLog(session)
        log.follow([UncommittedBlock(number: 1, texts: [JournalText(Segment(text: text))])])
        return log
    }

    private static func home(_ folder: TemporaryDirectory) throws -> JournalHome {
        try JournalHome(environment: ["XDG_RUNTIME_DIR": folder.path])
    }

    private static func files(_ folder: TemporaryDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "dictation"))
    }

    private static func write(_ log: inout JournalLog, to file: JournalFile?) throws {
        let file = try #require(file)
        for step in log.takeSteps() { try file.perform(step) }
    }

    @Test func theNextServiceReadsWhatWasWritten() throws {
        let folder = try TemporaryDirectory()
        var log = Self.log()
        var file = try Self.home(folder).makeFile(for: Self.session.id)
        try Self.write(&log, to: file)
        // A service that runs keeps its files.
        #expect(try Self.home(folder).takeLeft().isEmpty)
        file = nil
        let left = try Self.home(folder).takeLeft()
        #expect(left.map(\.contents.session) == [Self.session])
        #expect(left.first?.contents.texts.map(\.segment.text) == ["planted"])
        #expect(left.allSatisfy { $0.idle < .seconds(60) && $0.idle >= .zero })

        // It is continued, and truncated at last.
        file = left.first?.reopen()
        log = JournalLog(restoring: try #require(left.first).contents)
        try Self.write(&log, to: file)
        log.follow([UncommittedBlock(number: 2, texts: [])])
        let name = try #require(try Self.files(folder).first)
        let path = folder.path(of: "dictation/\(name)")
        #expect(try Data(contentsOf: URL(filePath: path)).contains(Data("planted".utf8)))
        try Self.write(&log, to: file)
        #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
        try file?.remove()
        #expect(try Self.files(folder).isEmpty)
    }

    /// Nobody has spoken for two hours when the service ends.
    @Test func itsAgeIsThatOfItsService() throws {
        let folder = try TemporaryDirectory()
        var log = Self.log()
        var file = try Self.home(folder).makeFile(for: Self.session.id)
        try Self.write(&log, to: file)
        let path = try folder.path(of: "dictation/" + #require(try Self.files(folder).first))
        let times = [timeval](repeating: timeval(tv_sec: time(nil) - 7200, tv_usec: 0), count: 2)
        try #require(utimes(path, times) == 0)
        try file?.confirm()
        file = nil
        let left = try #require(try Self.home(folder).takeLeft().first)
        #expect(left.age < .seconds(60))
        #expect(left.idle > .seconds(7000))
    }

    @Test func replacedContentsAreErased() throws {
        let folder = try TemporaryDirectory()
        let file = try #require(try Self.home(folder).makeFile(for: Self.session.id))
        var first = Self.log("planted")
        var second = Self.log("other")
        for step in first.takeSteps() { try file.perform(step) }
        guard case .append(let records)? = second.takeSteps().first else { throw TestFailure("no step") }
        try file.perform(.replace(records))
        let name = try #require(try Self.files(folder).first)
        let data = try Data(contentsOf: URL(filePath: folder.path(of: "dictation/\(name)")))
        #expect(!data.contains(Data("planted".utf8)))
        #expect(data.contains(Data("other".utf8)))
    }

    @Test func soundOfManyBuffersIsWrittenWhole() throws {
        let folder = try TemporaryDirectory()
        var log = Self.log()
        log.record(.speechBegan(1, at: 0))
        let samples = (0..<160_000).map { Int16(truncatingIfNeeded: $0 &* 7919) }
        for first in stride(from: 0, to: samples.count, by: 320) {
            log.append(Array(samples[first..<first + 320]))
        }
        var file = try Self.home(folder).makeFile(for: Self.session.id)
        try Self.write(&log, to: file)
        for _ in 1...2 {
            file = nil
            let left = try #require(try Self.home(folder).takeLeft().first)
            #expect(left.contents.sound.map(\.samples) == [samples])
            // Restoring replaces the contents by one step.
            file = left.reopen()
            log = JournalLog(restoring: left.contents)
            try Self.write(&log, to: file)
        }
    }

    @Test func whatOthersPlantedIsNotRead() throws {
        let folder = try TemporaryDirectory()
        _ = try Self.home(folder)
        var log = Self.log()
        guard case .append(let records)? = log.takeSteps().first else { throw TestFailure("no step") }
        let path = { (name: String) in folder.path(of: "dictation/journal-\(name)") }
        let anchor = JournalContents.anchor(start: 64)
        let good = Data(anchor + [UInt8](repeating: 0, count: 24) + records.flatMap(\.bytes))
        try good.write(to: URL(filePath: folder.path(of: "good")))
        // A link, a file with two names, a pipe, and files that are not valid.
        symlink(folder.path(of: "good"), path("link"))
        link(folder.path(of: "good"), path("hard"))
        mkfifo(path("pipe"), 0o600)
        try Data().write(to: URL(filePath: path("empty")))
        try Data(good.prefix(50)).write(to: URL(filePath: path("short")))
        try Data(JournalContents.anchor(start: 1 << 50)).write(to: URL(filePath: path("far")))
        truncate(path("large"), 0)
        let large = open(path("large"), O_RDWR | O_CREAT, 0o600)
        ftruncate(large, 1 << 40)
        _ = anchor.withUnsafeBytes { pwrite(large, $0.baseAddress, $0.count, 0) }
        close(large)
        #expect(try Self.home(folder).takeLeft().isEmpty)
        #expect(try Data(contentsOf: URL(filePath: folder.path(of: "good"))) == good)

        chmod(folder.path(of: "dictation"), 0o777)
        #expect(throws: JournalError.self) { try Self.home(folder) }
    }

    @Test func withoutAPlaceNothingIsKept() throws {
        let home = try JournalHome(environment: [:])
        #expect(try home.makeFile(for: Self.session.id) == nil)
        #expect(home.takeLeft().isEmpty)
    }
}
