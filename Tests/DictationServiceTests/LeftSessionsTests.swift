import DBus
import DictationCore
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import JournalFiles
import Logging
import Testing

@testable import DictationService

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
        let sessions = sessions(lifetime: .milliseconds(300))
        sessions.begin { _ in true }
        #expect(!sessions.isEmpty && files.count == 1)
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

    @EventLoopActor @Test func isDeletedWhenItsOwnerIsGone() async throws {
        try leave()
        let sessions = sessions()
        sessions.begin { _ in false }
        try await eventually("it is deleted") { sessions.isEmpty }
        #expect(files.isEmpty)
    }

    @EventLoopActor @Test func isKeptIfTheBusDoesNotTellItsOwner() async throws {
        try leave()
        let sessions = sessions()
        var asked = false
        sessions.begin { _ in
            asked = true
            throw TestFailure("no reply")
        }
        try await eventually("its owner was asked for") { asked }
        #expect(sessions.entry(for: Self.client(), hasStarted: false) != nil)
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
    @EventLoopActor @Test func mayBeTriedAgain() throws {
        try leave()
        let sessions = sessions()
        let entry = try #require(sessions.entry(for: Self.client(), hasStarted: false))
        var performed = 0
        #expect(sessions.wait(for: entry, ":1.7") { performed += 1 })
        #expect(!sessions.wait(for: entry, ":1.8") { performed += 1 })
        sessions.finish(entry, .waits)
        #expect(performed == 2 && !sessions.isEmpty && files.count == 1)
        #expect(sessions.wait(for: entry, ":1.7") { performed += 1 })
        sessions.finish(entry, .deleted(because: "test"))
        #expect(performed == 3 && sessions.isEmpty && files.isEmpty)
    }

    @EventLoopActor @Test func callsOfAVanishedConnectionAreNotCarriedOut() throws {
        try leave(lingers: true)
        let sessions = sessions()
        let entry = try #require(sessions.entry(for: Self.client(), hasStarted: false))
        var performed: [BusName] = []
        for name: BusName in [":1.8", ":1.9", ":1.8"] {
            _ = sessions.wait(for: entry, name) { performed.append(name) }
        }
        sessions.vanished(":1.8")
        #expect(entry.isAwaited)
        sessions.finish(entry, .restored)
        #expect(performed == [":1.9"])
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
