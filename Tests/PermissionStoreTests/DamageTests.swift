import DictationCore
import DictationTestKit
import Foundation
import GRDB
import PermissionStore
import Testing

@Suite struct DamageTests {
    let fixture: StoreFixture

    init() throws {
        fixture = try StoreFixture()
    }

    /// Opens the file: nothing may be granted, the file must be moved away, and new decisions must work.
    private func expectSetAside() async throws {
        let damaged = try Data(contentsOf: URL(fileURLWithPath: fixture.file))
        let store = try fixture.open()
        let aside = try #require(store.setAside)
        #expect(try Data(contentsOf: URL(fileURLWithPath: aside)).count == damaged.count)
        for identity in StoreFixture.filled.keys {
            #expect(store.permission(of: identity) == .notDetermined)
        }
        try await store.set(.granted, for: [.speech], of: .app(2), by: "test", at: 1)
    }

    private func change(_ sql: String) throws {
        let database = try DatabaseQueue(path: fixture.file)
        try database.inDatabase { db in
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON; \(sql)")
        }
    }

    @Test(
        arguments: ["rubbish", "SQLite format 3\0", String(repeating: "\0", count: 8192)])
    func movesAwayAFileThatIsNotAStore(contents: String) async throws {
        try await fixture.fill()
        try Data(contents.utf8).write(to: URL(fileURLWithPath: fixture.file))
        try await expectSetAside()
    }

    @Test func anEmptyFileIsANewStore() async throws {
        try await fixture.fill()
        try Data().write(to: URL(fileURLWithPath: fixture.file))
        let store = try fixture.open()
        #expect(store.setAside == nil)
        #expect(store.permission(of: .app(0)) == .notDetermined)
    }

    @Test(
        arguments: [
            "UPDATE client SET microphone = 'granted'", "UPDATE client SET microphone = 'maybe'",
            "UPDATE client SET id = '/app/2' WHERE id = '/app/0'", "UPDATE client SET uid = 0",
            "UPDATE client SET uid = -1", "UPDATE client SET kind = 'unknown'",
            "UPDATE client SET checksum = 0",
            "UPDATE client SET id = CAST(x'2f6170702fff' AS TEXT) WHERE id = '/app/0'", "DROP TABLE decision",
            "DROP TABLE client",
            "DROP INDEX decisionByUser", "PRAGMA application_id = 7", "CREATE TABLE other (a)",
            "CREATE TRIGGER t AFTER INSERT ON decision BEGIN DELETE FROM client; END",
            "UPDATE sqlite_master SET sql = replace(sql, 'granted', 'granteD')",
            "ALTER TABLE client ADD COLUMN other TEXT", "DELETE FROM grdb_migrations",
        ])
    func movesAwayATamperedDatabase(sql: String) async throws {
        try await fixture.fill()
        try change(sql)
        try await expectSetAside()
    }

    @Test func movesAwayAFileThatClaimsToBeReadOnly() async throws {
        try await fixture.fill()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.file))
        // The file format's write version: SQLite does not write to those above 2.
        bytes[18] = 3
        try bytes.write(to: URL(fileURLWithPath: fixture.file))
        try await expectSetAside()
    }

    @Test func keepsDamagedFilesUnderDifferentNames() async throws {
        for _ in 1...3 {
            try await fixture.fill()
            try Data("rubbish".utf8).write(to: URL(fileURLWithPath: fixture.file))
            // The journal of a completed transaction: SQLite leaves it in place.
            try Data(count: 600).write(to: URL(fileURLWithPath: "\(fixture.file)-journal"))
            try fixture.open().close()
        }
        let kept = (1...3).flatMap {
            ["permissions.db.corrupt-\($0)", "permissions.db.corrupt-\($0)-journal"]
        }
        let names = try fixture.names()
        #expect(names.filter { $0.contains("corrupt") } == kept)
    }

    @Test func leavesANewerStoreAlone() async throws {
        try await fixture.fill()
        try change("INSERT INTO grdb_migrations VALUES ('1000')")
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.file))
        let error = #expect(throws: PermissionStoreError.self) { try fixture.open() }
        #expect(error?.kind == .newer)
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.file)) == before)
    }

    /// `DICTATION_SOAK_MUTATIONS` is the number of mutations.
    @Test func randomDamageGrantsNothing() async throws {
        try await fixture.fill()
        let original = try Data(contentsOf: URL(fileURLWithPath: fixture.file))
        let probes = StoreFixture.filled.keys + (2..<10).map { .app($0) }
        var random = TestRandom()
        var outcomes = (kept: 0, setAside: 0)
        for number in 0..<StoreFixture.amount("DICTATION_SOAK_MUTATIONS", default: 300) {
            let fixture = try StoreFixture()
            let mutated = Mutation.of(original, using: &random)
            try FileManager.default.createDirectory(
                atPath: fixture.folder, withIntermediateDirectories: false)
            try mutated.write(to: URL(fileURLWithPath: fixture.file))
            if number % 4 == 0 {
                let journal = Mutation.of(original.prefix(5000), using: &random)
                try journal.write(to: URL(fileURLWithPath: "\(fixture.file)-journal"))
            }
            let store = try fixture.open()
            if store.setAside == nil { outcomes.kept += 1 } else { outcomes.setAside += 1 }
            for identity in probes {
                for resource in Resource.allCases
                where store.permission(of: identity)[resource] == .granted {
                    #expect(StoreFixture.filled[identity]?[resource] == .granted)
                }
            }
            for record in store.records(ofUser: 1000) {
                #expect(StoreFixture.filled[record.identity] == record.permission)
            }
        }
        print("mutations: \(outcomes.kept) harmless, \(outcomes.setAside) set aside")
    }
}

enum Mutation {
    /// Bits flipped, bytes replaced, parts removed, moved or inserted: one to four of these.
    static func of(_ data: Data, using random: inout TestRandom) -> Data {
        var bytes = [UInt8](data)
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, index + Int.random(in: 1...4096, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0...2: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 3: bytes[index] = .random(in: 0...255, using: &random)
            case 4: bytes.removeSubrange(index...)
            case 5: for place in index..<end { bytes[place] = 0 }
            case 6:
                let piece = bytes[index..<end]
                let place = Int.random(in: 0...(bytes.count - piece.count), using: &random)
                bytes.replaceSubrange(place..<(place + piece.count), with: piece)
            default: bytes.insert(contentsOf: bytes[index..<end], at: index)
            }
        }
        return Data(bytes)
    }
}
