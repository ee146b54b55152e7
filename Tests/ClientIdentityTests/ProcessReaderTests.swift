import DictationCore
import DictationTestKit
import Foundation
import Testing

@testable import ClientIdentity

@Suite struct ProcessReaderTests {
    @Test func identifiesAnOrdinaryProgramByItsPath() throws {
        let fixture = try ProcessFixture()
        try fixture.add(42)
        #expect(try fixture.identity(of: 42) == fixture.executable)
    }

    @Test(
        arguments: ["0\t0\t0\t0", "1000\t0\t0\t0", "1000\t1000\t0\t1000", "1001\t1001\t1001\t1001"])
    func aProcessWithAnotherUserIsForeign(uids: String) throws {
        let fixture = try ProcessFixture()
        try fixture.add(42, uids: uids)
        #expect(throws: IdentityError(.foreign, "status")) { try fixture.identity(of: 42) }
    }

    @Test(
        arguments: ["", "1000", "1000\t-1\t1000\t1000"])
    func invalidUsersAreAnError(uids: String) throws {
        let fixture = try ProcessFixture()
        try fixture.add(42, uids: uids)
        #expect(throws: IdentityError(.malformed, "status")) { try fixture.identity(of: 42) }
    }

    @Test(arguments: ["status", "cgroup", "exe", "root"])
    func aMissingFileIsAnError(file: String) throws {
        let fixture = try ProcessFixture()
        try fixture.add(42)
        try FileManager.default.removeItem(atPath: fixture.path(of: file, 42))
        let error = #expect(throws: IdentityError.self) { try fixture.identity(of: 42) }
        #expect(error?.subject == file)
    }

    @Test func aMissingProcessHasNoIdentity() throws {
        #expect(throws: IdentityError.self) { try ProcessFixture().identity(of: 42) }
    }

    @Test(
        arguments: ["relative", "/", "/nowhere", ""])
    func refusesLinksThatAreNotTheRunningFile(target: String) throws {
        let fixture = try ProcessFixture()
        try fixture.add(42)
        let link = fixture.path(of: "exe", 42)
        try FileManager.default.removeItem(atPath: link)
        if !target.isEmpty {
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        }
        #expect(throws: IdentityError.self) { try fixture.identity(of: 42) }
    }

    @Test func randomFilesGiveAnIdentityOrAnError() throws {
        var random = TestRandom()
        let samples: [([UInt8], ([UInt8]) throws -> Void)] = [
            (
                Array("[Application]\nname=org.gnome.Editor\n[Instance]\nid=1\n".utf8),
                { _ = try FlatpakInfo.applicationID($0) }
            ),
            (
                Array("7:freezer:/snap.one\n0::/user@1.service/app-a\\x2db-1.scope\n".utf8),
                {
                    let groups = try ControlGroups($0)
                    _ = try groups.snap
                    _ = SystemdUnit(of: groups.unified, uid: 1)
                }
            ),
            (
                Array("7 (a b) S 1 1 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 300 0\n".utf8),
                { _ = try ProcessStatus($0) }
            ),
            (Array("Name:\ta\nUid:\t1\t1\t1\t1\n".utf8), { _ = try ProcessUsers($0) }),
        ]
        for (sample, parse) in samples {
            for _ in 0..<2500 {
                var bytes = sample
                for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                    let index = bytes.indices.randomElement(using: &random) ?? 0
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[index] = .random(in: 0...255, using: &random)
                    case 1: bytes.removeSubrange(index...)
                    case 2: bytes.insert(contentsOf: bytes[..<index], at: index)
                    default: bytes.remove(at: index)
                    }
                }
                do { try parse(bytes) } catch is IdentityError {}
            }
        }
    }
}
