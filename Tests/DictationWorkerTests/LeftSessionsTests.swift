import DBus
import DictationCore
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import JournalFiles
import Logging
import Testing

@testable import DictationBus
@testable import DictationWorker

/// The sessions that a crashed service left, in real files.
@Suite struct LeftSessionsTests {
    private static let bus = "0123"
    private static let logger = Logger(label: "test")

    private static func client(
        _ name: String = ":1.7", uid: UInt32 = 1000, _ kind: Identity.Kind = .executable,
        _ id: String = "/bin/x"
    ) -> Client {
        Client(name: ClientName(name), identity: Identity(uid: uid, kind: kind, id: id))
    }

    private let folder: TemporaryDirectory
    private let home: JournalHome

    init() throws {
        folder = try TemporaryDirectory()
        home = try JournalHome(environment: ["XDG_RUNTIME_DIR": folder.path])
    }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path(of: "dictation"))) ?? []
    }

    /// Leaves a session with a text.
    private func leave(_ number: UInt64 = 1, lingers: Bool = false, bus: String = Self.bus) throws {
        var log = JournalLog(
            JournalSession(
                id: SessionID(rawValue: number), client: Self.client(), bus: bus, lingers: lingers,
                options: []))
        log.follow([UncommittedBlock(number: 1, texts: [JournalText(Segment(text: "planted"))])])
        let file = try home.makeFile(for: log.id)
        for step in log.takeSteps() { try file?.perform(step) }
    }

    @EventLoopActor
    private func sessions(lifetime: Duration = .seconds(600)) -> LeftSessions {
        LeftSessions(home.takeLeft(), bus: Self.bus, lifetime: lifetime, logger: Self.logger)
    }

    @EventLoopActor @Test func isDeletedWhenItsTimeIsOver() async throws {
        try leave()
        let usual = sessions()
        usual.begin(resume: { _ in }, changed: {})
        #expect(!usual.isEmpty && files.count == 1)
        _ = usual.leave()
        let sessions = sessions(lifetime: .milliseconds(300))
        sessions.begin(resume: { _ in }, changed: {})
        try await eventually("it is deleted") { sessions.isEmpty }
        #expect(files.isEmpty)
    }

    @EventLoopActor @Test func isDeletedWhenItsTimeIsOverAlreadyOrOnAnotherBus() throws {
        try leave()
        #expect(sessions(lifetime: .zero).isEmpty)
        #expect(files.isEmpty)
        try leave(5, bus: "4567")
        let other = sessions()
        #expect(other.isEmpty && files.isEmpty)
        // Its number is not used again.
        #expect(other.lastSession == 5)
    }

    @EventLoopActor @Test func isDeletedWhenItsOwnerIsGone() throws {
        try leave()
        let sessions = sessions()
        var changes = 0
        sessions.begin(resume: { _ in }, changed: { changes += 1 })
        #expect(sessions.connections == [Self.client()])
        sessions.vanished(":1.8")
        #expect(!sessions.isEmpty && changes == 0)
        sessions.vanished(":1.7")
        #expect(sessions.isEmpty && changes == 1)
        #expect(files.isEmpty)
    }

    @EventLoopActor @Test func onlyItsClientFindsIt() throws {
        try leave()
        let sessions = sessions()
        #expect(sessions.entry(for: Self.client(), hasStarted: false) != nil)
        for other in [
            Self.client(":1.8"), Self.client(uid: 1001), Self.client(":1.7", .executable, "/bin/y"),
            Self.client(":1.7", .unknown, ""), Self.client(":1.7", .flatpak, "org.example.X"),
        ] {
            #expect(sessions.entry(for: other, hasStarted: false) == nil, "\(other)")
        }
    }

    @EventLoopActor @Test func theControlGroupFindsALingeringOne() throws {
        try leave(lingers: true)
        let sessions = sessions()
        sessions.vanished(":1.7")
        for other in [Self.client(":1.8"), Self.client(":1.9", .executable, "/bin/y")] {
            #expect(sessions.entry(for: other, hasStarted: false) != nil, "\(other)")
            // One that has its own session does not wait until this one is restored.
            #expect(sessions.entry(for: other, hasStarted: true) == nil, "\(other)")
        }
        for other in [
            Self.client(uid: 1001), Self.client(":1.8", .unknown, ""),
            Self.client(":1.8", .flatpak, "org.example.X"),
        ] {
            #expect(sessions.entry(for: other, hasStarted: false) == nil, "\(other)")
        }
    }

    /// What its session needs may be there later.
    @EventLoopActor @Test func mayBeTriedAgain() async throws {
        try leave()
        let sessions = sessions()
        let entry = try #require(sessions.entry(for: Self.client(), hasStarted: false))
        var resumed: [BusName] = []
        sessions.begin(resume: { resumed.append($0) }, changed: {})
        var attempts = 0
        for name: BusName in [":1.7", ":1.8", ":1.7"] {
            #expect(sessions.awaitRestoring(of: entry, for: name) { _ in attempts += 1 })
        }
        sessions.finish(entry, .waits)
        #expect(attempts == 1 && resumed == [":1.7", ":1.8"] && !sessions.isEmpty && files.count == 1)
        // Not at once.
        #expect(!sessions.awaitRestoring(of: entry, for: ":1.7") { _ in attempts += 1 })
        try await eventually("it is tried again") {
            sessions.awaitRestoring(of: entry, for: ":1.7") { _ in attempts += 1 }
        }
        sessions.finish(entry, .deleted(because: "test"))
        #expect(attempts == 2 && resumed.count == 3 && sessions.isEmpty && files.isEmpty)
    }

    @EventLoopActor @Test func callsDoNotWaitForAnAttemptThatEndsAtOnce() throws {
        try leave()
        let sessions = sessions()
        let entry = try #require(sessions.entry(for: Self.client(), hasStarted: false))
        var resumed: [BusName] = []
        sessions.begin(resume: { resumed.append($0) }, changed: {})
        #expect(!sessions.awaitRestoring(of: entry, for: ":1.7") { sessions.finish($0, .restored) })
        #expect(resumed.isEmpty && sessions.isEmpty)
    }

    @EventLoopActor @Test func theEndOfTheServiceLeavesThemToTheNext() throws {
        try leave()
        func leaveAgain() throws {
            let sessions = sessions()
            let entry = try #require(sessions.entry(for: Self.client(), hasStarted: false))
            #expect(sessions.awaitRestoring(of: entry, for: ":1.7") { _ in })
            #expect(sessions.leave() == [":1.7"])
            #expect(sessions.isEmpty && files.count == 1)
        }
        try leaveAgain()
        // Its files are closed.
        #expect(!sessions().isEmpty)
    }

    private func journal(_ number: UInt64, in journals: Journals) async -> SessionJournal {
        await journals.journal(
            of: JournalSession(
                id: SessionID(rawValue: number), client: Self.client(), bus: Self.bus, lingers: false,
                options: []))
    }

    /// The disk may have been full for a moment.
    @EventLoopActor @Test func aFailedWriteIsTriedAgain() async throws {
        let journals = Journals(bus: Self.bus, home: home, logger: Self.logger)
        let journal = await journal(1, in: journals)
        let path = folder.path(of: "dictation")
        // A file of that name: the journal's own cannot be made.
        let name = "\(path)/journal-\(getpid())-1"
        try #require(FileManager.default.createFile(atPath: name, contents: nil))
        journal.follow([UncommittedBlock(number: 1, texts: [JournalText(Segment(text: "planted"))])])
        #expect(try #require(FileManager.default.attributesOfItem(atPath: name)[.size] as? Int) == 0)
        try FileManager.default.removeItem(atPath: name)
        try await eventually("it is written") {
            (try? FileManager.default.attributesOfItem(atPath: name)[.size] as? Int).map { $0 > 0 } ?? false
        }
        let texts = [JournalText(Segment(text: "planted")), JournalText(Segment(text: "later"))]
        journal.follow([UncommittedBlock(number: 1, texts: texts)])
        journal.leave([UncommittedBlock(number: 1, texts: texts)])
        #expect(home.takeLeft().map(\.contents.texts) == [texts])
    }

    @EventLoopActor @Test func leavingKeepsWhatIsThereAndNothingElse() async throws {
        let journals = Journals(bus: Self.bus, home: home, logger: Self.logger)
        for number: UInt64 in 1...2 {
            let journal = await journal(number, in: journals)
            let blocks = [UncommittedBlock(number: 1, texts: [JournalText(Segment(text: "planted"))])]
            journal.follow(blocks)
            #expect(files.count == Int(number))
            journal.leave(number == 1 ? blocks : [])
            journal.follow([])
        }
        #expect(files.count == 1)
        #expect(home.takeLeft().map(\.contents.texts.count) == [1])
    }

    /// All journals together are no larger than what the next service reads.
    @EventLoopActor @Test func journalsShareALimit() throws {
        let journals = Journals(bus: Self.bus, home: home, limit: 300_000, logger: Self.logger)
        func journal(_ number: UInt64) -> SessionJournal {
            let journal = journals.journal(
                of: JournalSession(
                    id: SessionID(rawValue: number), client: Self.client(), bus: Self.bus, lingers: false,
                    options: []))
            journal.follow(
                [UncommittedBlock(number: 1, texts: [])], after: .speechBegan(1, at: 0))
            return journal
        }
        func size() throws -> Int {
            // Replaced contents are holes in the file.
            try files.reduce(0) { sum, name in
                var status = stat()
                let path = folder.path(of: "dictation/\(name)")
                try #require(stat(path, &status) == 0)
                return sum + 512 * Int(status.st_blocks)
            }
        }
        let first = journal(1)
        let second = journal(2)
        // 6 s each, 192,000 bytes.
        for _ in 0..<300 {
            first.append([Int16](repeating: 1, count: 320))
            second.append([Int16](repeating: 1, count: 320))
        }
        #expect(try (250_000...320_000).contains(size()))
        second.close()
        let third = journal(3)
        for _ in 0..<100 { third.append([Int16](repeating: 1, count: 320)) }
        #expect(try (200_000...320_000).contains(size()))
        first.close()
        third.close()
        #expect(files.isEmpty)
    }
}
