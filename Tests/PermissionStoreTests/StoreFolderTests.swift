import DictationCore
import DictationTestKit
import Foundation
import Glibc
import PermissionStore
import Testing

@Suite struct StoreFolderTests {
    let fixture: StoreFixture
    let files = FileManager.default

    init() throws {
        fixture = try StoreFixture()
    }

    private func expectRefusal(_ subject: String) {
        let error = #expect(throws: PermissionStoreError.self) { try fixture.open() }
        #expect(error?.kind == .refused)
        #expect(error?.subject == subject)
    }

    @Test func otherUsersCannotReadTheFiles() async throws {
        let store = try fixture.open()
        try await store.set(.granted, for: [.speech], of: .app(0), by: "test", at: 1)
        #expect(try fixture.mode(of: fixture.folder) == 0o700)
        #expect(try fixture.names() == ["permissions.db", "permissions.db-journal"])
        for name in try fixture.names() {
            #expect(try fixture.mode(of: "\(fixture.folder)/\(name)") == 0o600)
        }
    }

    @Test func correctsLooseModes() async throws {
        try await fixture.fill()
        try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: fixture.folder)
        try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: fixture.file)
        let store = try fixture.open()
        #expect(try fixture.mode(of: fixture.folder) == 0o700)
        #expect(try fixture.mode(of: fixture.file) == 0o600)
        #expect(store.permission(of: .app(0)) == .granted)
    }

    enum Intruder: CaseIterable {
        case symbolicLink, danglingLink, hardLink, folder, pipe, foreign
    }

    @Test(
        arguments: Intruder.allCases, ["permissions.db", "permissions.db-journal", "permissions.db-wal"])
    func refusesOtherUsersFilesAndLinks(intruder: Intruder, name: String) async throws {
        try await fixture.fill()
        let path = "\(fixture.folder)/\(name)"
        let elsewhere = try fixture.directory.write("precious", to: "elsewhere")
        try? files.removeItem(atPath: path)
        switch intruder {
        case .symbolicLink: try files.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
        case .danglingLink:
            try files.createSymbolicLink(atPath: path, withDestinationPath: fixture.directory.path(of: "new"))
        case .hardLink: try files.linkItem(atPath: elsewhere, toPath: path)
        case .folder: try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .pipe: #expect(mkfifo(path, 0o600) == 0)
        case .foreign:
            try #require(getuid() == 0, "needs root: to make another user's file")
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(chown(path, 65534, 65534) == 0)
        }
        let before = try fixture.names()
        expectRefusal(path)
        #expect(try fixture.names() == before)
        #expect(try String(contentsOfFile: elsewhere, encoding: .utf8) == "precious")
        #expect(!files.fileExists(atPath: fixture.directory.path(of: "new")))
    }

    @Test func refusesOtherUsersFolders() throws {
        try files.createSymbolicLink(atPath: fixture.folder, withDestinationPath: fixture.directory.path)
        expectRefusal(fixture.folder)
        try files.removeItem(atPath: fixture.folder)
        try fixture.directory.write("", to: "store")
        expectRefusal(fixture.folder)
        try files.removeItem(atPath: fixture.folder)
        try files.createDirectory(atPath: fixture.folder, withIntermediateDirectories: false)
        try #require(getuid() == 0, "needs root: to make another user's folder")
        #expect(chown(fixture.folder, 65534, 65534) == 0)
        expectRefusal(fixture.folder)
    }

    @Test func reportsAFolderThatCannotBeCreated() throws {
        let path = try fixture.directory.write("", to: "file") + "/store"
        let error = #expect(throws: PermissionStoreError.self) { try PermissionStore(folder: path) }
        #expect(error?.kind == .unavailable)
        #expect(error?.reason == "Not a directory")
    }

    @Test func oneProcessAtATimeOpensAStore() async throws {
        let first = try ChildProcess([StoreFixture.probe, fixture.folder, "acknowledge", "0"])
        _ = try await first.line(of: .output)
        let second = try await ChildProcess.run([StoreFixture.probe, fixture.folder, "revoke"])
        #expect(second.output.hasPrefix("not opened inUse "))
        first.kill()
        _ = try await first.exitStatus()
        let third = try await ChildProcess.run([StoreFixture.probe, fixture.folder, "revoke"])
        #expect(third.output == "opened \nstored denied\nstored denied\n")
    }
}
